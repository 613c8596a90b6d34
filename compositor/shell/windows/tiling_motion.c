/* SPDX-License-Identifier: MIT */
/*
 * Columns that are dragged sideways: drawn at a distance, together with those outside of the
 * output.
 */

#include "motion.h"
#include "shell/geometry/layout_columns.h"
#include "shell/geometry/private.h"
#include "shell/geometry/tile.h"
#include "shell/shell.h"
#include "tiling.h"
#include "windows.h"

int tiling_scroll_to(const struct window *window, int direction)
{
	const struct columns *columns = window->private->tiled->columns;
	const struct columns_style style = tiling_style(window->private->tiled);
	void *next = columns_neighbor(columns, window, (enum direction)direction);
	if (!next) {
		return 0;
	}
	struct columns copy = {0};
	columns_copy(&copy, columns);
	columns_focus(&copy, next);
	columns_arrange(&copy, &style);
	const int scroll = copy.scroll - columns->scroll;
	columns_finish(&copy);
	return scroll;
}

/* Calls `visit` for all tiles. */
static void for_each_tile(
	struct workspace *workspace, void (*visit)(struct window *window, int x), int x)
{
	const struct columns *columns = workspace->columns;
	for (int i = 0; i < columns->n; i++) {
		for (int j = 0; j < columns->columns[i].n_items; j++) {
			visit(columns->columns[i].items[j].id, x);
		}
	}
}

static void show(struct window *window, int x)
{
	motion_end(window->private->motion);
	window->private->leaves = !tiling_covers(window);
	window_update_visibility(window);
}

void tiling_drag(struct workspace *workspace, int x)
{
	scene_tree_set_shift(workspace->tiled_tree, x, 0);
	for_each_tile(workspace, show, x);
}

static void glide(struct window *window, int x)
{
	window->private->leaves = false;
	window_update_visibility(window);
	/* Fullscreen windows stay in place: they are in another tree. */
	if (!tiling_covers(window) &&
		window->tree->node.parent == window->private->tiled->tiled_tree) {
		window_glide_from(
			window, &(struct motion_look){x, 0, 1}, !window->private->tile_visible);
	}
}

void tiling_return(struct workspace *workspace)
{
	const int x = workspace->tiled_tree->shift_x;
	scene_tree_set_shift(workspace->tiled_tree, 0, 0);
	for_each_tile(workspace, glide, x);
}
