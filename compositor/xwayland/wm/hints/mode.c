/* SPDX-License-Identifier: MIT */
/*
 * Video modes that Xwayland emulates: a program that sets one, as old games do, sees an X screen of
 * that size, and Xwayland scales its window to the output. Xwayland names the boxes of these modes
 * in a property of the program's windows, and scales a window of exactly such a box. Any program
 * may write that property.
 */

#include "hints.h"
#include "xwayland/wm/base/xwm.h"

void xwin_modes_read(struct xwin *window, const uint32_t *values, int n)
{
	window->modes.n = 0;
	for (int i = 0; i + 4 <= n && window->modes.n < X_MODES_MAX; i += 4) {
		const struct box box = {(int32_t)values[i], (int32_t)values[i + 1],
			(int32_t)values[i + 2], (int32_t)values[i + 3]};
		const bool valid = box.x >= 0 && box.y >= 0 && box.x <= X_POSITION_MAX &&
				   box.y <= X_POSITION_MAX && box.width > 0 && box.height > 0 &&
				   box.width <= X_SIZE_MAX && box.height <= X_SIZE_MAX;
		if (valid) {
			window->modes.boxes[window->modes.n++] = box;
		}
	}
}

void xwin_mode_apply(struct xwin *window, const struct box *output, int32_t *width, int32_t *height)
{
	for (int i = 0; i < window->modes.n; i++) {
		const struct box *mode = &window->modes.boxes[i];
		if (mode->x == output->x && mode->y == output->y && mode->width <= *width &&
			mode->height <= *height) {
			window->modes.width = *width;
			window->modes.height = *height;
			*width = mode->width;
			*height = mode->height;
			return;
		}
	}
}
