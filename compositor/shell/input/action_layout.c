/* SPDX-License-Identifier: MIT */
/* Actions of layouts: focus and moves by direction, sizes, columns. */

#include "action.h"
#include "shell/geometry/edge_tile.h"
#include "shell/geometry/facts.h"
#include "shell/geometry/layout_columns.h"
#include "shell/geometry/private.h"
#include "shell/geometry/window_fit.h"
#include "shell/shell.h"
#include "shell/windows/motion.h"
#include "shell/windows/tiling.h"
#include "shell/windows/windows.h"
#include "shell/windows/workspaces.h"
#include "xdg-shell-protocol.h"
#include <stdlib.h>
#include <string.h>

/** Step of moves and resizes, part of the usable area. */
#define STEP 0.05

static enum direction direction_of(const char *word)
{
	return strcmp(word, "left") == 0    ? DIRECTION_LEFT
	       : strcmp(word, "right") == 0 ? DIRECTION_RIGHT
	       : strcmp(word, "up") == 0    ? DIRECTION_UP
					    : DIRECTION_DOWN;
}

/* Returns how far a box lies in a direction, or a negative number if it lies in another one. */
static int distance(const struct box *from, const struct box *to, enum direction direction)
{
	int dx = to->x + to->width / 2 - from->x - from->width / 2;
	int dy = to->y + to->height / 2 - from->y - from->height / 2;
	bool sideways = direction == DIRECTION_LEFT || direction == DIRECTION_RIGHT;
	int along = sideways ? dx : dy, across = sideways ? dy : dx;
	if (direction == DIRECTION_LEFT || direction == DIRECTION_UP) {
		along = -along;
	}
	return along > 0 ? along + 2 * abs(across) : -1;
}

/* Returns the nearest floating window in a direction, or NULL. */
static struct window *nearest(const struct window *from, enum direction direction)
{
	struct box here = window_box(from);
	struct window *window, *best = NULL;
	int best_distance = 0;
	wl_list_for_each (window, &from->shell->windows, link) {
		if (window == from || window->private->tiled || window->private->no_focus ||
			!window_shown(window) || window->workspace != from->workspace) {
			continue;
		}
		struct box there = window_box(window);
		int far = distance(&here, &there, direction);
		if (far > 0 && (!best || far < best_distance)) {
			best = window;
			best_distance = far;
		}
	}
	return best;
}

static struct window *neighbor(const struct window *window, enum direction direction)
{
	return window->private->tiled
		       ? columns_neighbor(window->private->tiled->columns, window, direction)
		       : nearest(window, direction);
}

/* Returns the next window in a direction that takes the focus, or NULL. */
static struct window *next_focus(struct window *window, enum direction direction)
{
	do {
		window = neighbor(window, direction);
	} while (window && window->private->no_focus);
	return window;
}

void action_focus(struct shell *shell, const char *argument)
{
	/* The tiles beside a window that covers them cannot be seen: it has none. */
	struct window *next =
		shell->focus && !(shell->focus->private->tiled && stack_covers(shell->focus))
			? next_focus(shell->focus, direction_of(argument))
			: NULL;
	struct scene_output *output = next ? NULL : shell_find_output(shell, argument);
	struct workspace *shown = output ? workspace_on(shell, output) : NULL;
	if (next) {
		window_focus(next);
	} else if (shown) {
		shell_show_workspace(shell, shown);
	}
}

/* Returns the box from which steps of a floating window count: that to come, if it is known. */
static struct box step_box(const struct window *window)
{
	const struct box box = window_floating_box(window);
	return box_empty(&box) ? window_box(window) : box;
}

/* Moves a floating window by a step, within reach. */
static void shift(struct window *window, enum direction direction)
{
	struct box area = shell_usable(window->shell, window_output(window));
	if (!window_floating(window)) {
		return;
	}
	struct box box = step_box(window);
	int dx = (int)(area.width * STEP), dy = (int)(area.height * STEP);
	box.x += direction == DIRECTION_LEFT ? -dx : direction == DIRECTION_RIGHT ? dx : 0;
	box.y += direction == DIRECTION_UP ? -dy : direction == DIRECTION_DOWN ? dy : 0;
	box = window_fit(window, NULL, &box, WINDOW_FIT_REACHABLE);
	window_step_to(window, box.x, box.y);
}

void action_move_to_output(struct window *window, const char *argument)
{
	struct shell *shell = window->shell;
	struct scene_output *output = shell_find_output(shell, argument);
	struct workspace *shown = output ? workspace_on(shell, output) : NULL;
	if (shown) {
		shell_move_to_workspace(shell, window, shown);
		window_focus(window);
	}
}

void action_move(struct window *window, const char *argument)
{
	enum direction direction = direction_of(argument);
	if (!window->private->tiled) {
		shift(window, direction);
	} else if (columns_move(window->private->tiled->columns, window, direction)) {
		tiling_arrange(window->private->tiled);
	} else {
		action_move_to_output(window, argument);
	}
}

void action_swap(struct window *window, const char *argument)
{
	struct window *other =
		window->private->tiled ? neighbor(window, direction_of(argument)) : NULL;
	if (other && columns_swap(window->private->tiled->columns, window, other)) {
		tiling_arrange(window->private->tiled);
	}
}

void action_join(struct window *window, const char *argument)
{
	if (window->private->tiled &&
		columns_join(window->private->tiled->columns, window, direction_of(argument))) {
		tiling_arrange(window->private->tiled);
	}
}

static int limit(int64_t size, int least, int most)
{
	size = most > 0 && size > most ? most : size;
	least = least > 1 ? least : 1;
	return (int)(size < least ? least : size);
}

/* Moves the edges that the window shares with other edge tiles. */
static void resize_edge_tile(struct window *window, double wider, double taller)
{
	struct workspace *workspace = window->workspace;
	const struct box area = shell_usable(window->shell, workspace->output);
	struct edge_split split = edge_split_limit(workspace, &area, &workspace->split);
	const uint32_t inner = window_inner_edges(window);
	split.x += inner & XDG_TOPLEVEL_RESIZE_EDGE_LEFT    ? -wider
		   : inner & XDG_TOPLEVEL_RESIZE_EDGE_RIGHT ? wider
							    : 0;
	split.y += inner & XDG_TOPLEVEL_RESIZE_EDGE_TOP      ? -taller
		   : inner & XDG_TOPLEVEL_RESIZE_EDGE_BOTTOM ? taller
							     : 0;
	edge_tiles_split(workspace, &split);
}

static void resize_floating(struct window *window, double wider, double taller)
{
	struct window_private *own = window->private;
	struct box area = shell_usable(window->shell, window_output(window));
	const struct box box = step_box(window);
	if (!window_floating(window)) {
		resize_edge_tile(window, wider, taller);
		return;
	}
	if (!own->configure_serial) {
		return;
	}
	home_forget(window);
	own->want_width = limit(box.width + (int)(area.width * wider), own->limits.min_width,
		own->limits.max_width);
	own->want_height = limit(box.height + (int)(area.height * taller), own->limits.min_height,
		own->limits.max_height);
	window_update(window);
}

static bool is_fitted(const struct window *window)
{
	return window->shell->config->layout.overflow == COLUMNS_FIT;
}

void action_resize(struct window *window, const char *argument)
{
	double wider = strcmp(argument, "wider") == 0      ? STEP
		       : strcmp(argument, "narrower") == 0 ? -STEP
							   : 0;
	double taller = strcmp(argument, "taller") == 0    ? STEP
			: strcmp(argument, "shorter") == 0 ? -STEP
							   : 0;
	if (!window->private->tiled) {
		resize_floating(window, wider, taller);
		return;
	}
	struct columns *columns = window->private->tiled->columns;
	const bool fitted = is_fitted(window);
	if (wider != 0) {
		columns_set_width(
			columns, window, columns_width(columns, window, fitted) + wider, fitted);
	} else {
		columns_grow_height(columns, window, taller);
	}
	tiling_arrange(window->private->tiled);
}

void action_width(struct window *window, const char *argument)
{
	const struct config *config = window->shell->config;
	if (!window->private->tiled) {
		return;
	}
	struct columns *columns = window->private->tiled->columns;
	if (strcmp(argument, "next") == 0 || strcmp(argument, "previous") == 0) {
		columns_step_width(columns, window, config->layout.widths, config->layout.n_widths,
			*argument == 'p', is_fitted(window));
	} else {
		columns_set_width(columns, window, strtod(argument, NULL) / 100, is_fitted(window));
	}
	tiling_arrange(window->private->tiled);
}

void action_toggle_tabbed(struct window *window, const char *argument)
{
	if (window->private->tiled &&
		columns_toggle_tabbed(window->private->tiled->columns, window)) {
		tiling_arrange(window->private->tiled);
	}
}

void action_toggle_floating(struct window *window, const char *argument)
{
	window_set_floats(window, !window->private->floats);
}

void action_layout(struct shell *shell, const char *argument)
{
	struct workspace *workspace = shell_workspace(shell);
	int layout = strcmp(argument, "columns") == 0             ? CONFIG_LAYOUT_COLUMNS
		     : strcmp(argument, "floating") == 0          ? CONFIG_LAYOUT_FLOATING
		     : workspace->layout == CONFIG_LAYOUT_COLUMNS ? CONFIG_LAYOUT_FLOATING
								  : CONFIG_LAYOUT_COLUMNS;
	workspace_set_layout(workspace, layout);
}

void action_gaps(struct shell *shell, const char *argument)
{
	struct workspace *workspace = shell_workspace(shell);
	const int configured = shell->config->layout.gap;
	int number = (int)strtol(argument, NULL, 10);
	bool relative = *argument == '+' || *argument == '-';
	int gap = relative ? configured + workspace->gap_change + number : number;
	workspace->gap_change = (gap < 0 ? 0 : gap > 200 ? 200 : gap) - configured;
	tiling_arrange(workspace);
}

/* Focuses the last used window of the other kind: tiled or floating. */
void action_focus_floating(struct shell *shell, const char *argument)
{
	const struct workspace *workspace = shell_workspace(shell);
	struct window *window;
	wl_list_for_each (window, &shell->windows, link) {
		if (shell->focus && window->workspace == workspace && window_shown(window) &&
			!window->private->no_focus &&
			!window->private->tiled != !shell->focus->private->tiled) {
			window_focus(window);
			return;
		}
	}
}

void action_focus_urgent(struct shell *shell, const char *argument)
{
	struct window *window;
	wl_list_for_each (window, &shell->windows, link) {
		if (window->urgent) {
			window_focus(window);
			return;
		}
	}
}

void action_move_to_scratchpad(struct window *window, const char *argument)
{
	while (window->parent && window->parent->mapped) {
		window = window->parent;
	}
	window->private->scratchpad = true;
	window_set_floats(window, true);
	window_set_minimized(window, true);
}

/* Shows a window of the scratchpad in the middle of the active output. */
static void show_scratchpad(struct window *window)
{
	struct shell *shell = window->shell;
	struct workspace *workspace = shell_workspace(shell);
	if (window->workspace != workspace) {
		shell_move_to_workspace(shell, window, workspace);
	}
	struct box area = shell_usable(shell, workspace->output), box = window_box(window);
	if (window_floating(window)) {
		box.x = area.x + (area.width - box.width) / 2;
		box.y = area.y + (area.height - box.height) / 2;
		box = window_fit(window, workspace->output, &box, WINDOW_FIT_REACHABLE);
		window_move_to(window, box.x, box.y);
	}
	window_focus(window);
}

/* Hides the shown window of the scratchpad, or shows the one that was used last. */
void action_scratchpad(struct shell *shell, const char *argument)
{
	struct window *window, *last = NULL;
	wl_list_for_each (window, &shell->windows, link) {
		if (window->private->scratchpad && window_shown(window)) {
			window_set_minimized(window, true);
			return;
		}
		if (window->private->scratchpad && !last) {
			last = window;
		}
	}
	if (last) {
		show_scratchpad(last);
	}
}
