/* SPDX-License-Identifier: MIT */
/* States of windows: maximised, fullscreen, tiled, minimised, sticky and decorated. */

#include "shell/geometry/facts.h"
#include "shell/geometry/private.h"
#include "shell/shell.h"
#include "tiling.h"
#include "windows.h"
#include "workspaces.h"
#include <string.h>

/*
 * Sets and clears layout states. Sends a configure even if unchanged, in response to the client's
 * request.
 */
static void change_states(struct window *window, uint32_t set, uint32_t clear)
{
	window_save_box(window);
	uint32_t states = (window->states & ~clear) | set;
	states |= window->private->tiled ? (uint32_t)WINDOW_TILED : 0;
	bool changed = states != window->states;
	const bool resplit = window->workspace && ((states ^ window->states) & WINDOW_TILED);
	window->states = states;
	if (changed) {
		signal_emit(&window->shell->events.interrupt, window);
		window->private->resize_edges = 0;
	}
	if (window->private->configure_serial) {
		window_arrange(window);
	}
	if (resplit) {
		edge_tiles_update(window->workspace);
	}
	window_update_visibility(window);
	tile_border_update(window);
	if (changed) {
		signal_emit(&window->events.states, window);
	}
}

void window_request_maximize(struct window *window, bool maximize)
{
	change_states(window, maximize ? WINDOW_MAXIMIZED : 0,
		maximize ? WINDOW_TILED : WINDOW_MAXIMIZED | WINDOW_TILED);
}

/* Returns the output whose workspace has the window while it is fullscreen. */
static struct scene_output *fullscreen_home(const struct window *window)
{
	struct scene_output *output = window_output(window);
	if (!window->private->span[0] || !output) {
		return output;
	}
	const struct box span = window_fullscreen_box(window, output);
	struct box own = scene_output_box(output);
	return box_intersect(&own, &own, &span) ? output : window->private->span[0];
}

/*
 * Returns the output to cover: NULL for that of the workspace on which the window will open, which
 * is not known yet.
 */
static struct scene_output *fullscreen_output(
	const struct window *window, struct scene_output *requested)
{
	const struct window_private *own = window->private;
	return requested                        ? requested
	       : window->mapped || own->span[0] ? fullscreen_home(window)
						: own->fullscreen_output;
}

void window_clear_span(struct window *window)
{
	if (window->private->span[0]) {
		memset(window->private->span, 0, sizeof(window->private->span));
		signal_emit(&window->events.states, window);
	}
}

bool window_set_span(struct window *window, struct scene_output *const span[WINDOW_SPAN])
{
	const struct box top = scene_output_box(span[0]), bottom = scene_output_box(span[1]);
	const struct box left = scene_output_box(span[2]), right = scene_output_box(span[3]);
	if (bottom.y + bottom.height <= top.y || right.x + right.width <= left.x) {
		return false;
	}
	memcpy(window->private->span, span, sizeof(window->private->span));
	if (window->states & WINDOW_FULLSCREEN) {
		window_request_fullscreen(window, true, NULL);
	}
	return true;
}

void window_request_fullscreen(struct window *window, bool fullscreen, struct scene_output *output)
{
	if (fullscreen && output) {
		window_clear_span(window);
	}
	if (fullscreen) {
		window->private->fullscreen_output = fullscreen_output(window, output);
		struct workspace *shown =
			workspace_on(window->shell, window->private->fullscreen_output);
		if (window->mapped && window->workspace->shown && shown) {
			window_set_workspace(window, shown);
		}
	}
	const struct window *cover = stack_cover(window);
	const bool hidden = cover && !(cover->states & WINDOW_FULLSCREEN);
	change_states(
		window, fullscreen ? WINDOW_FULLSCREEN : 0, fullscreen ? 0 : WINDOW_FULLSCREEN);
	if (fullscreen && hidden && window_shown(window)) {
		focus_new_window(window, false); /* comes to the front of a maximised tile */
	}
	if (!fullscreen) {
		window->private->fullscreen_output = NULL;
	}
}

void window_tile(struct window *window, uint32_t edges)
{
	if (window->private->tiled) {
		window_set_floats(window, true);
	}
	change_states(window, edges, (WINDOW_TILED & ~edges) | WINDOW_MAXIMIZED);
}

void window_set_minimized(struct window *window, bool minimized)
{
	if (window->minimized == minimized) {
		return;
	}
	window->minimized = minimized;
	if (!window->mapped) {
		return;
	}
	if (minimized) {
		window->impl->dismiss_popups(window);
	}
	if (!minimized) {
		tiling_update(window); /* first: a tiled window shows once it has its tile */
	}
	window_update_visibility(window);
	signal_emit(&window->shell->events.minimized, window);
	if (minimized) {
		focus_lost(window);
	}
	tiling_update(window);
	window_update(window);
	signal_emit(&window->events.states, window);
}

void window_request_minimize(struct window *window)
{
	window_set_minimized(window, true);
}

void window_set_sticky(struct window *window, bool sticky)
{
	if (window->sticky != sticky) {
		window->sticky = sticky;
		tiling_update(window);
		signal_emit(&window->events.states, window);
	}
}

void window_set_decorated(struct window *window, bool decorated)
{
	struct window_private *own = window->private;
	if (own->decoration_rule) {
		decorated = own->decoration_rule == INPUT_ON;
	}
	if (decorated == own->decorated) {
		return;
	}
	own->decorated = decorated;
	signal_emit(&window->shell->events.frame, window);
	if (window->mapped && !window_floating(window)) {
		window_arrange(window);
	}
}
