/* SPDX-License-Identifier: MIT */
/* Layout of DCC metadata, by the rules of addrlib (Gfx10Lib and Gfx11Lib::GetMetaBlkSize()). */

#include "copy/amd/dcc.h"

#define SWIZZLE_64K_R_X 27
#define SWIZZLE_256K_R_X 31
#define LOG2_MIN_BLOCK 12
#define LOG2_PIPE_INTERLEAVE 8
#define LOG2_PIXEL_BYTES 8 /* that a byte of metadata describes */

static uint32_t round_up(uint32_t value, uint32_t unit)
{
	return (value + unit - 1) / unit * unit;
}

bool dcc_init(struct dcc *dcc, const struct tiling_mode *mode, unsigned log2_bytes, uint32_t width,
	uint32_t height)
{
	bool rendered = mode->swizzle == SWIZZLE_64K_R_X || mode->swizzle == SWIZZLE_256K_R_X;
	if (!mode->dcc || mode->version < 3 || mode->version > 4 || !rendered ||
		!mode->dcc_pipe_aligned || mode->dcc_retiled) {
		return false;
	}
	/* One interleave for each pipe; with as many packers as pipes, each pipe counts twice. */
	unsigned pipes =
		mode->pipe_xor + (mode->pipe_xor > 1 && mode->packers == mode->pipe_xor ? 1 : 0);
	unsigned log2_block = LOG2_PIPE_INTERLEAVE + pipes;
	log2_block = log2_block < LOG2_MIN_BLOCK ? LOG2_MIN_BLOCK : log2_block;
	unsigned bits = log2_block + LOG2_PIXEL_BYTES - log2_bytes;
	*dcc = (struct dcc){
		.block_width = 1u << (bits + 1) / 2,
		.block_height = 1u << bits / 2,
		.alignment = UINT64_C(1) << log2_block,
	};
	dcc->pitch = round_up(width, dcc->block_width);
	dcc->size = (uint64_t)(dcc->pitch / dcc->block_width) *
		    (round_up(height, dcc->block_height) / dcc->block_height) * dcc->alignment;
	return true;
}
