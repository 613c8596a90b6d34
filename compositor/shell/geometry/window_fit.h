/* SPDX-License-Identifier: MIT */
#pragma once

/** Places of floating windows within reach of the user. */

#include "shell/window.h"

enum window_fit {
	WINDOW_FIT_REACHABLE, /* moves the box until a part of the title bar is reachable */
	WINDOW_FIT_SHOWN, /* as above; a box that has to move is shown whole, as far as it fits */
	WINDOW_FIT_INSIDE, /* moves the box inside, as far as it fits */
	WINDOW_FIT_WHOLE, /* moves the box inside, and shrinks it to the usable area */
};
/**
 * Returns the box of a floating window's geometry, moved or shrunk so that its title bar can be
 * reached in the usable area of an output; NULL: of the nearest one, or of that of its workspace if
 * that is hidden. A box across the nearest output and another one, on which its title bar can be
 * reached, stays. Without outputs, returns `box`.
 */
struct box window_fit(const struct window *window, const struct scene_output *output,
	const struct box *box, enum window_fit fit);
