/* SPDX-License-Identifier: MIT */
/* Interactive move and resize, by pointer or touch. */

#include "input.h"
#include "press_grab.h"
#include "shell/geometry/edge_tile.h"
#include "shell/geometry/facts.h"
#include "shell/geometry/placement.h"
#include "shell/geometry/private.h"
#include "shell/geometry/window_fit.h"
#include "shell/look/look.h"
#include "shell/windows/windows.h"
#include "shell/windows/workspaces.h"
#include "util/xalloc.h"
#include "xdg-shell-protocol.h"
#include <math.h>
#include <stdlib.h>

/** Distance from an output's edge at which a dropped window is tiled, logical pixels. */
#define SNAP 4

struct shell_grab {
	struct press_grab press;
	struct shell *shell;
	struct window *window;
	bool resize; /* else move */
	bool moved;
	struct coord_global start,
		last; /* of the pointer or finger: when it began, and moved last */
	struct box from; /* the floating window's, when it began */
	uint32_t states; /* the window's before that: maximised or tiled; 0: it floated */
	struct box placed, saved; /* the window's before that */
	struct scene_rect *hint; /* NULL: not yet shown */
	struct wl_listener interrupt;
};

/* Returns the output of a drop, if windows dropped at its edges are tiled. */
static struct scene_output *find_snap_output(const struct window *window, struct coord_global at)
{
	struct shell *shell = window->shell;
	struct scene_output *output = scene_output_nearest(shell->scene, at);
	const struct workspace *workspace = output ? workspace_on(shell, output) : NULL;
	const bool snaps = shell->config->layout.snap && workspace &&
			   workspace->layout == CONFIG_LAYOUT_FLOATING;
	return snaps ? output : NULL;
}

/*
 * Returns the states of a window dropped at an edge or corner of an output (may be NULL); 0: it
 * floats.
 */
static uint32_t find_snap(const struct scene_output *output, struct coord_global at)
{
	if (!output) {
		return 0;
	}
	const struct box box = scene_output_box(output);
	const uint32_t sideways = at.x < box.x + SNAP                ? WINDOW_TILED_LEFT
				  : at.x >= box.x + box.width - SNAP ? WINDOW_TILED_RIGHT
								     : 0;
	const uint32_t upright = at.y < box.y + SNAP                 ? WINDOW_TILED_TOP
				 : at.y >= box.y + box.height - SNAP ? WINDOW_TILED_BOTTOM
								     : 0;
	if (!sideways) {
		return upright == WINDOW_TILED_TOP ? WINDOW_MAXIMIZED : 0;
	}
	return sideways | (upright ? upright : WINDOW_TILED_TOP | WINDOW_TILED_BOTTOM);
}

/* Shows the place of the window if it were dropped now. */
static void show_hint(struct shell_grab *grab)
{
	struct scene_output *output = find_snap_output(grab->window, grab->press.at);
	const uint32_t states = find_snap(output, grab->press.at);
	if (!states && !grab->hint) {
		return;
	}
	const struct box area = shell_usable(grab->shell, output);
	const struct box box =
		states ? edge_tile_box(workspace_on(grab->shell, output), &area, states)
		       : (struct box){0};
	drop_hint_show(grab->shell, &grab->hint, &box);
}

static bool snap(struct window *window, struct coord_global at)
{
	struct scene_output *output = find_snap_output(window, at);
	const uint32_t states = find_snap(output, at);
	if (states) {
		window_join_output(window, output);
	}
	if (states == WINDOW_MAXIMIZED) {
		window_request_maximize(window, true);
	} else if (states != 0) {
		window_tile(window, states);
	}
	return states != 0;
}

/* Returns whether the client is yet to choose the size of the window that is dragged. */
static bool is_held(const struct window *window)
{
	return window->private->target.pending && window->private->target.held;
}

static void drop(const struct shell_grab *grab)
{
	struct window *window = grab->window;
	struct window_private *own = window->private;
	if (!grab->moved) {
		return;
	}
	if (snap(window, grab->press.at)) {
		/* Restored, it returns to where the drag began, or near there on another output. */
		struct box box = own->saved;
		box.x = grab->from.x;
		box.y = grab->from.y;
		own->saved = window_fit(window, window_output(window), &box, WINDOW_FIT_RETURNED);
	} else if (!is_held(window)) {
		window_request_position(window, window->x, window->y); /* within reach */
	}
}

static void move(struct shell_grab *grab, struct coord_global at)
{
	struct window *window = grab->window;
	const int dx = (int)lround(at.x) - (int)lround(grab->last.x);
	const int dy = (int)lround(at.y) - (int)lround(grab->last.y);
	grab->moved = true;
	grab->last = at;
	show_hint(grab);
	if (is_held(window)) {
		window->private->target.x += dx;
		window->private->target.y += dy;
	} else {
		window_move_to(window, window->x + dx, window->y + dy); /* may free the grab */
	}
}

/*
 * Requests the next size when the client has drawn the last one, so that the client sets the rate.
 */
static void resize(struct shell_grab *grab, struct coord_global at)
{
	struct window *window = grab->window;
	int32_t width, height;
	if (box_empty(&window->private->resize_from)) {
		return; /* until the client has chosen a size */
	}
	resize_size(window, at.x - grab->start.x, at.y - grab->start.y, &width, &height);
	if (width == window->private->want_width && height == window->private->want_height) {
		return;
	}
	window->private->want_width = width;
	window->private->want_height = height;
	if (!window->private->answers) {
		/*
		 * This client acknowledges no configure, so that its size and position cannot
		 * change together: move the window immediately.
		 */
		struct box box = window->geometry;
		window->geometry.width = width;
		window->geometry.height = height;
		int x, y;
		resize_anchor(window, &x, &y);
		window->geometry = box;
		window_set_position(window, x, y);
		window->private->resize_waiting = false;
	}
	if (!window->private->resize_waiting) {
		window->private->resize_serial = window_configure(window);
		window->private->resize_waiting = true;
	}
}

static void handle_motion(struct press_grab *press)
{
	struct shell_grab *grab = wl_container_of(press, grab, press);
	if (grab->resize) {
		resize(grab, press->at);
	} else {
		move(grab, press->at);
	}
}

static void handle_release(struct press_grab *press)
{
	const struct shell_grab *grab = wl_container_of(press, grab, press);
	const struct shell_grab ended = *grab;
	press_grab_end(press);
	if (!ended.resize) {
		drop(&ended);
	}
}

static void handle_end(struct press_grab *press)
{
	struct shell_grab *grab = wl_container_of(press, grab, press);
	struct window *window = grab->window;
	grab->shell->private->grab = NULL;
	wl_list_remove(&grab->interrupt.link);
	drop_hint_destroy(grab->hint);
	if (grab->resize) {
		window->states &= ~(uint32_t)WINDOW_RESIZING;
		window->private->resize_serial = window_configure(window);
	}
	free(grab);
}

/* Restores place, size and states of the window. */
static void handle_cancel(struct press_grab *press)
{
	const struct shell_grab *grab = wl_container_of(press, grab, press);
	const struct shell_grab ended = *grab;
	struct window *window = ended.window;
	struct window_private *own = window->private;
	if (ended.resize) {
		own->want_width = own->resize_from.width;
		own->want_height = own->resize_from.height;
	}
	press_grab_end(press);
	if (ended.resize) {
		return;
	}
	window_move_to(window, ended.placed.x, ended.placed.y);
	if (ended.states & WINDOW_MAXIMIZED) {
		window_request_maximize(window, true);
	} else if (ended.states) {
		window_tile(window, ended.states);
	}
	if (ended.states) {
		own->saved = ended.saved;
	}
}

static const struct press_grab_impl impl = {
	.motion = handle_motion,
	.release = handle_release,
	.cancel = handle_cancel,
	.end = handle_end,
};

bool shell_has_grab(const struct shell *shell)
{
	return shell->private->grab;
}

static void handle_interrupt(struct wl_listener *listener, void *data)
{
	struct shell_grab *grab = wl_container_of(listener, grab, interrupt);
	if (!data || data == grab->window) {
		press_grab_end(&grab->press);
	}
}

static struct shell_grab *start(struct window *window, struct seat *seat, bool by_touch, int32_t id)
{
	struct shell *shell = window->shell;
	struct press_grab press;
	if (seat != shell->seat || !window->mapped ||
		!press_grab_init(&press, &impl, seat, by_touch, id)) {
		return NULL;
	}
	signal_emit(&shell->events.interrupt, NULL);
	struct shell_grab *grab = xcalloc(1, sizeof(*grab));
	grab->press = press;
	grab->shell = shell;
	grab->window = window;
	grab->start = grab->last = press.at;
	return grab;
}

static void run(struct shell_grab *grab, const char *cursor)
{
	grab->shell->private->grab = grab;
	signal_add(&grab->shell->events.interrupt, &grab->interrupt, handle_interrupt);
	press_grab_start(&grab->press, cursor);
}

/* Has a window float under the pointer that is maximised or tiled, or still drawn so. */
static void detach(struct window *window, struct coord_global at)
{
	const struct window_private *own = window->private;
	const struct box old = window_box(window);
	if (!window_floating(window)) {
		window_tile(window, 0);
	}
	if (!window->mapped || !own->target.pending) {
		return;
	}
	if (own->want_width <= 0 || own->want_height <= 0) {
		window_hold(window, &old, at);
		return;
	}
	struct box box = {.width = own->want_width, .height = own->want_height};
	placement_hold(&old, at, &box);
	window_set_position(window, box.x, box.y);
}

static bool is_in_columns(const struct window *window)
{
	return window->mapped && window->private->tiled &&
	       !(window->states & (WINDOW_FULLSCREEN | WINDOW_MAXIMIZED));
}

void window_request_move(struct window *window, struct seat *seat, bool touch, int32_t touch_id)
{
	if (window->states & WINDOW_FULLSCREEN) {
		return;
	}
	if (is_in_columns(window)) {
		tile_grab_start(window, seat, 0, touch, touch_id);
		return;
	}
	struct shell_grab *grab = start(window, seat, touch, touch_id);
	if (!grab) {
		return;
	}
	grab->states = window->states & (WINDOW_MAXIMIZED | WINDOW_TILED);
	grab->placed = window_box(window);
	grab->saved = window->private->saved;
	detach(window, grab->start);
	if (!window->mapped) {
		free(grab);
		return;
	}
	grab->from = window_box(window);
	run(grab, "grabbing");
}

static bool valid_edges(uint32_t edges)
{
	return edges != 0 && edges <= XDG_TOPLEVEL_RESIZE_EDGE_BOTTOM_RIGHT && (edges & 3) != 3 &&
	       (edges & 12) != 12;
}

void window_request_resize(
	struct window *window, struct seat *seat, uint32_t edges, bool touch, int32_t touch_id)
{
	struct window_private *own = window->private;
	if (is_in_columns(window) && valid_edges(edges)) {
		tile_grab_start(window, seat, edges, touch, touch_id);
		return;
	}
	if (!valid_edges(edges)) {
		return;
	}
	if (!window_floating(window)) {
		split_grab_start(window, seat, edges, touch, touch_id);
		return;
	}
	struct shell_grab *grab = start(window, seat, touch, touch_id);
	if (!grab) {
		return;
	}
	home_forget(window);
	grab->resize = true;
	/* The client may have yet to draw the floating size, or to choose it. */
	own->resize_from = own->target.pending ? window_floating_box(window) : window_box(window);
	own->resize_edges = edges;
	window->states |= WINDOW_RESIZING;
	own->want_width = own->resize_from.width;
	own->want_height = own->resize_from.height;
	own->resize_serial = window_configure(window);
	own->resize_waiting = false;
	run(grab, resize_cursor(edges));
}

void window_drag_drop(struct window *window)
{
	const struct coord_global at = window->private->drag.at;
	tile_drop(window, at);
	if (window->mapped && window_floating(window)) {
		snap(window, at);
	}
}
