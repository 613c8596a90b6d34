/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * AMD's colour compression (DCC) in GFX10.3 and GFX11: the metadata of a surface, one byte for each
 * 256 bytes of pixels, in rows of blocks like the pixels themselves. Only the layout is here: the
 * GPU alone interprets the bytes. GFX12 hides its metadata from programs.
 */

#include "copy/amd/tiling.h"

struct dcc {
	uint32_t block_width, block_height; /* pixels that a block describes */
	uint64_t alignment; /* bytes: the size of a block, and alignment of the metadata */
	uint64_t size; /* bytes */
	uint32_t pitch; /* pixels: the stride of the metadata's plane */
};

/**
 * Fills in the layout of a surface of this size, in pixels of 1 << log2_bytes bytes. Returns false
 * for modes without metadata in memory, and for metadata laid out for the display: rendering
 * updates another copy.
 */
bool dcc_init(struct dcc *dcc, const struct tiling_mode *mode, unsigned log2_bytes, uint32_t width,
	uint32_t height);
