/* SPDX-License-Identifier: MIT */
/* Drags of the edge that edge tiles share, by pointer or touch. */

#include "input.h"
#include "press_grab.h"
#include "shell/geometry/edge_tile.h"
#include "shell/geometry/facts.h"
#include "shell/geometry/placement.h"
#include "shell/geometry/private.h"
#include "shell/windows/windows.h"
#include "util/xalloc.h"
#include <stdlib.h>

struct split_grab {
	struct press_grab press;
	struct window *window;
	uint32_t edges; /* of enum xdg_toplevel_resize_edge */
	struct workspace *workspace; /* of the window */
	struct coord_global start;
	struct edge_split from, saved; /* the split at the start: as drawn, and as requested */
	struct wl_listener interrupt;
};

/* Returns false if the window has left its place since the drag began. */
static bool is_current(const struct split_grab *grab)
{
	const struct window *window = grab->window;
	return window->workspace == grab->workspace &&
	       (window_inner_edges(window) & grab->edges) == grab->edges;
}

static void handle_motion(struct press_grab *press)
{
	struct split_grab *grab = wl_container_of(press, grab, press);
	if (!is_current(grab)) {
		press_grab_end(press);
		return;
	}
	const struct box area = shell_usable(grab->window->shell, grab->workspace->output);
	struct edge_split split = grab->workspace->split;
	if ((grab->edges & EDGES_SIDEWAYS) && area.width > 0) {
		split.x = grab->from.x + (press->at.x - grab->start.x) / area.width;
	}
	if ((grab->edges & EDGES_UPRIGHT) && area.height > 0) {
		split.y = grab->from.y + (press->at.y - grab->start.y) / area.height;
	}
	edge_tiles_split(grab->workspace, &split);
}

static void handle_release(struct press_grab *press)
{
	press_grab_end(press);
}

static void handle_end(struct press_grab *press)
{
	struct split_grab *grab = wl_container_of(press, grab, press);
	wl_list_remove(&grab->interrupt.link);
	if (is_current(grab)) {
		edge_tiles_finish(grab->workspace);
	}
	free(grab);
}

static void handle_cancel(struct press_grab *press)
{
	const struct split_grab *grab = wl_container_of(press, grab, press);
	if (is_current(grab)) {
		edge_tiles_split(grab->workspace, &grab->saved);
	}
	press_grab_end(press);
}

static const struct press_grab_impl impl = {
	.motion = handle_motion,
	.release = handle_release,
	.cancel = handle_cancel,
	.end = handle_end,
};

static void handle_interrupt(struct wl_listener *listener, void *data)
{
	struct split_grab *grab = wl_container_of(listener, grab, interrupt);
	if (!data || data == grab->window) {
		press_grab_end(&grab->press);
	}
}

void split_grab_start(
	struct window *window, struct seat *seat, uint32_t edges, bool touch, int32_t touch_id)
{
	struct shell *shell = window->shell;
	struct press_grab press;
	edges &= window_inner_edges(window);
	if (!edges || seat != shell->seat ||
		!press_grab_init(&press, &impl, seat, touch, touch_id)) {
		return;
	}
	signal_emit(&shell->events.interrupt, NULL);
	struct split_grab *grab = xcalloc(1, sizeof(*grab));
	const struct box area = shell_usable(shell, window->workspace->output);
	grab->press = press;
	grab->window = window;
	grab->edges = edges;
	grab->workspace = window->workspace;
	grab->start = press.at;
	grab->saved = window->workspace->split;
	grab->from = edge_split_limit(window->workspace, &area, &grab->saved);
	signal_add(&shell->events.interrupt, &grab->interrupt, handle_interrupt);
	press_grab_start(&grab->press, resize_cursor(edges));
}
