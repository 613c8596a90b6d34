/* SPDX-License-Identifier: MIT */
#pragma once

/** Copies between tiled and linear memory by the CPU. */

#include "copy/amd/tiling.h"

/**
 * A window of a tiled surface, in elements. Linear memory may have any address and stride (bytes).
 */
struct detile {
	const struct tiling *tiling;
	uint32_t pitch; /* of the tiled surface, a multiple of the block's width */
	uint32_t x, y; /* in the tiled surface */
	uint32_t width, height;
};

/** Copies to linear memory; `linear` is the address of the rectangle's first element. */
void detile(const struct detile *window, const void *tiled, void *linear, size_t stride);
/** Copies from linear memory. */
void retile(const struct detile *window, void *tiled, const void *linear, size_t stride);
