/* SPDX-License-Identifier: MIT */
/* Interactive move and resize, by pointer or touch. */

#include "internal.h"
#include "seat/seat.h"
#include "util/xalloc.h"
#include "xdg-shell-protocol.h"
#include <math.h>
#include <stdlib.h>

/** Distance from an output's edge at which a dropped window is tiled, logical pixels. */
#define SNAP 4

struct shell_grab {
	struct pointer_grab pointer;
	struct touch_grab touch;
	bool by_touch;
	int32_t touch_id;
	struct shell *shell;
	struct window *window;
	bool resize; /* else move */
	bool moved;
	struct coord_global start, at;
	int from_x, from_y; /* of the window */
};

static void move(struct shell_grab *grab, struct coord_global at)
{
	struct window *window = grab->window;
	struct box box = window_box(window);
	box.x = grab->from_x + (int)lround(at.x - grab->start.x);
	box.y = grab->from_y + (int)lround(at.y - grab->start.y);
	grab->moved = true;
	window_move_to(window, box.x, box.y); /* frees the grab if it tiles the window */
}

/* Tiles or maximises a window that was dropped at an edge or corner of an output. */
static void snap(const struct shell_grab *grab)
{
	struct shell *shell = grab->shell;
	struct window *window = grab->window;
	const struct coord_global at = grab->at;
	const struct scene_output *output = scene_output_nearest(shell->scene, at);
	if (!shell->config->layout.snap || !grab->moved || !output || !window->workspace ||
		window->workspace->layout != CONFIG_LAYOUT_FLOATING) {
		return;
	}
	struct box box = scene_output_box(output);
	uint32_t sideways = at.x < box.x + SNAP                ? WINDOW_TILED_LEFT
			    : at.x >= box.x + box.width - SNAP ? WINDOW_TILED_RIGHT
							       : 0;
	uint32_t upright = at.y < box.y + SNAP                 ? WINDOW_TILED_TOP
			   : at.y >= box.y + box.height - SNAP ? WINDOW_TILED_BOTTOM
							       : 0;
	if (upright == WINDOW_TILED_TOP && !sideways) {
		window_request_maximize(window, true);
	} else if (sideways) {
		window_tile(window,
			sideways | (upright ? upright : WINDOW_TILED_TOP | WINDOW_TILED_BOTTOM));
	} else {
		return;
	}
	window->saved.x = grab->from_x;
	window->saved.y = grab->from_y;
}

/*
 * Requests the next size when the client has drawn the last one, so that the client sets the rate.
 */
static void resize(struct shell_grab *grab, struct coord_global at)
{
	struct window *window = grab->window;
	int32_t width, height;
	resize_size(window, at.x - grab->start.x, at.y - grab->start.y, &width, &height);
	if (width == window->want_width && height == window->want_height) {
		return;
	}
	window->want_width = width;
	window->want_height = height;
	if (!window->answers) {
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
		window->resize_waiting = false;
	}
	if (!window->resize_waiting) {
		window->resize_serial = window_configure(window);
		window->resize_waiting = true;
	}
}

static void drag(struct shell_grab *grab, struct coord_global at)
{
	grab->at = at;
	if (grab->resize) {
		resize(grab, at);
	} else {
		move(grab, at);
	}
}

static void finish(struct shell_grab *grab)
{
	struct shell *shell = grab->shell;
	struct window *window = grab->window;
	shell->grab = NULL;
	if (grab->resize) {
		window->states &= ~(uint32_t)WINDOW_RESIZING;
		window->resize_serial = window_configure(window);
	}
	if (!grab->by_touch) {
		cursor_set_shape(&shell->seat->cursor, "default");
	}
	free(grab);
}

static void handle_motion(struct pointer_grab *pointer, int64_t time)
{
	struct shell_grab *grab = wl_container_of(pointer, grab, pointer);
	drag(grab, grab->shell->seat->pointer.at);
}

static void handle_button(struct pointer_grab *pointer, const struct input_button_event *event)
{
	struct shell_grab *grab = wl_container_of(pointer, grab, pointer);
	if (!event->pressed && grab->shell->seat->pointer.n_buttons == 0) {
		const struct shell_grab ended = *grab;
		pointer_end_grab(grab->shell->seat);
		if (!ended.resize) {
			snap(&ended);
		}
	}
}

static void handle_pointer_end(struct pointer_grab *pointer)
{
	struct shell_grab *grab = wl_container_of(pointer, grab, pointer);
	finish(grab);
}

static const struct pointer_grab_impl pointer_impl = {
	.motion = handle_motion,
	.button = handle_button,
	.end = handle_pointer_end,
};

static void handle_touch_down(
	struct touch_grab *touch, int64_t time, int32_t id, struct coord_global at)
{
}

static void handle_touch_up(struct touch_grab *touch, int64_t time, int32_t id)
{
	struct shell_grab *grab = wl_container_of(touch, grab, touch);
	if (id == grab->touch_id) {
		const struct shell_grab ended = *grab;
		touch_end_grab(grab->shell->seat);
		if (!ended.resize) {
			snap(&ended);
		}
	}
}

static void handle_touch_motion(
	struct touch_grab *touch, int64_t time, int32_t id, struct coord_global at)
{
	struct shell_grab *grab = wl_container_of(touch, grab, touch);
	if (id == grab->touch_id) {
		drag(grab, at);
	}
}

static void handle_touch_end(struct touch_grab *touch)
{
	struct shell_grab *grab = wl_container_of(touch, grab, touch);
	finish(grab);
}

static const struct touch_grab_impl touch_impl = {
	.down = handle_touch_down,
	.up = handle_touch_up,
	.motion = handle_touch_motion,
	.end = handle_touch_end,
};

void grab_cancel(struct shell *shell)
{
	tile_grab_cancel(shell);
	if (!shell->grab) {
		return;
	}
	if (shell->grab->by_touch) {
		touch_end_grab(shell->seat);
	} else {
		pointer_end_grab(shell->seat);
	}
}

void grab_forget(struct window *window)
{
	tile_grab_forget(window);
	if (window->shell->grab && window->shell->grab->window == window) {
		grab_cancel(window->shell);
	}
}

static struct shell_grab *start(struct window *window, struct seat *seat, bool by_touch, int32_t id)
{
	struct shell *shell = window->shell;
	struct seat_touch_point *point = by_touch ? touch_find(seat, id) : NULL;
	if (seat != shell->seat || !window->mapped || (by_touch && !point)) {
		return NULL;
	}
	grab_cancel(shell);
	struct shell_grab *grab = xcalloc(1, sizeof(*grab));
	grab->pointer.impl = &pointer_impl;
	grab->pointer.seat = seat;
	grab->touch.impl = &touch_impl;
	grab->touch.seat = seat;
	grab->by_touch = by_touch;
	grab->touch_id = id;
	grab->shell = shell;
	grab->window = window;
	grab->start = grab->at = by_touch ? point->at : seat->pointer.at;
	return grab;
}

static void take_over(struct shell_grab *grab, const char *cursor)
{
	struct shell *shell = grab->shell;
	shell->grab = grab;
	if (grab->by_touch) {
		touch_cancel(shell->seat); /* ends the touch sequence for clients */
		touch_start_grab(shell->seat, &grab->touch);
		return;
	}
	pointer_start_grab(shell->seat, &grab->pointer);
	pointer_set_focus(shell->seat, NULL, (struct coord_surface){0});
	cursor_set_shape(&shell->seat->cursor, cursor);
}

/* Restores a maximised or tiled window, keeping the pointer at the same fraction of its width. */
static void detach(struct window *window, struct coord_global at)
{
	struct box old = window_box(window);
	window_tile(window, 0);
	if (window->want_width <= 0) {
		return;
	}
	double part = old.width > 0 ? (at.x - old.x) / old.width : 0.5;
	window_move_on_ack(window, (int)lround(at.x - part * window->want_width), old.y);
}

static bool is_in_columns(const struct window *window)
{
	return window->mapped && window->tiled &&
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
	grab->from_x = window->x;
	grab->from_y = window->y;
	if (!window_floating(window)) {
		detach(window, grab->start);
		if (!window->mapped) {
			free(grab);
			return;
		}
		if (window->target.pending) {
			window_set_position(window, window->target.x, window->target.y);
		}
		grab->from_x = window->x;
		grab->from_y = window->y;
	}
	take_over(grab, "grabbing");
}

static bool valid_edges(uint32_t edges)
{
	return edges != 0 && edges <= XDG_TOPLEVEL_RESIZE_EDGE_BOTTOM_RIGHT && (edges & 3) != 3 &&
	       (edges & 12) != 12;
}

void window_request_resize(
	struct window *window, struct seat *seat, uint32_t edges, bool touch, int32_t touch_id)
{
	if (is_in_columns(window) && valid_edges(edges)) {
		tile_grab_start(window, seat, edges, touch, touch_id);
		return;
	}
	if (!window_floating(window) || !valid_edges(edges)) {
		return;
	}
	struct shell_grab *grab = start(window, seat, touch, touch_id);
	if (!grab) {
		return;
	}
	grab->resize = true;
	window->resize_edges = edges;
	window->resize_from = window_box(window);
	window->states |= WINDOW_RESIZING;
	window->want_width = window->geometry.width;
	window->want_height = window->geometry.height;
	window->target.pending = false;
	window->resize_serial = window_configure(window);
	window->resize_waiting = false;
	take_over(grab, resize_cursor(edges));
}
