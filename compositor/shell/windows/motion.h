/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Animations: windows and workspaces are drawn at a distance from their place, which shrinks with
 * each frame of their output. Layout, input and protocol state are those of the place from the
 * start.
 */

#include "shell/geometry/motion_curve.h"
#include <stdbool.h>

struct motion;
struct scene_output;
struct shell;
struct window;

/* motion.c */
/** The resting state. */
extern const struct motion_look motion_rest;

/** Callbacks of an animated object, with the data of motion_start(). All mandatory. */
struct motion_impl {
	void (*show)(void *data, const struct motion_look *look);
	/** The motion has ended and is freed by the caller, who has shown the resting state. */
	void (*end)(void *data);
};

void motions_init(struct shell *shell);
void motions_finish(struct shell *shell);
/** Returns whether changes on the output are to be animated. `output` may be NULL. */
bool motion_is_wanted(const struct shell *shell, const struct scene_output *output);
/** Starts a motion, which is shown at once and moves with each frame of the output. */
struct motion *motion_start(struct shell *shell, struct scene_output *output,
	const struct motion_impl *impl, void *data, const struct motion_look *from,
	const struct motion_look *to);
/** Starts a motion that shows `look` until it ends. */
struct motion *motion_hold(struct shell *shell, const struct motion_impl *impl, void *data,
	const struct motion_look *look);
/** Changes the look of a motion of motion_hold(). Returns false for others and NULL. */
bool motion_move(struct motion *motion, const struct motion_look *look);
/** Returns the look that is shown. NULL: the resting state. */
struct motion_look motion_get(const struct motion *motion);
/** Ends a motion early, in its resting state. NULL: does nothing. */
void motion_end(struct motion *motion);
/** Returns whether there are motions that have not ended. */
bool motions_run(const struct shell *shell);
/** Ends all motions. */
void motions_end(struct shell *shell);

/* window_motion.c */
/**
 * Moves a window to x, y like window_set_position(), with an animation from its present place. A
 * tile that `leaves` the output is drawn until then.
 */
void window_glide(struct window *window, int x, int y, bool leaves);
/** Draws a window at its place while its workspace slides. */
void window_stay(struct window *window);
/** Animates a tile from a distance; `leaves`: see window_glide(). */
void window_glide_from(struct window *window, const struct motion_look *from, bool leaves);
/** Fades in a window that was just mapped. */
void window_fade_in(struct window *window);
