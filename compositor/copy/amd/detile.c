/* SPDX-License-Identifier: MIT */
/* Copies between tiled and linear memory by the CPU: slow, exact, and for any layout. */

#include "copy/amd/detile.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

/*
 * Returns the offset of each column from the start of its row of blocks; the row's bits are XORed
 * later, which affects bits below the block size only.
 */
static uint64_t *columns(const struct detile *window)
{
	const struct tiling *tiling = window->tiling;
	uint64_t *offsets = xcalloc(window->width, sizeof(*offsets));
	for (uint32_t i = 0; i < window->width; i++) {
		uint32_t x = window->x + i;
		offsets[i] = ((uint64_t)(x / tiling->block_width) << tiling->log2_block) +
			     tiling_x_bits(tiling, x);
	}
	return offsets;
}

static uint64_t row_base(const struct detile *window, uint32_t y)
{
	const struct tiling *tiling = window->tiling;
	uint64_t blocks =
		(uint64_t)(y / tiling->block_height) * (window->pitch / tiling->block_width);
	return blocks << tiling->log2_block;
}

static void copy(
	const struct detile *window, uint8_t *tiled, uint8_t *linear, size_t stride, bool to_linear)
{
	size_t bytes = (size_t)1 << window->tiling->log2_bytes;
	uint64_t *offsets = columns(window);
	for (uint32_t j = 0; j < window->height; j++) {
		uint8_t *base = tiled + row_base(window, window->y + j);
		uint32_t bits = tiling_y_bits(window->tiling, window->y + j);
		uint8_t *out = linear + j * stride;
		for (uint32_t i = 0; i < window->width; i++, out += bytes) {
			uint8_t *in = base + (offsets[i] ^ bits);
			memcpy(to_linear ? out : in, to_linear ? in : out, bytes);
		}
	}
	free(offsets);
}

void detile(const struct detile *window, const void *tiled, void *linear, size_t stride)
{
	copy(window, (uint8_t *)tiled, linear, stride, true);
}

void retile(const struct detile *window, void *tiled, const void *linear, size_t stride)
{
	copy(window, tiled, (uint8_t *)linear, stride, false);
}
