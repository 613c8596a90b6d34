/* SPDX-License-Identifier: MIT */
/*
 * Maximised states, of which clients set one or both. The shell knows both at once; a window with
 * one of them is a floating one that fills the usable area in that direction.
 */

#include "scale.h"
#include "scene/scene.h"
#include "size.h"
#include "window.h"
#include "xwayland/wm/base/request.h"
#include "xwayland/wm/base/xwm.h"

static bool is_wide(const struct xwin *window)
{
	return window->half.state == X_STATE_MAXIMIZED_HORZ;
}

/* The state ends when the user resizes the window. */
static bool holds(const struct xwin *window)
{
	const int32_t size = is_wide(window) ? window->box.width : window->box.height;
	return window->half.state &&
	       ((window->window->states & WINDOW_FULLSCREEN) || size == window->half.filled);
}

uint32_t xwin_maximized(const struct xwin *window)
{
	return window->window->states & WINDOW_MAXIMIZED ? X_STATE_MAXIMIZED
	       : holds(window)                           ? window->half.state
							 : 0;
}

static bool find_area(const struct xwin *window, struct box *area)
{
	const struct xwm_parts *parts = window->wm->parts;
	const struct scene_output *output = window_output(window->window);
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		if (output && parts->scene->outputs[i] == output) {
			*area = parts->shell->usable[i];
			return true;
		}
	}
	return false;
}

static void restore(struct xwin *window)
{
	const struct xwin_half *half = &window->half;
	int x, y;
	if (holds(window)) {
		window_next_position(window->window, &x, &y);
		xwin_set_client_size(window, is_wide(window) ? half->size : window->box.width,
			is_wide(window) ? window->box.height : half->size);
		window_request_position(window->window, is_wide(window) ? half->position : x,
			is_wide(window) ? y : half->position);
	}
	window->half.state = 0;
}

static void fill(struct xwin *window, uint32_t state)
{
	struct window *to = window->window;
	struct box area;
	int32_t width, height;
	int x, y;
	if ((to->states & (WINDOW_FULLSCREEN | WINDOW_TILED)) || !find_area(window, &area)) {
		return;
	}
	const struct frame_extents frame = window_frame(to);
	window_next_position(to, &x, &y);
	xwin_next_size(window, &width, &height);
	window->half.state = state;
	window->half.position = is_wide(window) ? x : y;
	window->half.size = is_wide(window) ? width : height;
	x = is_wide(window) ? area.x + frame.left : x;
	y = is_wide(window) ? y : area.y + frame.top;
	int32_t full_width = area.width - frame.left - frame.right;
	int32_t full_height = area.height - frame.top - frame.bottom;
	xwin_size_to_window(window, false, x, y, &full_width, &full_height);
	xwin_set_client_size(window, is_wide(window) ? full_width : width,
		is_wide(window) ? height : full_height);
	window->half.filled = is_wide(window) ? window->box.width : window->box.height;
	window_request_position(to, x, y);
}

void xwin_maximize(struct xwin *window, bool set, uint32_t states)
{
	const uint32_t old = xwin_maximized(window);
	const uint32_t now = set ? old | states : old & ~states;
	if (now == old && now != X_STATE_MAXIMIZED) {
		return;
	}
	if (now != X_STATE_MAXIMIZED && old == X_STATE_MAXIMIZED) {
		window_request_maximize(window->window, false);
	} else if (now != old) {
		restore(window);
	}
	if (now == X_STATE_MAXIMIZED) {
		window_request_maximize(window->window, true);
	} else if (now) {
		fill(window, now);
	}
	xwin_mark(window, X_DIRTY_POSITION | X_DIRTY_STATES);
}
