/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Pixels that tell the commit which drew them, in RGB or in YUYV of any colour coding: the number
 * can be read from a picture that was converted by the right coding, and hardly from another one.
 */

#include "gpu/color_coding.h"
#include "world.h"

/** Numbers are below this. */
#define PIXEL_CODES 700

/** The format of the buffers, and their coding (of YUYV). */
struct pixel_code {
	uint32_t format;
	struct color_coding coding; /* as resolved by the size */
};

/** Returns whether the format is YUYV, whose pairs of pixels have one number. */
bool pixel_code_is_yuv(const struct pixel_code *code);
/** Writes a number to a pixel of a buffer in this format, at `memory`. */
void pixel_code_write(const struct pixel_code *code, uint8_t *memory, int x, uint32_t number);
/** Reads the pixels of a picture one after the other, of which many are alike. */
struct pixel_reader {
	const struct pixel_code *code;
	uint32_t pixel; /* read last, 0x00RRGGBB */
	int number; /* of that pixel; -1: none */
};

/** Starts to read pixels of this code. */
void pixel_reader_init(struct pixel_reader *reader, const struct pixel_code *code);
/** Returns the number in a pixel of a picture (0x00RRGGBB), or -1 if it has none. */
int pixel_reader_read(struct pixel_reader *reader, uint32_t pixel);
