/* SPDX-License-Identifier: MIT */
/* Animations in progress: moved by the frames of their outputs, without timers. */

#include "motion.h"
#include "shell/geometry/private.h"
#include "util/xalloc.h"
#include <stdlib.h>

struct motions {
	struct wl_list running; /* motion.link */
	struct wl_listener animate;
	bool automatic; /* meaning of `animations = auto` */
};

struct motion {
	struct wl_list link; /* motions.running */
	struct scene_output *output; /* NULL: moved by the user */
	const struct motion_impl *impl;
	void *data;
	int64_t began, duration; /* ns */
	struct motion_look from, to, now;
};

const struct motion_look motion_rest = {.opacity = 1};

static void show(struct motion *motion, const struct motion_look *look)
{
	motion->now = *look;
	motion->impl->show(motion->data, look);
}

void motion_end(struct motion *motion)
{
	if (motion) {
		wl_list_remove(&motion->link);
		show(motion, &motion_rest);
		motion->impl->end(motion->data);
		free(motion);
	}
}

struct motion_look motion_get(const struct motion *motion)
{
	return motion ? motion->now : motion_rest;
}

static void handle_animate(struct wl_listener *listener, void *data)
{
	struct motions *motions = wl_container_of(listener, motions, animate);
	struct scene_animation *animation = data;
	struct motion *motion, *next;
	wl_list_for_each_safe (motion, next, &motions->running, link) {
		if (motion->output != animation->output) {
			continue;
		}
		double progress =
			motion_progress(animation->when - motion->began, motion->duration);
		if (progress >= 1) {
			motion_end(motion);
			continue;
		}
		struct motion_look look = motion_between(&motion->from, &motion->to, progress);
		show(motion, &look);
		animation->continues = true;
	}
}

bool motion_is_wanted(const struct shell *shell, const struct scene_output *output)
{
	const int animations = shell->config->look.animations;
	bool wanted = animations == CONFIG_ANIMATIONS_YES ||
		      (animations == CONFIG_ANIMATIONS_AUTO && shell->private->motions->automatic);
	return wanted && output && output->awake && !shell->locked;
}

struct motion *motion_hold(struct shell *shell, const struct motion_impl *impl, void *data,
	const struct motion_look *look)
{
	struct motion *motion = xcalloc(1, sizeof(*motion));
	motion->impl = impl;
	motion->data = data;
	wl_list_insert(shell->private->motions->running.prev, &motion->link);
	show(motion, look);
	return motion;
}

bool motion_move(struct motion *motion, const struct motion_look *look)
{
	if (!motion || motion->output) {
		return false;
	}
	show(motion, look);
	return true;
}

struct motion *motion_start(struct shell *shell, struct scene_output *output,
	const struct motion_impl *impl, void *data, const struct motion_look *from,
	const struct motion_look *to)
{
	struct motion *motion = motion_hold(shell, impl, data, from);
	motion->output = output;
	motion->began = clock_now(shell->clock);
	motion->duration = shell->config->look.animation_time * INT64_C(1000000);
	motion->from = *from;
	motion->to = *to;
	scene_output_animate(output);
	return motion;
}

bool motions_run(const struct shell *shell)
{
	return !wl_list_empty(&shell->private->motions->running);
}

void motions_end(struct shell *shell)
{
	struct motions *motions = shell->private->motions;
	signal_emit(&shell->events.interrupt_swipe, NULL);
	while (!wl_list_empty(&motions->running)) {
		struct motion *motion = wl_container_of(motions->running.next, motion, link);
		motion_end(motion);
	}
}

void shell_set_automatic_motion(struct shell *shell, bool automatic)
{
	shell->private->motions->automatic = automatic;
}

void motions_init(struct shell *shell)
{
	struct motions *motions = xcalloc(1, sizeof(*motions));
	shell->private->motions = motions;
	wl_list_init(&motions->running);
	signal_add(&shell->scene->events.animate, &motions->animate, handle_animate);
}

void motions_finish(struct shell *shell)
{
	motions_end(shell);
	wl_list_remove(&shell->private->motions->animate.link);
	free(shell->private->motions);
}
