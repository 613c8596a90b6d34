/* SPDX-License-Identifier: MIT */
/* Hints of clients about their windows, and facts about windows for the protocols. */

#include "shell/geometry/edge_tile.h"
#include "shell/geometry/private.h"
#include "shell/stack.h"
#include "windows.h"

void window_set_limits(struct window *window, const struct window_limits *limits)
{
	struct window_private *own = window->private;
	const bool changed = limits->min_width != own->limits.min_width ||
			     limits->min_height != own->limits.min_height;
	own->limits = *limits;
	if (changed && window_is_edge_tile(window)) {
		edge_tiles_update(window->workspace);
	}
}

void window_set_implied_geometry(struct window *window, bool implied)
{
	window->private->implied_geometry = implied;
}

void window_set_requested(struct window *window, int64_t when)
{
	window->private->requested = when;
}

void window_set_type(struct window *window, enum window_type type)
{
	window->private->wants_floating = type != WINDOW_TYPE_ORDINARY;
	window->private->dock = type == WINDOW_TYPE_DOCK;
}

bool window_is_absent(const struct window *window)
{
	return window->private->cover != NULL;
}

bool window_takes_focus(const struct window *window)
{
	return !window->private->no_focus;
}

bool window_is_modal(const struct window *window)
{
	return window->private->modal;
}

bool window_is_on_bottom(const struct window *window)
{
	return window->private->on_bottom;
}

bool window_is_resizing(const struct window *window)
{
	return window->private->resize_edges != 0;
}

bool window_has_span(const struct window *window)
{
	return window->private->span[0] != NULL;
}

bool window_in_scratchpad(const struct window *window)
{
	return window->private->scratchpad;
}

bool window_inhibits_idle(const struct window *window)
{
	return window->private->inhibits_idle;
}

void window_next_position(const struct window *window, int *x, int *y)
{
	const struct window_private *own = window->private;
	const bool moves = own->target.pending && !own->target.center && !own->target.held;
	*x = moves ? own->target.x : window->x;
	*y = moves ? own->target.y : window->y;
}
