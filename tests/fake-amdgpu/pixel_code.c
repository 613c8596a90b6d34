/* SPDX-License-Identifier: MIT */
/* Numbers in pixels: in the low bits of RGB, or as steps of luma and chroma near grey. */

#include "pixel_code.h"
#include <math.h>
#include <string.h>

/* RGB: the background and covers have other values of red. */
#define MARK 0xc00000u
#define MARK_MASK 0xff0000u

/* Renderers may differ by 2 of 255 in RGB, and so by this in YUV: less than half a step. */
#define TOLERANCE 2.9
#define STEP 8
#define LUMA_LEAST 80
#define LUMA_STEPS 11
#define CHROMA_LEAST 100
#define CHROMA_STEPS 8

bool pixel_code_is_yuv(const struct pixel_code *code)
{
	return code->format == DRM_FORMAT_YUYV;
}

void pixel_code_write(const struct pixel_code *code, uint8_t *memory, int x, uint32_t number)
{
	assert_in_range(number, 0, PIXEL_CODES - 1);
	if (!pixel_code_is_yuv(code)) {
		const uint32_t pixel = 0xff000000 | MARK | number;
		memcpy(memory, &pixel, sizeof(pixel));
		return;
	}
	const uint32_t chroma = number / LUMA_STEPS;
	memory[0] = (uint8_t)(LUMA_LEAST + STEP * (number % LUMA_STEPS));
	memory[1] = (uint8_t)(CHROMA_LEAST +
			      STEP * (x % 2 ? chroma / CHROMA_STEPS : chroma % CHROMA_STEPS));
}

/* Returns the step of a value, or -1 if it is none. */
static int find_step(double value, int least, int n)
{
	const int step = (int)floor((value - least) / STEP + 0.5);
	return step >= 0 && step < n && fabs(value - least - step * STEP) <= TOLERANCE ? step : -1;
}

static int read_pixel(const struct pixel_code *code, uint32_t pixel)
{
	if (!pixel_code_is_yuv(code)) {
		const uint32_t number = pixel & ~MARK_MASK;
		return (pixel & MARK_MASK) == MARK && number < PIXEL_CODES ? (int)number : -1;
	}
	double red, blue;
	color_coding_weights(code->coding, &red, &blue);
	const bool full = code->coding.range == COLOR_RANGE_FULL;
	const double r = (pixel >> 16 & 0xff) / 255.0, g = (pixel >> 8 & 0xff) / 255.0,
		     b = (pixel & 0xff) / 255.0;
	const double y = red * r + (1 - red - blue) * g + blue * b;
	const double u = (b - y) / (2 * (1 - blue)), v = (r - y) / (2 * (1 - red));
	const double chroma = full ? 255 : 224;
	const int luma = find_step(full ? 255 * y : 16 + 219 * y, LUMA_LEAST, LUMA_STEPS);
	const int first = find_step(128 + chroma * u, CHROMA_LEAST, CHROMA_STEPS);
	const int second = find_step(128 + chroma * v, CHROMA_LEAST, CHROMA_STEPS);
	return luma < 0 || first < 0 || second < 0
		       ? -1
		       : luma + LUMA_STEPS * (first + CHROMA_STEPS * second);
}

void pixel_reader_init(struct pixel_reader *reader, const struct pixel_code *code)
{
	*reader = (struct pixel_reader){code, 0, read_pixel(code, 0)};
}

int pixel_reader_read(struct pixel_reader *reader, uint32_t pixel)
{
	if (pixel != reader->pixel) {
		reader->pixel = pixel;
		reader->number = read_pixel(reader->code, pixel);
	}
	return reader->number;
}
