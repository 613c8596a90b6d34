/* SPDX-License-Identifier: MIT */
/* AMD's tiled layouts: address equations from modifiers. */

#include "copy/amd/tiling.h"
#include <drm_fourcc.h>

/* Hardware mode numbers: block size, and order inside of 256 bytes. */
enum order {
	ORDER_S, /* standard */
	ORDER_D, /* display */
	ORDER_R, /* render */
};

static const struct {
	uint8_t log2_block;
	enum order order;
	bool xor ;
} modes[32] = {
	[1] = {8, ORDER_S, false},
	[2] = {8, ORDER_D, false},
	[5] = {12, ORDER_S, false},
	[6] = {12, ORDER_D, false},
	[9] = {16, ORDER_S, false},
	[10] = {16, ORDER_D, false},
	[21] = {12, ORDER_S, true},
	[22] = {12, ORDER_D, true},
	[25] = {16, ORDER_S, true},
	[26] = {16, ORDER_D, true},
	[27] = {16, ORDER_R, true},
	[31] = {18, ORDER_R, true},
};

/* Address bits 0 to 7, for 8, 16, 32 and 64 bits per element. */
static const char *const micro_s[4] = {
	"x0 x1 x2 x3 y0 y1 y2 y3",
	"- x0 x1 x2 y0 y1 y2 x3",
	"- - x0 x1 y0 y1 y2 x2",
	"- - - x0 y0 y1 x1 x2",
};
static const char *const micro_d[4] = {
	"x0 x1 x2 y1 y0 y2 x3 y3",
	"- x0 x1 x2 y0 y1 y2 x3",
	"- - x0 x1 y0 x2 y1 y2",
	"- - - x0 y0 x1 x2 y1",
};
/* 8 bits: y4 instead of y3, which swaps with a higher bit. */
static const char *const micro_r_gfx10[4] = {
	"x0 x1 x2 y1 y0 y2 x3 y4",
	"- x0 x1 x2 y0 y1 y2 x3",
	"- - x0 x1 y0 y1 y2 x2",
	"- - - x0 y0 x1 x2 y1",
};
static const char *const micro_r_rbplus[4] = {
	"x0 x1 x2 x3 y0 y1 y2 y3",
	"- x0 x1 x2 y0 y1 y2 x3",
	"- - x0 x1 y0 y1 x2 y2",
	"- - - x0 y0 x1 x2 y1",
};
static const char *const micro_gfx11[4] = {
	"x0 x1 y0 x2 y1 y2 x3 y3",
	"- x0 y0 x1 y1 x2 y2 x3",
	"- - x0 y0 x1 y1 x2 y2",
	"- - - x0 y0 x1 x2 y1",
};

bool tiling_mode_from_modifier(struct tiling_mode *mode, uint64_t modifier)
{
	const uint64_t known = UINT64_C(0xff00000fffffffff);
	if (modifier == DRM_FORMAT_MOD_INVALID || !IS_AMD_FMT_MOD(modifier) || modifier & ~known) {
		return false;
	}
	*mode = (struct tiling_mode){
		.version = AMD_FMT_MOD_GET(TILE_VERSION, modifier),
		.swizzle = AMD_FMT_MOD_GET(TILE, modifier),
		.pipe_xor = AMD_FMT_MOD_GET(PIPE_XOR_BITS, modifier),
		.bank_xor = AMD_FMT_MOD_GET(BANK_XOR_BITS, modifier),
		.packers = AMD_FMT_MOD_GET(PACKERS, modifier),
		.dcc = AMD_FMT_MOD_GET(DCC, modifier),
		.dcc_pipe_aligned = AMD_FMT_MOD_GET(DCC_PIPE_ALIGN, modifier),
		.dcc_retiled = AMD_FMT_MOD_GET(DCC_RETILE, modifier),
		.dcc_block = AMD_FMT_MOD_GET(DCC_MAX_COMPRESSED_BLOCK, modifier),
	};
	return mode->version >= 1 && mode->version <= 5;
}

/* Adds the sums of `text` from address bit `bit` on; a space begins the next. Returns the last. */
static unsigned parse(struct tiling *tiling, const char *text, unsigned bit)
{
	for (; *text; text++) {
		if (*text == ' ') {
			bit++;
		} else if (*text == 'x' || *text == 'y') {
			uint16_t *mask = *text == 'x' ? tiling->x_mask : tiling->y_mask;
			char digit = *++text;
			mask[bit] |= 1u << (digit <= '9' ? digit - '0' : digit - 'a' + 10);
		}
	}
	return bit;
}

static const char *const *micro(const struct tiling_mode *mode, enum order order, unsigned log2)
{
	if (mode->version >= 4) {
		return micro_gfx11;
	}
	switch (order) {
	case ORDER_S: return micro_s;
	case ORDER_D:
		/* For 32 bits, each generation after the first has another order. */
		if (log2 == 2 && mode->version > 1) {
			return mode->version == 2 ? micro_s : micro_r_rbplus;
		}
		return micro_d;
	default: return mode->version == 2 ? micro_r_gfx10 : micro_r_rbplus;
	}
}

/* Above 256 bytes, y and x alternate, each continuing from the 256-byte tile. */
static void alternate(const struct tiling *tiling, unsigned bit, uint16_t *x, uint16_t *y)
{
	unsigned n = 8 - tiling->log2_bytes;
	unsigned step = (bit - 8) / 2;
	*x = *y = 0;
	if ((bit - 8) % 2) {
		*x = 1u << ((n + 1) / 2 + step);
	} else {
		*y = 1u << (n / 2 + step);
	}
}

/* Pipe and bank bits are XORed with the mirrored bits above them. */
static void mirror(struct tiling *tiling, unsigned first, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		uint16_t x, y;
		alternate(tiling, first + 2 * n - 1 - i, &x, &y);
		tiling->x_mask[first + i] ^= x;
		tiling->y_mask[first + i] ^= y;
	}
}

static bool lookup(
	unsigned version, unsigned swizzle, unsigned *log2_block, enum order *order, bool * xor)
{
	static const uint8_t gfx12[5] = {0, 8, 12, 16, 18};
	if (version == 5) {
		if (swizzle < 1 || swizzle > 4) {
			return false;
		}
		*log2_block = gfx12[swizzle];
		*order = ORDER_D;
		*xor = false;
		return true;
	}
	if (swizzle >= 32 || modes[swizzle].log2_block == 0) {
		return false;
	}
	*log2_block = modes[swizzle].log2_block;
	*order = modes[swizzle].order;
	*xor = modes[swizzle].xor ;
	return version < 4 || *order != ORDER_S;
}

bool tiling_init(struct tiling *tiling, const struct tiling_mode *mode, unsigned log2_bytes)
{
	enum order order;
	bool xor ;
	*tiling = (struct tiling){.log2_bytes = log2_bytes};
	if (log2_bytes > 3 ||
		!lookup(mode->version, mode->swizzle, &tiling->log2_block, &order, &xor)) {
		return false;
	}
	unsigned n = tiling->log2_block - log2_bytes;
	tiling->block_width = 1u << (n + 1) / 2;
	tiling->block_height = 1u << n / 2;
	parse(tiling, micro(mode, order, log2_bytes)[log2_bytes], 0);
	if (order == ORDER_R) {
		const struct tiling_pattern *pattern = tiling_pattern_find(mode);
		if (!pattern) {
			return false;
		}
		unsigned last = parse(tiling, pattern->low, 8);
		return parse(tiling, pattern->high[log2_bytes], last) + 1 == tiling->log2_block;
	}
	for (unsigned bit = 8; bit < tiling->log2_block; bit++) {
		alternate(tiling, bit, &tiling->x_mask[bit], &tiling->y_mask[bit]);
	}
	if (xor) {
		if (mode->version > 3) {
			return false; /* a different rule, which no modifier names */
		}
		n = tiling->log2_block - 8;
		unsigned pipes = mode->pipe_xor < n ? mode->pipe_xor : n;
		unsigned banks = mode->bank_xor < n - pipes ? mode->bank_xor : n - pipes;
		mirror(tiling, 8, pipes);
		mirror(tiling, 8 + pipes, banks);
	}
	return true;
}

static uint32_t gather(const struct tiling *tiling, const uint16_t *mask, uint32_t coordinate)
{
	uint32_t bits = 0;
	for (unsigned i = tiling->log2_bytes; i < tiling->log2_block; i++) {
		bits |= (uint32_t)__builtin_parity(coordinate & mask[i]) << i;
	}
	return bits;
}

uint32_t tiling_x_bits(const struct tiling *tiling, uint32_t x)
{
	return gather(tiling, tiling->x_mask, x);
}

uint32_t tiling_y_bits(const struct tiling *tiling, uint32_t y)
{
	return gather(tiling, tiling->y_mask, y);
}

uint64_t tiling_offset(const struct tiling *tiling, uint32_t pitch, uint32_t x, uint32_t y)
{
	uint64_t block = (uint64_t)(y / tiling->block_height) * (pitch / tiling->block_width) +
			 x / tiling->block_width;
	return (block << tiling->log2_block) +
	       (tiling_x_bits(tiling, x) ^ tiling_y_bits(tiling, y));
}

uint64_t tiling_size(const struct tiling *tiling, uint32_t pitch, uint32_t height)
{
	uint64_t rows = (height + tiling->block_height - 1) / tiling->block_height;
	return rows * (pitch / tiling->block_width) << tiling->log2_block;
}
