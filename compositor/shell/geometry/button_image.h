/* SPDX-License-Identifier: MIT */
#pragma once

/** Images of the buttons in title bars. Pure. */

#include <pixman.h>
#include <stdbool.h>
#include <stdint.h>

enum button_shape {
	BUTTON_MINIMIZE,
	BUTTON_MAXIMIZE,
	BUTTON_RESTORE,
	BUTTON_CLOSE,
};

enum button_state {
	BUTTON_NORMAL,
	BUTTON_HOVERED,
	BUTTON_PRESSED,
};

/**
 * Draws a button of `size` square pixels in the colour `rgb`, for `scale` pixels per logical pixel.
 * Returns a premultiplied a8r8g8b8 image.
 */
pixman_image_t *button_image_create(
	enum button_shape shape, enum button_state state, uint32_t rgb, int size, double scale);
