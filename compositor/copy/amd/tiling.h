/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * AMD's tiled layouts (GFX9 to GFX12, two dimensions, one sample): rows of blocks; inside a block,
 * each address bit is the parity of some bits of x and y. Copy engines implement this in hardware;
 * this code validates buffers, and copies in software (the CPU engine, tests, the emulated GPU).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TILING_BITS_MAX 18

/** The fields of a modifier. */
struct tiling_mode {
	unsigned version; /* AMD_FMT_MOD_TILE_VER_* */
	unsigned swizzle; /* the hardware's number of the mode */
	unsigned pipe_xor, bank_xor, packers; /* log2; 0 if the mode ignores them */
	bool dcc, dcc_pipe_aligned, dcc_retiled;
	unsigned dcc_block; /* AMD_FMT_MOD_DCC_BLOCK_*: maximum size after compression */
};

#define TILING_CHIPS_MAX 4

/**
 * Bits 8 and up of an address, as space-separated sums ("x8y4y8"): those that all sizes of elements
 * have in common (empty, or with a space at the end), then the others for 8, 16, 32 and 64 bits.
 */
struct tiling_pattern {
	struct tiling_chip {
		uint8_t version, swizzle, pipe_xor, packers; /* zeros: unused */
	} chips[TILING_CHIPS_MAX];
	const char *low, *high[4];
};

struct tiling {
	unsigned log2_bytes; /* of an element */
	unsigned log2_block; /* bytes of a block */
	uint32_t block_width, block_height; /* elements */
	uint16_t x_mask[TILING_BITS_MAX], y_mask[TILING_BITS_MAX]; /* by address bit */
};

/** Parses a modifier. Returns false unless it is a tiled AMD modifier without undefined bits. */
bool tiling_mode_from_modifier(struct tiling_mode *mode, uint64_t modifier);
/**
 * Fills in the equations. Returns false for unknown modes, and elements other than 1, 2, 4 or 8
 * bytes. Ignores DCC.
 */
bool tiling_init(struct tiling *tiling, const struct tiling_mode *mode, unsigned log2_bytes);
/** Returns the byte offset in the surface; `pitch` in elements, a multiple of the block's width. */
uint64_t tiling_offset(const struct tiling *tiling, uint32_t pitch, uint32_t x, uint32_t y);
/** Return the address bits of x and y inside of a block; XOR the two. */
uint32_t tiling_x_bits(const struct tiling *tiling, uint32_t x);
uint32_t tiling_y_bits(const struct tiling *tiling, uint32_t y);
/** Returns the size in bytes of a surface of this pitch and height. */
uint64_t tiling_size(const struct tiling *tiling, uint32_t pitch, uint32_t height);

/** Returns NULL for a mode that the table lacks. */
const struct tiling_pattern *tiling_pattern_find(const struct tiling_mode *mode);
