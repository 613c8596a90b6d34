/* SPDX-License-Identifier: MIT */
#pragma once

/** Places of floating windows within reach of the user. */

#include "shell/window.h"

/** Least part of a window that is seen when it returns to a place. */
#define WINDOW_FIT_PART (2.0 / 3)

enum window_fit {
	WINDOW_FIT_REACHABLE, /* moves the box until a part of the title bar is reachable */
	WINDOW_FIT_SHOWN, /* as above; a box that has to move is shown whole, as far as it fits */
	WINDOW_FIT_RETURNED, /* as above; so is one of which less than WINDOW_FIT_PART is seen */
	WINDOW_FIT_INSIDE, /* moves the box inside, as far as it fits */
	WINDOW_FIT_WHOLE, /* moves the box inside, and shrinks it to the usable area */
};
/**
 * Returns the box of a floating window's geometry, moved or shrunk so that its title bar can be
 * reached in the usable area of an output; NULL: of the nearest one, or of that of its workspace if
 * that is hidden. A box across the nearest output and another one, on which its title bar can be
 * reached, stays, and WINDOW_FIT_RETURNED adds up the parts that are seen. Without outputs, returns
 * `box`.
 */
struct box window_fit(const struct window *window, const struct scene_output *output,
	const struct box *box, enum window_fit fit);
/**
 * Returns WINDOW_FIT_RETURNED for a box to which the window returns, WINDOW_FIT_SHOWN if the window
 * is there: the user may have left it partly outside.
 */
enum window_fit window_fit_back(const struct window *window, const struct box *box);
