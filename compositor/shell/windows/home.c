/* SPDX-License-Identifier: MIT */
/*
 * Homes of floating windows: the place and size that the user or the client chose. While outputs or
 * panels leave no room for that, the window is moved into the usable area of its output, and shrunk
 * if it is larger; with the room, the place and the size return.
 */

#include "motion.h"
#include "shell/geometry/facts.h"
#include "shell/geometry/private.h"
#include "shell/geometry/screen_key.h"
#include "shell/geometry/window_fit.h"
#include "util/xalloc.h"
#include "windows.h"
#include "workspaces.h"
#include <stdlib.h>
#include <string.h>

/* Least height of title bars, of clients too, in logical pixels. */
#define TITLE_LEAST 20

/*
 * Returns the box of the floating window: now, after its client has answered, or as it will be
 * restored; an empty one if the client will choose it.
 */
static struct box floating_box(const struct window *window)
{
	return window_floating(window) ? window_floating_box(window) : window->private->saved;
}

/* Returns the index of the output that was nearest to the box before the layout changed, or -1. */
static int find_nearest(const struct shell *shell, const struct box *box)
{
	const double at_x = box->x + box->width / 2.0, at_y = box->y + box->height / 2.0;
	int nearest = -1;
	double least = 0;
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		double x, y;
		if (box_empty(&shell->private->output_boxes[i])) {
			continue;
		}
		box_closest_point(&shell->private->output_boxes[i], at_x, at_y, &x, &y);
		const double distance = (x - at_x) * (x - at_x) + (y - at_y) * (y - at_y);
		if (nearest < 0 || distance < least) {
			nearest = i;
			least = distance;
		}
	}
	return nearest;
}

static void set_output(struct window *window, const struct scene_output *output)
{
	free(window->private->home.output);
	window->private->home.output = screen_key(output->output);
}

static void record(struct window *window, const struct box *at, const struct scene_output *output,
	const struct box *from)
{
	struct window_private *own = window->private;
	set_output(window, output);
	own->home.x = at->x - from->x;
	own->home.y = at->y - from->y;
	own->home.output_width = from->width;
	own->home.output_height = from->height;
	own->home.width = own->home.height = 0;
	own->home.left = false;
}

void home_keep(struct window *window)
{
	const struct shell *shell = window->shell;
	const struct box at = floating_box(window);
	if (!window->mapped || window->private->home.output || box_empty(&at)) {
		return;
	}
	const struct scene_output *output = window->workspace->output;
	int index = output ? output->index : -1;
	/* A fullscreen window may be restored on another output than it covers. */
	if (window->private->fullscreen_output || index < 0 ||
		box_empty(&shell->private->output_boxes[index])) {
		index = find_nearest(shell, &at);
	}
	if (index >= 0 && window->private->fullscreen_output) {
		output = shell->scene->outputs[index];
	}
	if (index >= 0 && output) {
		record(window, &at, output, &shell->private->output_boxes[index]);
	}
}

void home_forget(struct window *window)
{
	free(window->private->home.output);
	window->private->home.output = NULL;
}

/* Returns the output on which the window floats or will be restored. */
static const struct scene_output *find_output(const struct window *window)
{
	const char *key = window->private->home.output;
	const struct scene_output *home = window->workspace->output;
	enum screen_fit best = SCREEN_OTHER;
	for (int i = 0; key && (window->states & WINDOW_FULLSCREEN) && i < SCENE_OUTPUTS_MAX; i++) {
		const struct scene_output *output = window->shell->scene->outputs[i];
		const enum screen_fit fit =
			output ? screen_key_fit(key, output->output) : SCREEN_OTHER;
		if (fit > best) {
			home = output;
			best = fit;
		}
	}
	return home;
}

static void take_box(
	struct window *window, const struct box *box, const struct scene_output *output)
{
	struct window_private *own = window->private;
	if (!window_floating(window)) {
		own->saved = *box;
		return;
	}
	if (own->resize_edges) {
		signal_emit(&window->shell->events.interrupt,
			window); /* its edges are of the old place */
		own->resize_edges = 0;
		own->resize_waiting = false;
	}
	const struct box now = floating_box(window);
	if (box->width != now.width || box->height != now.height) {
		own->want_width = box->width;
		own->want_height = box->height;
	}
	/* Until the client draws its size, it is to be reachable, too. */
	const struct box drawn = {box->x, box->y, window->geometry.width, window->geometry.height};
	const struct box at = window_fit(window, output, &drawn, WINDOW_FIT_REACHABLE);
	window_set_position(window, at.x, at.y);
	window_update(window);
}

/* Moves a box to the home, if there is one. Returns how it is to be fitted to the output. */
static enum window_fit go_home(
	const struct window *window, const struct scene_output *output, struct box *box)
{
	const struct window_private *own = window->private;
	const struct box on = scene_output_box(output);
	if (!own->home.output) {
		return WINDOW_FIT_SHOWN;
	}
	box->x = coord_sum(on.x, own->home.x);
	box->y = coord_sum(on.y, own->home.y);
	const bool same = screen_key_fit(own->home.output, output->output) != SCREEN_OTHER &&
			  on.width == own->home.output_width &&
			  on.height == own->home.output_height;
	return !same ? WINDOW_FIT_WHOLE : own->home.left ? WINDOW_FIT_RETURNED : WINDOW_FIT_SHOWN;
}

void home_settle(struct window *window)
{
	struct window_private *own = window->private;
	const struct box now = floating_box(window);
	const struct scene_output *output = window->mapped ? find_output(window) : NULL;
	if (!output || box_empty(&now) || own->drag.active) {
		return;
	}
	home_keep(window);
	struct box wanted = now;
	const enum window_fit fit = go_home(window, output, &wanted);
	if (own->home.output && own->home.width > 0) {
		wanted.width = own->home.width;
		wanted.height = own->home.height;
	}
	const struct box box = window_fit(window, output, &wanted, fit);
	const bool shrunk = box.width < wanted.width || box.height < wanted.height;
	own->home.left = own->home.left || fit == WINDOW_FIT_WHOLE || !box_equal(&box, &wanted);
	own->home.width = shrunk ? wanted.width : 0;
	own->home.height = shrunk ? wanted.height : 0;
	if (!box_equal(&box, &now)) {
		take_box(window, &box, output);
	}
}

void home_resized(struct window *window, const struct box *before, bool upward)
{
	struct window_private *own = window->private;
	struct box box = window_box(window);
	const struct scene_output *output = window->mapped ? window->workspace->output : NULL;
	if (!output || !window_floating(window) || own->target.pending || own->resize_edges ||
		own->drag.active) {
		return;
	}
	if (own->home.output) {
		const enum window_fit fit = go_home(window, output, &box);
		box = window_fit(window, output, &box, fit);
	} else {
		const struct box inside = window_fit(window, NULL, before, WINDOW_FIT_INSIDE);
		box = window_fit(window, NULL, &box,
			box_equal(&inside, before) ? WINDOW_FIT_INSIDE : WINDOW_FIT_REACHABLE);
		if (!upward && box.y > window->y && box.y - window->y < TITLE_LEAST) {
			box.y = window->y; /* enough of it is seen to move the window */
		}
	}
	if (box.x != window->x || box.y != window->y) {
		window_set_position(window, box.x, box.y);
	}
	if (!own->home.output) {
		window_follow_output(window);
	}
}

void home_move(struct window *window)
{
	if (window->private->home.output && (window->states & WINDOW_FULLSCREEN)) {
		set_output(window, window->workspace->output);
	}
	home_settle(window);
}

void window_move_to(struct window *window, int x, int y)
{
	home_forget(window);
	window_set_position(window, x, y);
	window_follow_output(window);
	signal_emit(&window->events.applied, window);
}

void window_step_to(struct window *window, int x, int y)
{
	const struct box box = window_floating_box(window);
	struct window_target *target = &window->private->target;
	if (!target->pending || box_empty(&box)) {
		window_glide(window, x, y, false);
		window_move_to(window, x, y);
		return;
	}
	home_forget(window);
	target->x = x;
	target->y = y;
}

void window_request_position(struct window *window, int x, int y)
{
	const struct box box = {x, y, window->geometry.width, window->geometry.height};
	const struct box at = window_fit(window, NULL, &box, WINDOW_FIT_REACHABLE);
	window_move_to(window, at.x, at.y);
}
