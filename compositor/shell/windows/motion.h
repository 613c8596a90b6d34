/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Animations: windows and workspaces are drawn at a distance from their place, which shrinks with each
 * frame of their output. Layout, input and protocol state are those of the place from the start.
 */

#include "shell/geometry/motion_curve.h"
#include <stdbool.h>

struct motion;
struct scene_output;
struct shell;
struct window;
struct workspace;

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
/** Ends all motions. */
void motions_end(struct shell *shell);

/* window_motion.c */
/**
 * Moves a window to x, y like window_set_position(), with an animation from its present place. A tile
 * that `leaves` the output is drawn until then.
 */
void window_glide(struct window *window, int x, int y, bool leaves);
/** Draws a window at its place while its workspace slides. */
void window_stay(struct window *window);
/** Animates a tile from a distance; `leaves`: see window_glide(). */
void window_glide_from(struct window *window, const struct motion_look *from, bool leaves);
/** Fades in a window that was just mapped. */
void window_fade_in(struct window *window);

/* closing.c */
void closings_init(struct shell *shell);
/** Call after motions_finish(). */
void closings_finish(struct shell *shell);
/** Returns the number of pictures of windows that close. */
int closings_count(const struct shell *shell);

/* workspace_motion.c */
/** Shows or hides a workspace at once, and ends its motion and swipes. */
void workspace_set_shown(struct workspace *workspace, bool shown);
/** Shows another workspace of an output instead of one, and animates that. */
void workspace_slide(struct workspace *from, struct workspace *to);
/**
 * Draws the shown workspace of an output at a distance from its place, logical pixels, until it slides
 * or returns. `beside` (NULL: none), of the same output, follows on the side that becomes free.
 */
void workspace_drag(struct workspace *workspace, struct workspace *beside, int x, int y);
/** Ends the motions of all workspaces of this workspace's output. */
void workspace_stop(const struct workspace *workspace);
/** Animates the return of a workspace that was dragged. */
void workspace_return(struct workspace *workspace);

/* tiling_motion.c */
/**
 * Returns how far the columns of a workspace scroll to the right, logical pixels, if the focus moves
 * from its window to the next one in a direction (enum direction).
 */
int tiling_scroll_to(const struct window *window, int direction);
/** Draws the tiles of a workspace at a distance to the right, those outside of the output as well. */
void tiling_drag(struct workspace *workspace, int x);
/** Animates the return of tiles that were dragged. */
void tiling_return(struct workspace *workspace);

/* swipe.c */
struct input_gesture_event;
/** Distance of the fingers that moves to the next workspace or column, logical pixels. */
#define SWIPE_FULL 400.0
/**
 * Returns -1 or 1 if fingers that moved by a distance, with this speed (per s) at the end, have chosen the
 * next workspace or column in that direction, else 0. Pure.
 */
int swipe_result(double distance, double speed);
/** Handles a motion of the fingers or its end. Returns false for swipes that drag nothing. */
bool swipe_handle(struct shell *shell, const struct input_gesture_event *event);
void swipe_init(struct shell *shell);
void swipe_finish(struct shell *shell);
