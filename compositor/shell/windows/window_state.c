/* SPDX-License-Identifier: MIT */
/* Windows: configures, position and visibility. */

#include "shell/geometry/facts.h"
#include "shell/shell.h"
#include "tiling.h"
#include "util/signal.h"
#include "windows.h"

uint32_t window_configure(struct window *window)
{
	struct scene_output *output = window_output(window);
	struct box room = shell_usable(window->shell, output);
	struct frame_extents frame = window_frame(window);
	window->sent = (struct window_configure){
		.width = window->want_width,
		.height = window->want_height,
		.bounds_width = room.width - frame.left - frame.right,
		.bounds_height = room.height - frame.top - frame.bottom,
		.states = window->states,
	};
	if (window->sent.bounds_width <= 0 || window->sent.bounds_height <= 0) {
		window->sent.bounds_width = window->sent.bounds_height = 0;
	}
	window->configure_serial = window->impl->configure(window, &window->sent);
	return window->configure_serial;
}

static void update_states(struct window *window)
{
	uint32_t states = window->states & ~(uint32_t)(WINDOW_ACTIVATED | WINDOW_SUSPENDED);
	if (window->mapped && window->shell->focus == window) {
		states |= WINDOW_ACTIVATED;
	}
	if (window->mapped && !window_shown(window)) {
		states |= WINDOW_SUSPENDED;
	}
	if (states != window->states) {
		window->states = states;
		signal_emit(&window->events.states, window);
	}
}

void window_update(struct window *window)
{
	update_states(window);
	signal_emit(&window->shell->events.frame, window);
	tile_border_update(window);
	if (window->configure_serial && (window->sent.states != window->states ||
						window->sent.width != window->want_width ||
						window->sent.height != window->want_height)) {
		window_configure(window);
	}
}

void window_update_backdrop(struct window *window)
{
	static const float black[4] = {0, 0, 0, 1};
	if (!(window->states & WINDOW_FULLSCREEN)) {
		if (window->backdrop) {
			scene_node_destroy(&window->backdrop->node);
			window->backdrop = NULL;
		}
		return;
	}
	struct scene_output *output = window_output(window);
	if (!window->backdrop && !window->mapped) {
		return;
	}
	if (!window->backdrop) {
		window->backdrop = scene_rect_create(window->tree, 1, 1, black);
		window->backdrop->node.data = window; /* clicks do not fall through it */
		scene_node_lower_to_bottom(&window->backdrop->node);
	}
	if (output) {
		struct box box = window_fullscreen_box(window, output);
		scene_rect_set_size(window->backdrop, box.width, box.height);
		scene_node_set_position(
			&window->backdrop->node, box.x - window->x, box.y - window->y);
	}
}

void window_set_position(struct window *window, int x, int y)
{
	window->x = coord_clamp(x);
	window->y = coord_clamp(y);
	window->target.pending = false;
	scene_node_set_position(&window->tree->node, window->x, window->y);
	window_update_backdrop(window);
	if (window->impl->moved) {
		window->impl->moved(window);
	}
}

void window_move_on_ack(struct window *window, int x, int y)
{
	window->target.pending = true;
	window->target.center = false;
	window->target.x = x;
	window->target.y = y;
	window->target.serial = window->configure_serial;
}

void window_update_visibility(struct window *window)
{
	bool covers = window->states & (WINDOW_FULLSCREEN | WINDOW_MAXIMIZED);
	bool shown = !window->tiled || covers || window->tile_shown || window->leaves;
	scene_node_set_enabled(&window->tree->node, window->mapped && !window->minimized && shown);
}
