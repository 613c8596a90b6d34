/* SPDX-License-Identifier: MIT */
#pragma once

/** Stacking order of windows. */

#include <stdbool.h>

struct window;

/**
 * Moves the window and its transients directly above (`above`) or below another window, or without
 * one above or below all of their kind. Transients stay above their parents, and windows in the
 * part of the order (on top, tiled and so on) that they are in.
 */
void window_stack(struct window *window, struct window *sibling, bool above);
bool window_is_on_bottom(const struct window *window);
