#pragma once

/**
 * How AMD's GPUs lay out tiled surfaces (GFX9 to GFX12, two dimensions, one sample): blocks in
 * rows, and inside a block each bit of the address is the parity of some bits of x and y. This is
 * what the copy engines know in hardware; here it serves to check buffers, and to do the copy in
 * software where no engine is (tests, and the emulated one).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TILING_MAX_BITS 18

/** What the fields of a modifier say. */
struct tiling_mode {
	unsigned version; /* AMD_FMT_MOD_TILE_VER_* */
	unsigned swizzle; /* the hardware's number of the mode */
	unsigned pipe_xor, bank_xor, packers; /* log2; 0 where the mode does not use them */
	bool dcc;
};

/** Bits 8 and up of an address, as space-separated sums ("x8y4y8"), for 8, 16, 32 and 64 bits. */
struct tiling_pattern {
	uint8_t version, swizzle, pipe_xor, packers;
	const char *bits[4];
};

struct tiling {
	unsigned log2_bytes; /* of an element */
	unsigned log2_block; /* bytes of a block */
	uint32_t block_width, block_height; /* elements */
	uint16_t x_mask[TILING_MAX_BITS], y_mask[TILING_MAX_BITS]; /* by address bit */
};

/** False if it is no tiled AMD modifier, or has bits set that mean nothing. */
bool tiling_mode_from_modifier(struct tiling_mode *mode, uint64_t modifier);
/** False if the mode is unknown, or elements are not 1, 2, 4 or 8 bytes. DCC is not looked at. */
bool tiling_init(struct tiling *tiling, const struct tiling_mode *mode, unsigned log2_bytes);
/** Bytes from the start of the surface; `pitch` in elements, a multiple of the block's width. */
uint64_t tiling_offset(const struct tiling *tiling, uint32_t pitch, uint32_t x, uint32_t y);
/** What x, or y, contributes to the address inside of a block; the two are to be XORed. */
uint32_t tiling_x_bits(const struct tiling *tiling, uint32_t x);
uint32_t tiling_y_bits(const struct tiling *tiling, uint32_t y);
/** Bytes that a surface of this pitch and height takes. */
uint64_t tiling_size(const struct tiling *tiling, uint32_t pitch, uint32_t height);

/** NULL for a mode that is not in the table. */
const struct tiling_pattern *tiling_pattern_find(const struct tiling_mode *mode);
