/* SPDX-License-Identifier: MIT */
#pragma once

/** Overview of the workspaces: pages of previews on each output. */

#include "scene/scene.h"
#include "util/box.h"

struct overview_view;
struct shell;
struct window;
struct workspace;

/** Distance between cells, and height of the label below each, logical pixels. */
#define OVERVIEW_GAP 32
#define OVERVIEW_LABEL 28

/** Places of cells, each a scaled copy of an output with a label below. Pure. */
struct overview_layout {
	struct box area; /* global */
	double scale; /* of the copies */
	int width, height; /* of the copies, logical pixels */
	int columns, rows, n;
};

/** Computes the layout of `n` copies, above 0, of an output of this size. */
struct overview_layout overview_layout(const struct box *area, int width, int height, int n);
/** Returns the box of a copy, global. */
struct box overview_cell(const struct overview_layout *layout, int i);
/** Returns the part of a window in a copy of an output, and its box there; false: it is outside. */
bool overview_place(const struct box *window, const struct box *output, const struct box *cell,
	struct box *part, struct box *box);
/** Returns the nearest of `n` boxes in a direction (enum direction), or `from`. Pure. */
int overview_next(const struct box *boxes, int n, int from, int direction);

/** A workspace or window that can be chosen. */
struct overview_item {
	struct workspace *workspace;
	struct window *window; /* NULL: the workspace */
	struct box box; /* global */
};

/** Shows all workspaces. `data` is that of scene hits; `changed` is called when a window changes size. */
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
