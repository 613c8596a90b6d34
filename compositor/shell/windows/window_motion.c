/* SPDX-License-Identifier: MIT */
/* Animations of windows: glides to a new place, and the fade of a new window. */

#include "motion.h"
#include "shell/geometry/facts.h"
#include "shell/geometry/private.h"
#include "shell/shell.h"
#include "windows.h"
#include <math.h>

static void show(void *data, const struct motion_look *look)
{
	struct window *window = data;
	scene_tree_set_shift(window->tree, (int)lround(look->x), (int)lround(look->y));
	scene_tree_set_opacity(window->tree, (float)look->opacity);
}

static void end(void *data)
{
	struct window *window = data;
	window->private->motion = NULL;
	window->private->leaves = false;
	window_update_visibility(window);
}

static const struct motion_impl impl = {.show = show, .end = end};

static bool is_wanted(const struct window *window)
{
	return window_shown(window) && motion_is_wanted(window->shell, window->workspace->output);
}

/* Animates the window from a look to its place. */
static void start(struct window *window, const struct motion_look *from)
{
	motion_end(window->private->motion);
	window->private->motion = motion_start(
		window->shell, window->workspace->output, &impl, window, from, &motion_rest);
}

void window_glide_from(struct window *window, const struct motion_look *from, bool leaves)
{
	if (is_wanted(window)) {
		start(window, from);
		window->private->leaves = leaves;
		window_update_visibility(window);
	}
}

void window_glide(struct window *window, int x, int y, bool leaves)
{
	struct motion_look look = motion_get(window->private->motion);
	look.x += window->x - x;
	look.y += window->y - y;
	bool moves = window->x != x || window->y != y;
	window_set_position(window, x, y);
	if (moves) {
		window_glide_from(window, &look, leaves);
	}
}

void window_fade_in(struct window *window)
{
	if (is_wanted(window)) {
		start(window, &(struct motion_look){.opacity = 0});
	}
}

void window_stay(struct window *window)
{
	const struct motion *slide = window->workspace->motion;
	const struct motion_look look = motion_get(slide);
	if (slide && is_wanted(window)) {
		start(window, &(struct motion_look){.x = -look.x, .y = -look.y, .opacity = 1});
	}
}
