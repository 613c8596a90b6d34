/* SPDX-License-Identifier: MIT */
#pragma once

/** Overview of the workspaces: pages of previews on each output. */

#include "shell/geometry/overview_layout.h"

struct overview_view;
struct shell;
struct window;
struct workspace;

/** A workspace or window that can be chosen. */
struct overview_item {
	struct workspace *workspace;
	struct window *window; /* NULL: the workspace */
	struct box box; /* global */
};

/**
 * Shows all workspaces. `data` is that of scene hits; `changed` is called when a window changes
 * size.
 */
struct overview_view *overview_view_create(
	struct shell *shell, void *data, void (*changed)(void *data));
/** Accepts NULL. */
void overview_view_destroy(struct overview_view *view);
/** Returns the items: first workspaces, then windows, lower ones first. */
const struct overview_item *overview_view_items(
	const struct overview_view *view, int *n_workspaces, int *n);
/** Highlights an item. */
void overview_view_select(struct overview_view *view, int item);
/** Removes the window from the items' reach: it is being unmapped. */
void overview_view_forget(struct overview_view *view, const struct window *window);
