/* SPDX-License-Identifier: MIT */
/* Windows: configures, position and visibility. */

#include "shell/geometry/facts.h"
#include "shell/geometry/private.h"
#include "shell/shell.h"
#include "tiling.h"
#include "windows.h"
#include <math.h>

uint32_t window_configure(struct window *window)
{
	struct scene_output *output = window_output(window);
	struct box room = shell_usable(window->shell, output);
	struct frame_extents frame = window_frame(window);
	window->private->sent = (struct window_configure){
		.width = window->private->want_width,
		.height = window->private->want_height,
		.bounds_width = room.width - frame.left - frame.right,
		.bounds_height = room.height - frame.top - frame.bottom,
		.states = window->states,
	};
	if (window->private->sent.bounds_width <= 0 || window->private->sent.bounds_height <= 0) {
		window->private->sent.bounds_width = window->private->sent.bounds_height = 0;
	}
	window->private->configure_serial = window->impl->configure(window, &window->private->sent);
	return window->private->configure_serial;
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
	struct window_private *own = window->private;
	update_states(window);
	signal_emit(&window->shell->events.frame, window);
	tile_border_update(window);
	if (own->configure_serial &&
		(own->sent.states != window->states || own->sent.width != own->want_width ||
			own->sent.height != own->want_height)) {
		window_configure(window);
	}
}

void window_update_backdrop(struct window *window)
{
	struct window_private *own = window->private;
	static const float black[4] = {0, 0, 0, 1};
	if (!(window->states & WINDOW_FULLSCREEN)) {
		if (own->backdrop) {
			scene_node_destroy(&own->backdrop->node);
			own->backdrop = NULL;
		}
		return;
	}
	struct scene_output *output = window_output(window);
	if (!own->backdrop && !window->mapped) {
		return;
	}
	if (!own->backdrop) {
		own->backdrop = scene_rect_create(window->tree, 1, 1, black);
		own->backdrop->node.data = window; /* clicks do not fall through it */
		scene_node_lower_to_bottom(&own->backdrop->node);
	}
	if (output) {
		struct box box = window_fullscreen_box(window, output);
		scene_rect_set_size(own->backdrop, box.width, box.height);
		scene_node_set_position(&own->backdrop->node, box.x - window->x, box.y - window->y);
	}
}

void window_set_position(struct window *window, int x, int y)
{
	window->x = coord_clamp(x);
	window->y = coord_clamp(y);
	window->private->target.pending = false;
	scene_node_set_position(&window->tree->node, window->x, window->y);
	window_update_backdrop(window);
	if (window->impl->moved) {
		window->impl->moved(window);
	}
}

void window_move_on_ack(struct window *window, int x, int y)
{
	struct window_private *own = window->private;
	own->target = (struct window_target){
		.pending = true, .x = x, .y = y, .serial = own->configure_serial};
}

void window_hold(struct window *window, const struct box *from, struct coord_global grip)
{
	struct window_private *own = window->private;
	window_move_on_ack(window, (int)lround(grip.x), (int)lround(grip.y));
	own->target.held = true;
	own->target.from = *from;
	own->target.grip = grip;
}

void window_update_visibility(struct window *window)
{
	bool covers = window->states & (WINDOW_FULLSCREEN | WINDOW_MAXIMIZED);
	bool shown = !window->private->tiled || covers || window->private->tile_shown ||
		     window->private->leaves;
	scene_node_set_enabled(&window->tree->node, window->mapped && !window->minimized && shown);
}
