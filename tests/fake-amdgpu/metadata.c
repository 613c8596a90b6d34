/* SPDX-License-Identifier: MIT */
/* DCC metadata of the emulated GPU. */

#include "metadata.h"
#include <string.h>

/* Numbers of CB_COLOR0_INFO. */
enum {
	COLOR_2_10_10_10 = 9,
	COLOR_8_8_8_8 = 10,
	COLOR_16_16_16_16 = 12,
	NUMBER_FLOAT = 7,
};

/*
 * Address bits of a byte in its block, for pixels of 32 and 64 bits, as addrlib computes them
 * (gfx10SwizzlePattern.h, gfx11SwizzlePattern.h); tests compare them with its results.
 */
static const struct {
	unsigned pipes, packers, swizzle; /* 0: any swizzle mode */
	const char *bits[2];
} equations[] = {
	{2, 1, 0,
		{"x3 y3 x5 y5 x6 y6 x7 y7 x5y4y5 x4y4 x8 y8",
			"y2 x3 y3 x5 y5 x6 y6 x7 x5y4y5 x4y4 y7 x8"}},
	{2, 2, 0,
		{"x3 y3 x5 x6 y6 x7 y7 x8 x6y4y6 x4y4 x5y5 y8",
			"y2 x3 y3 x5 x6 y6 x7 y7 x6y4y6 x4y4 x5y5 x8"}},
	{3, 3, 0,
		{"x3 y3 x6 y6 x7 y7 x8 y8 x7y4y7 x4y4 x6y5 x5y6",
			"y2 x3 y3 x6 y6 x7 y7 x8 x7y4y7 x4y4 x6y5 x5y6"}},
	{4, 4, 0,
		{"x3 y3 x6 x7 y7 x8 y8 x9 x8y4y8 x4y4 x7y5 x5y7 x6y6",
			"y2 x3 y3 x6 x7 y7 x8 y8 x8y4y8 x4y4 x7y5 x5y7 x6y6"}},
	{5, 5, 27,
		{"x3 y3 x7 y7 x8 y8 x9 y9 x9y4y9 x4y4 x8y5 x5y8 x7y6 x6y7",
			"x3 y3 x7 y7 x8 y8 y2 x9 x9y4y9 x4y4 x8y5 x5y8 x7y2y6 x6y7"}},
	{5, 5, 31,
		{"x3 y3 x7 y7 x8 y8 x9 y9 x9y4y9 x4y4 x8y5 x5y8 x7y6 x6y7",
			"y2 x3 y3 x7 y7 x8 y8 x9 x9y4y9 x4y4 x8y5 x5y8 x7y6 x6y7"}},
};

/* Returns the number of address bits. */
static unsigned parse(struct tiling *equation, const char *text)
{
	unsigned bit = 0;

	for (; *text; text++) {
		if (*text == ' ') {
			bit++;
		} else {
			uint16_t *mask = *text == 'x' ? equation->x_mask : equation->y_mask;

			mask[bit] |= (uint16_t)(1u << (*++text - '0'));
		}
	}
	return bit + 1;
}

bool fake_metadata_init(struct fake_metadata *metadata, const struct tiling_mode *mode,
	unsigned log2_bytes, uint32_t width, uint32_t height)
{
	*metadata = (struct fake_metadata){.version = mode->version, .log2_bytes = log2_bytes};
	if (log2_bytes < 2 || log2_bytes > 3 ||
		!dcc_init(&metadata->layout, mode, log2_bytes, width, height)) {
		return false;
	}
	metadata->equation.block_width = metadata->layout.block_width;
	metadata->equation.block_height = metadata->layout.block_height;
	for (size_t i = 0; i < sizeof(equations) / sizeof(equations[0]); i++) {
		if (equations[i].pipes == mode->pipe_xor && equations[i].packers == mode->packers &&
			(equations[i].swizzle == 0 || equations[i].swizzle == mode->swizzle)) {
			metadata->equation.log2_block =
				parse(&metadata->equation, equations[i].bits[log2_bytes - 2]);
			return UINT64_C(1) << metadata->equation.log2_block ==
			       metadata->layout.alignment;
		}
	}
	return false;
}

uint64_t fake_metadata_offset(const struct fake_metadata *metadata, uint32_t x, uint32_t y)
{
	return tiling_offset(&metadata->equation, metadata->layout.pitch, x, y);
}

/* Fills the pixel with 0 or 1 in its colours and its alpha, which is in the highest bits. */
static void clear(uint32_t config, bool color, bool alpha, uint8_t *pixel)
{
	uint16_t words[4];

	switch (config & 0x7f) {
	case COLOR_8_8_8_8:
		memset(pixel, color ? 0xff : 0, 3);
		pixel[3] = alpha ? 0xff : 0;
		break;
	case COLOR_2_10_10_10:
		memset(pixel, color ? 0xff : 0, 3);
		pixel[3] = (uint8_t)((color ? 0x3f : 0) | (alpha ? 0xc0 : 0));
		break;
	default: /* COLOR_16_16_16_16 of floats */
		for (int i = 0; i < 4; i++) {
			words[i] = (i < 3 ? color : alpha) ? 0x3c00 : 0;
		}
		memcpy(pixel, words, sizeof(words));
		break;
	}
}

/* RADV_DCC_* of radv_meta_clear.c. The clear colour's register (0x20) is none that SDMA has. */
static bool decode_gfx10(uint8_t key, uint32_t config, uint8_t *pixel)
{
	if (key & 0x3f) {
		return false;
	}
	clear(config, key & 0x80, key & 0x40, pixel);
	return true;
}

static bool decode_gfx11(uint8_t key, uint32_t config, size_t bytes, uint8_t *pixel)
{
	static const uint8_t one_fp16[2] = {0x00, 0x3c};

	switch (key) {
	case 0x00: memset(pixel, 0, bytes); return true;
	case 0x02: memset(pixel, 0xff, bytes); return true;
	case 0x04:
		for (size_t i = 0; i < bytes; i += 2) {
			memcpy(pixel + i, one_fp16, 2);
		}
		return true;
	case 0x08:
	case 0x0a:
		if ((config & 0x7f) != COLOR_8_8_8_8) {
			return false;
		}
		clear(config, key == 0x0a, key == 0x08, pixel);
		return true;
	default: return false;
	}
}

bool fake_metadata_decode(const struct fake_metadata *metadata, uint8_t key, uint32_t config,
	const uint8_t *block, uint8_t *pixel)
{
	size_t bytes = (size_t)1 << metadata->log2_bytes;
	bool gfx11 = metadata->version == 4;

	if (key == FAKE_UNCOMPRESSED) {
		return true;
	}
	if (key == (gfx11 ? 0x01 : 0x10)) {
		/* One colour, at the start of the block. */
		memcpy(pixel, block, bytes);
		return true;
	}
	return gfx11 ? decode_gfx11(key, config, bytes, pixel) : decode_gfx10(key, config, pixel);
}

bool fake_metadata_check_config(uint32_t config, unsigned major)
{
	uint32_t format = config & 0x7f, number = config >> 9 & 7;
	bool plain = (format == COLOR_8_8_8_8 || format == COLOR_2_10_10_10) && number == 0;

	return (plain || (format == COLOR_16_16_16_16 && number == NUMBER_FLOAT)) &&
	       (config >> 8 & 1) == (major < 6) && (config >> 24 & 3) <= 2 &&
	       (config & ~UINT32_C(0x03000f7f)) == (UINT32_C(1) << 31 | 2u << 26);
}
