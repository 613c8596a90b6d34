/* SPDX-License-Identifier: MIT */
/* Splits of workspaces: edge tiles on both sides change size together, and the split resets. */

#include "shell/geometry/edge_tile.h"
#include "shell/geometry/facts.h"
#include "shell/geometry/private.h"
#include "windows.h"

/** Time limit for the answers to the last split, ns. */
#define TIME_LIMIT INT64_C(200000000)

static void arrange(struct workspace *workspace)
{
	struct window *window, *next;
	workspace->split_due = false;
	workspace->split_time = clock_now(workspace->shell->clock);
	wl_list_for_each_safe (window, next, &workspace->shell->windows, link) {
		if (window->workspace == workspace && window_is_edge_tile(window)) {
			layout_update(window);
		}
	}
}

/* Returns true if the client of an edge tile has yet to draw the last split. */
static bool is_waiting(const struct workspace *workspace)
{
	const struct window *window;
	if (clock_now(workspace->shell->clock) - workspace->split_time > TIME_LIMIT) {
		return false;
	}
	wl_list_for_each (window, &workspace->shell->windows, link) {
		if (window->workspace == workspace && window_is_edge_tile(window) &&
			window_shown(window) && window->private->answers &&
			window->private->target.pending) {
			return true;
		}
	}
	return false;
}

void edge_tiles_update(struct workspace *workspace)
{
	const struct window *window;
	uint32_t inner = 0;
	wl_list_for_each (window, &workspace->shell->windows, link) {
		const uint32_t states = window->states & WINDOW_TILED;
		if (window->workspace == workspace && window_is_edge_tile(window)) {
			inner |= window_tile_edges(states);
		}
	}
	if (!(inner & EDGES_SIDEWAYS)) {
		workspace->split.x = 0.5;
	}
	if (!(inner & EDGES_UPRIGHT)) {
		workspace->split.y = 0.5;
	}
	if (inner) {
		arrange(workspace);
	}
}

void edge_tiles_split(struct workspace *workspace, const struct edge_split *split)
{
	const struct box area = shell_usable(workspace->shell, workspace->output);
	workspace->split = edge_split_limit(workspace, &area, split);
	if (is_waiting(workspace)) {
		workspace->split_due = true;
	} else {
		arrange(workspace);
	}
}

void edge_tiles_finish(struct workspace *workspace)
{
	if (workspace->split_due) {
		arrange(workspace);
	}
}

void edge_tiles_answered(const struct window *window)
{
	struct workspace *workspace = window->workspace;
	if (workspace->split_due && !is_waiting(workspace)) {
		arrange(workspace);
	}
}
