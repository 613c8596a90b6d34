/* SPDX-License-Identifier: MIT */
/* Tiling: windows of workspaces with the layout `columns`. */

#include "tiling.h"
#include "shell/geometry/facts.h"
#include "shell/geometry/layout_columns.h"
#include "shell/geometry/private.h"
#include "shell/geometry/tile.h"
#include "windows.h"

/** Size of a window that becomes floating without having a size of its own, parts of the area. */
#define FLOATING_SIZE 0.6

static bool belongs(const struct window *window)
{
	return window->mapped && !window->minimized && window->workspace &&
	       window->workspace->layout == CONFIG_LAYOUT_COLUMNS && window_can_tile(window);
}

/* Shows or hides a tiled window, and its tab. */
static void take_item(
	struct window *window, const struct columns_item *item, bool bare, const struct box *area)
{
	struct window_private *own = window->private;
	struct box common;
	own->tile = item->box;
	own->tile_covered = !item->shown;
	own->tile_border_width = bare ? 0 : window->shell->config->layout.border;
	own->tile_visible = item->shown && box_intersect(&common, &item->box, area);
}

void tiling_arrange(struct workspace *workspace)
{
	struct shell *shell = workspace->shell;
	struct columns *columns = workspace->columns;
	if (transaction_is_active(shell) || shell->private->n_deferrals > 0) {
		workspace->arrange_due = true;
		return;
	}
	workspace->arrange_due = false;
	struct columns_style style = tiling_style(workspace);
	for (int i = 0; i < columns->n; i++) {
		for (int j = 0; j < columns->columns[i].n_items; j++) {
			struct columns_item *item = &columns->columns[i].items[j];
			item->min_width = tile_least_width(item->id);
		}
	}
	bool bare = columns_arrange(columns, &style);
	if (box_empty(&style.area)) {
		return;
	}
	transaction_begin(shell);
	for (int i = 0; i < columns->n; i++) {
		for (int j = 0; j < columns->columns[i].n_items; j++) {
			struct window *window = columns->columns[i].items[j].id;
			take_item(window, &columns->columns[i].items[j], bare, &style.area);
			transaction_add(window);
		}
	}
	transaction_end(shell);
}

void tiling_defer(struct shell *shell)
{
	shell->private->n_deferrals++;
}

void tiling_resume(struct shell *shell)
{
	struct workspace *workspace;
	shell->private->n_deferrals--;
	wl_list_for_each (workspace, &shell->workspaces, link) {
		if (workspace->arrange_due) {
			tiling_arrange(workspace);
		}
	}
}

void tiling_arrange_all(struct shell *shell)
{
	struct workspace *workspace;
	wl_list_for_each (workspace, &shell->workspaces, link) {
		if (workspace->columns->n > 0) {
			tiling_arrange(workspace);
		}
	}
}

static void insert(struct window *window)
{
	struct window_private *own = window->private;
	struct workspace *workspace = window->workspace;
	signal_emit(&window->shell->events.interrupt, window);
	window->states &= ~(uint32_t)WINDOW_RESIZING;
	own->resize_edges = 0;
	own->resize_waiting = false;
	window_save_box(window);
	own->tiled = workspace;
	edge_tiles_update(workspace);
	own->tile_shown = window->tree->node.enabled; /* until the transaction ends */
	own->tile_placed = false;
	own->tile_covered = true;
	window->states |= WINDOW_TILED;
	columns_insert(workspace->columns, window, tile_default_width(workspace),
		tile_goes_before(workspace));
	window_restack(window);
	window_update_visibility(window);
	tiling_arrange(workspace);
	signal_emit(&window->events.states, window);
}

/* Returns the box for a window that leaves the columns. */
static struct box floating_box(const struct window *window)
{
	struct box area = shell_usable(window->shell, window_output(window));
	if (window->private->saved.width > 0) {
		return window->private->saved;
	}
	struct box box = {.width = (int)(area.width * FLOATING_SIZE),
		.height = (int)(area.height * FLOATING_SIZE)};
	box.x = area.x + (area.width - box.width) / 2;
	box.y = area.y + (area.height - box.height) / 2;
	return box;
}

static void take_out(struct window *window)
{
	struct window_private *own = window->private;
	struct workspace *workspace = own->tiled;
	struct box box = floating_box(window);
	own->tiled = NULL;
	own->leaves = false;
	columns_remove(workspace->columns, window);
	transaction_leave(window);
	tile_border_destroy(window);
	if (window->mapped && own->configure_serial) {
		window->states &= ~(uint32_t)WINDOW_TILED;
		own->saved = box;
		window_arrange(window);
		window_restack(window);
		window_update_visibility(window);
		signal_emit(&window->events.states, window);
	}
	tiling_arrange(workspace);
}

void tiling_update(struct window *window)
{
	if (window->private->tiled &&
		(!belongs(window) || window->private->tiled != window->workspace)) {
		take_out(window);
	}
	if (belongs(window) && !window->private->tiled) {
		insert(window);
	}
}

void tiling_focus(struct window *window)
{
	if (window->private->tiled && columns_focus(window->private->tiled->columns, window)) {
		tiling_arrange(window->private->tiled);
	}
}

void window_set_floats(struct window *window, bool floats)
{
	window->private->floats = floats;
	tiling_update(window);
	if (window->mapped) {
		window_raise(window);
	}
}

/* Ends the maximised state of a window that has just become a tile. The layout resizes it. */
static void uncover_columns(struct window *window)
{
	if (window->private->tiled && (window->states & WINDOW_MAXIMIZED)) {
		window->states &= ~(uint32_t)WINDOW_MAXIMIZED;
		signal_emit(&window->events.states, window);
	}
}

void workspace_set_layout(struct workspace *workspace, int layout)
{
	struct shell *shell = workspace->shell;
	if (workspace->layout == layout) {
		return;
	}
	workspace->layout = layout;
	struct window *focus = shell->focus;
	struct window_private *each;
	/* In the order of creation, so that the layout does not depend on the focus. */
	tiling_defer(shell);
	wl_list_for_each (each, &shell->private->all_windows, created_link) {
		struct window *window = each->window;
		if (window->workspace == workspace) {
			tiling_update(window);
			uncover_columns(window);
		}
	}
	tiling_resume(shell);
	if (focus) {
		tiling_focus(focus);
	}
	signal_emit(&shell->events.workspaces, NULL);
}

void windows_arrange(struct shell *shell)
{
	layout_arrange(shell);
	tiling_arrange_all(shell);
}
