/* SPDX-License-Identifier: MIT */
#pragma once

/** View of the window switcher: a panel with previews, icons and titles. */

#include "shell/geometry/switcher_layout.h"

struct scene_output;
struct shell;
struct switcher;
struct window;

/**
 * Shows the windows on an output, which must outlive the view, as must the windows. `data` is that
 * of the panel's scene hits.
 */
struct switcher *switcher_create(struct shell *shell, struct scene_output *output,
	struct window *const *windows, int n, int selected, void *data);
/** Accepts NULL. */
void switcher_destroy(struct switcher *switcher);
/** Highlights a window of the page. Returns false if it is on another page. */
bool switcher_select(struct switcher *switcher, int selected);
const struct switcher_layout *switcher_get_layout(const struct switcher *switcher);
