/* SPDX-License-Identifier: MIT */
/* Layout: position and size of maximised, tiled, fullscreen and floating windows. */

#include "shell/geometry/edge_tile.h"
#include "shell/geometry/facts.h"
#include "shell/geometry/placement.h"
#include "shell/geometry/private.h"
#include "shell/geometry/tile.h"
#include "shell/geometry/window_fit.h"
#include "util/xalloc.h"
#include "windows.h"
#include <stdlib.h>

struct box window_floating_box(const struct window *window)
{
	const struct window_private *own = window->private;
	struct box box = window_box(window);
	if (own->target.pending && (own->target.center || own->target.held)) {
		return (struct box){0};
	}
	if (own->target.pending && own->resize_edges) {
		return own->resize_from; /* the box that is drawn is that of an ended state */
	}
	if (own->target.pending) {
		box.x = own->target.x;
		box.y = own->target.y;
	}
	if (own->want_width > 0 && own->want_height > 0 && !own->resize_edges) {
		box.width = own->want_width;
		box.height = own->want_height;
	}
	return box;
}

void window_save_box(struct window *window)
{
	struct window_private *own = window->private;
	const struct box box = window_floating_box(window);
	if (window->mapped && window_floating(window) && !box_empty(&box)) {
		own->saved = box;
		if (window->impl->chosen_size) {
			window->impl->chosen_size(window, &own->saved.width, &own->saved.height);
		}
	}
}

/*
 * Computes the geometry, without the frame, of a window's states. Returns false if the client
 * decides.
 */
static bool wanted_box(const struct window *window, struct box *box)
{
	const struct window_private *own = window->private;
	struct scene_output *output = window_output(window);
	if (!output) {
		return false;
	}
	if (window->states & WINDOW_FULLSCREEN) {
		*box = window_fullscreen_box(window, output);
		return true;
	}
	struct box area = shell_usable(window->shell, output);
	if (window->states & WINDOW_MAXIMIZED) {
		*box = area;
	} else if (own->tiled) {
		*box = tile_inner_box(window, &own->tile, own->tile_border_width);
		return !box_empty(&own->tile);
	} else if (own->predicted && !window->mapped) {
		return window_predict_tile(window, box);
	} else if (window->states & WINDOW_TILED) {
		const struct workspace *workspace =
			window->workspace ? window->workspace : workspace_on(window->shell, output);
		*box = edge_tile_box(workspace, &area, window->states);
	} else {
		*box = window->mapped ? window_fit(window, NULL, &own->saved,
						window_fit_back(window, &own->saved))
				      : own->saved;
		return box->width > 0;
	}
	struct frame_extents frame = window_frame(window);
	box->x += frame.left;
	box->y += frame.top;
	box->width -= frame.left + frame.right;
	box->height -= frame.top + frame.bottom;
	return box->width > 0 && box->height > 0;
}

/* Centres a fullscreen window that is smaller than the output. */
static void center(struct window *window, const struct box *box, int *x, int *y)
{
	*x = box->x;
	*y = box->y;
	if (window->states & WINDOW_FULLSCREEN) {
		if (window->geometry.width < box->width) {
			*x += (box->width - window->geometry.width) / 2;
		}
		if (window->geometry.height < box->height) {
			*y += (box->height - window->geometry.height) / 2;
		}
	}
}

static void centered_box(const struct box *around, int width, int height, int *x, int *y)
{
	*x = around->x + (around->width - width) / 2;
	*y = around->y + (around->height - height) / 2;
}

/* Places a floating window over its parent, or where it covers others least. */
static void place_floating(struct window *window)
{
	struct shell *shell = window->shell;
	struct box area = shell_usable(shell, window_output(window));
	struct frame_extents frame = window_outer_extents(window);
	int width = window->geometry.width + frame.left + frame.right;
	int height = window->geometry.height + frame.top + frame.bottom;
	int x, y;

	if (window->private->placed) {
		const struct box box = window_box(window);
		const struct box at = window_fit(window, NULL, &box, WINDOW_FIT_REACHABLE);
		window_set_position(window, at.x, at.y);
		return;
	}
	if (window->parent && window->parent->mapped) {
		struct box around = window_box(window->parent);
		centered_box(&around, width, height, &x, &y);
		struct box box = {x, y, width, height};
		placement_keep_reachable(&area, &box);
		window_set_position(window, box.x + frame.left, box.y + frame.top);
		return;
	}
	struct box *others = xcalloc((size_t)wl_list_length(&shell->windows) + 1, sizeof(*others));
	int n = 0;
	struct window *other;
	wl_list_for_each (other, &shell->windows, link) {
		bool covers = other->states & (WINDOW_FULLSCREEN | WINDOW_MAXIMIZED);
		if (other != window && other->workspace == window->workspace && !other->minimized &&
			!other->private->tiled && !covers) {
			struct frame_extents outer = window_outer_extents(other);
			others[n++] = (struct box){other->x - outer.left, other->y - outer.top,
				other->geometry.width + outer.left + outer.right,
				other->geometry.height + outer.top + outer.bottom};
		}
	}
	placement_find(&area, width, height, others, n, &x, &y);
	free(others);
	window_set_position(window, x + frame.left, y + frame.top);
}

void window_place(struct window *window)
{
	struct box box;
	if (!window_floating(window) && wanted_box(window, &box)) {
		int x, y;
		center(window, &box, &x, &y);
		window_set_position(window, x, y);
	} else {
		place_floating(window);
	}
	signal_emit(&window->shell->events.frame, window);
}

void window_arrange(struct window *window)
{
	struct window_private *own = window->private;
	struct box box = {0};
	bool known = wanted_box(window, &box);
	own->want_width = known ? box.width : 0;
	own->want_height = known ? box.height : 0;
	window_configure(window);
	if (window->mapped) {
		int x, y;
		if (known) {
			center(window, &box, &x, &y);
		}
		window_move_on_ack(window, known ? x : window->x, known ? y : window->y);
		own->target.center = !known || (window->states & WINDOW_FULLSCREEN);
		if (box_equal(&box, &(struct box){window->x, window->y, window->geometry.width,
					    window->geometry.height})) {
			own->target.pending = false;
			window_update_backdrop(window);
		}
		window_restack(window);
	}
	if (!(window->states & WINDOW_FULLSCREEN)) {
		window_update_backdrop(window);
	}
	signal_emit(&window->shell->events.frame, window);
}

void layout_update(struct window *window)
{
	const struct window_private *own = window->private;
	const bool moves = own->target.pending;
	const struct box to = {moves ? own->target.x : window->x, moves ? own->target.y : window->y,
		own->want_width, own->want_height};
	struct box box;
	if (own->configure_serial && wanted_box(window, &box) && !box_equal(&box, &to)) {
		window_arrange(window);
	}
}

void layout_update_fixed(struct window *window)
{
	const struct window_private *own = window->private;
	const bool covers = window->states & (WINDOW_FULLSCREEN | WINDOW_MAXIMIZED);
	if (own->configure_serial && !window_floating(window) && (!own->tiled || covers)) {
		layout_update(window);
		window_update_backdrop(window);
	}
}

void layout_arrange(struct shell *shell)
{
	struct window_private *each;
	wl_list_for_each (each, &shell->private->all_windows, created_link) {
		layout_update_fixed(each->window);
	}
}
