#pragma once

/** Copies between tiled and linear memory by the CPU. */

#include "copy/amd/tiling.h"

/** Linear memory may be at any address and of any stride (bytes); all else is in elements. */
struct detile {
	const struct tiling *tiling;
	uint32_t pitch; /* of the tiled surface, a multiple of the block's width */
	uint32_t x, y; /* in the tiled surface */
	uint32_t width, height;
};

/** `linear` is where the rectangle's first element goes. */
void detile(const struct detile *window, const void *tiled, void *linear, size_t stride);
/** The other direction. */
void retile(const struct detile *window, void *tiled, const void *linear, size_t stride);
