/* SPDX-License-Identifier: MIT */
#pragma once

/** The window of a drag: interface of xdg_toplevel_drag_v1 to selection/drag.c. */

#include "util/box.h"

struct toplevel_drag;

/**
 * Moves the attached window, if any, with the drag. The first call starts the drag. Accepts NULL.
 */
void toplevel_drag_move(struct toplevel_drag *drag, struct coord_global at);
/**
 * Drops the attached window, if any, as an interactive move does. Call toplevel_drag_end() after
 * it.
 */
void toplevel_drag_drop(struct toplevel_drag *drag);
/** Leaves the attached window in its place: the drag has ended. Accepts NULL. */
void toplevel_drag_end(struct toplevel_drag *drag);
