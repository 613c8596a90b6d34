/* SPDX-License-Identifier: MIT */
/* Colours of raw images, by the definitions of their formats. */

#include "raw_color.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Channels of an RGB pixel, from the lowest bit on: a letter, and its width. */
struct rgb {
	uint32_t fourcc;
	const char *channels;
	bool half;
};

static const struct rgb rgbs[] = {
	{DRM_FORMAT_XRGB8888, "b8 g8 r8 x8", false},
	{DRM_FORMAT_ARGB8888, "b8 g8 r8 x8", false},
	{DRM_FORMAT_XBGR8888, "r8 g8 b8 x8", false},
	{DRM_FORMAT_ABGR8888, "r8 g8 b8 x8", false},
	{DRM_FORMAT_RGBX8888, "x8 b8 g8 r8", false},
	{DRM_FORMAT_RGBA8888, "x8 b8 g8 r8", false},
	{DRM_FORMAT_BGRX8888, "x8 r8 g8 b8", false},
	{DRM_FORMAT_BGRA8888, "x8 r8 g8 b8", false},
	{DRM_FORMAT_RGB888, "b8 g8 r8", false},
	{DRM_FORMAT_BGR888, "r8 g8 b8", false},
	{DRM_FORMAT_RGB565, "b5 g6 r5", false},
	{DRM_FORMAT_BGR565, "r5 g6 b5", false},
	{DRM_FORMAT_XRGB4444, "b4 g4 r4 x4", false},
	{DRM_FORMAT_ARGB4444, "b4 g4 r4 x4", false},
	{DRM_FORMAT_XBGR4444, "r4 g4 b4 x4", false},
	{DRM_FORMAT_ABGR4444, "r4 g4 b4 x4", false},
	{DRM_FORMAT_RGBX4444, "x4 b4 g4 r4", false},
	{DRM_FORMAT_RGBA4444, "x4 b4 g4 r4", false},
	{DRM_FORMAT_BGRX4444, "x4 r4 g4 b4", false},
	{DRM_FORMAT_BGRA4444, "x4 r4 g4 b4", false},
	{DRM_FORMAT_XRGB1555, "b5 g5 r5 x1", false},
	{DRM_FORMAT_ARGB1555, "b5 g5 r5 x1", false},
	{DRM_FORMAT_XBGR1555, "r5 g5 b5 x1", false},
	{DRM_FORMAT_ABGR1555, "r5 g5 b5 x1", false},
	{DRM_FORMAT_RGBX5551, "x1 b5 g5 r5", false},
	{DRM_FORMAT_RGBA5551, "x1 b5 g5 r5", false},
	{DRM_FORMAT_BGRX5551, "x1 r5 g5 b5", false},
	{DRM_FORMAT_BGRA5551, "x1 r5 g5 b5", false},
	{DRM_FORMAT_XRGB2101010, "b10 g10 r10 x2", false},
	{DRM_FORMAT_ARGB2101010, "b10 g10 r10 x2", false},
	{DRM_FORMAT_XBGR2101010, "r10 g10 b10 x2", false},
	{DRM_FORMAT_ABGR2101010, "r10 g10 b10 x2", false},
	{DRM_FORMAT_XBGR16161616, "r16 g16 b16 x16", false},
	{DRM_FORMAT_ABGR16161616, "r16 g16 b16 x16", false},
	{DRM_FORMAT_XRGB16161616, "b16 g16 r16 x16", false},
	{DRM_FORMAT_ARGB16161616, "b16 g16 r16 x16", false},
	{DRM_FORMAT_XBGR16161616F, "r16 g16 b16 x16", true},
	{DRM_FORMAT_ABGR16161616F, "r16 g16 b16 x16", true},
	{DRM_FORMAT_XRGB16161616F, "b16 g16 r16 x16", true},
	{DRM_FORMAT_ARGB16161616F, "b16 g16 r16 x16", true},
	{DRM_FORMAT_R8, "r8", false},
	{DRM_FORMAT_GR88, "r8 g8", false},
};

/* Where the samples of a pixel are: an element of a plane, and a sample within it. */
struct place {
	int plane, sample;
};

struct yuv {
	uint32_t fourcc;
	int h, v, bits; /* subsampling of chroma; highest bits of a sample */
	int bytes; /* of a sample */
	struct place u, v_;
};

/* With planes of their own for luma. */
static const struct yuv yuvs[] = {
	{DRM_FORMAT_NV12, 2, 2, 8, 1, {1, 0}, {1, 1}},
	{DRM_FORMAT_NV21, 2, 2, 8, 1, {1, 1}, {1, 0}},
	{DRM_FORMAT_NV16, 2, 1, 8, 1, {1, 0}, {1, 1}},
	{DRM_FORMAT_P010, 2, 2, 10, 2, {1, 0}, {1, 1}},
	{DRM_FORMAT_P012, 2, 2, 12, 2, {1, 0}, {1, 1}},
	{DRM_FORMAT_P016, 2, 2, 16, 2, {1, 0}, {1, 1}},
	{DRM_FORMAT_YUV420, 2, 2, 8, 1, {1, 0}, {2, 0}},
	{DRM_FORMAT_YVU420, 2, 2, 8, 1, {2, 0}, {1, 0}},
	{DRM_FORMAT_YUV422, 2, 1, 8, 1, {1, 0}, {2, 0}},
	{DRM_FORMAT_YUV444, 1, 1, 8, 1, {1, 0}, {2, 0}},
};

/* Bytes of luma of both pixels of a pair, and of chroma. */
static const struct {
	uint32_t fourcc;
	int y0, y1, u, v;
} packed[] = {
	{DRM_FORMAT_YUYV, 0, 2, 1, 3},
	{DRM_FORMAT_YVYU, 0, 2, 3, 1},
	{DRM_FORMAT_UYVY, 1, 3, 0, 2},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static uint32_t byte_of(double value)
{
	return value <= 0 ? 0 : value >= 1 ? 255 : (uint32_t)(value * 255 + 0.5);
}

static uint32_t pack(double red, double green, double blue)
{
	return byte_of(red) << 16 | byte_of(green) << 8 | byte_of(blue);
}

/* IEEE 754 binary16, without infinities and NaNs. */
static double half_of(uint32_t bits)
{
	int exponent = (int)(bits >> 10 & 31);
	double fraction = (bits & 1023) / 1024.0;
	double value = exponent ? ldexp(1 + fraction, exponent - 15) : ldexp(fraction, -14);
	return bits >> 15 ? -value : value;
}

static uint32_t rgb_color(const struct rgb *rgb, const uint8_t *bytes, size_t n)
{
	double red = 0, green = 0, blue = 0;
	uint64_t pixel = 0;
	for (size_t i = 0; i < n; i++) {
		pixel |= (uint64_t)bytes[i] << (8 * i);
	}
	for (const char *next = rgb->channels; *next; next += *next == ' ') {
		char channel = *next++;
		int width = (int)strtol(next, (char **)&next, 10);
		uint32_t code = (uint32_t)(pixel & ((UINT64_C(1) << width) - 1));
		double value = rgb->half ? half_of(code) : code / (ldexp(1, width) - 1);
		pixel >>= width;
		switch (channel) {
		case 'r': red = value; break;
		case 'g': green = value; break;
		case 'b': blue = value; break;
		default: break;
		}
	}
	return pack(red, green, blue);
}

/*
 * Codes of 8 bits and more to RGB: BT.601-7 2.5, BT.709-6 3, BT.2020-2 table 4. The tests' images
 * have standard definition, which is BT.601 by default, in limited range.
 */
static uint32_t yuv_color(struct color_coding coding, double y, double u, double v, int bits)
{
	bool hd = coding.matrix == COLOR_MATRIX_BT709, uhd = coding.matrix == COLOR_MATRIX_BT2020;
	bool full = coding.range == COLOR_RANGE_FULL;
	double kr = hd ? 0.2126 : uhd ? 0.2627 : 0.299, kb = hd ? 0.0722 : uhd ? 0.0593 : 0.114;
	double kg = 1 - kr - kb, unit = ldexp(1, bits - 8), most = ldexp(1, bits) - 1;
	double luma = full ? y / most : (y / unit - 16) / 219, neutral = 128 * unit;
	double cb = (u - neutral) / (full ? most : 224 * unit);
	double cr = (v - neutral) / (full ? most : 224 * unit);
	double red = luma + 2 * (1 - kr) * cr, blue = luma + 2 * (1 - kb) * cb;
	return pack(red, (luma - kr * red - kb * blue) / kg, blue);
}

static double sample(const struct raw_image *image, const struct yuv *yuv, struct place place,
	int32_t x, int32_t y)
{
	const uint8_t *bytes = raw_image_element(image, place.plane, (uint32_t)x, (uint32_t)y) +
			       place.sample * yuv->bytes;
	return yuv->bytes == 1 ? bytes[0] : (bytes[0] | bytes[1] << 8) >> (16 - yuv->bits);
}

/* Chroma belongs to all pixels of its group: renderers of tests do not interpolate it. */
static uint32_t planar_color(
	const struct raw_image *image, const struct yuv *yuv, int32_t x, int32_t y)
{
	const struct place luma = {0, 0};
	return yuv_color(image->reference->coding, sample(image, yuv, luma, x, y),
		sample(image, yuv, yuv->u, x / yuv->h, y / yuv->v),
		sample(image, yuv, yuv->v_, x / yuv->h, y / yuv->v), yuv->bits);
}

/* Elements are pixels of two bytes; a pair has four. */
static uint8_t pair_byte(const struct raw_image *image, int32_t x, int32_t y, int byte)
{
	return raw_image_element(image, 0, (uint32_t)((x & ~1) + byte / 2), (uint32_t)y)[byte % 2];
}

uint32_t raw_color_at(const struct raw_image *image, int32_t x, int32_t y)
{
	uint32_t fourcc = image->format->fourcc;
	for (size_t i = 0; i < COUNT(rgbs); i++) {
		if (rgbs[i].fourcc == fourcc) {
			return rgb_color(&rgbs[i],
				raw_image_element(image, 0, (uint32_t)x, (uint32_t)y),
				image->format->bytes[0]);
		}
	}
	for (size_t i = 0; i < COUNT(yuvs); i++) {
		if (yuvs[i].fourcc == fourcc) {
			return planar_color(image, &yuvs[i], x, y);
		}
	}
	for (size_t i = 0; i < COUNT(packed); i++) {
		if (packed[i].fourcc == fourcc) {
			int luma = x % 2 ? packed[i].y1 : packed[i].y0;
			return yuv_color(image->reference->coding, pair_byte(image, x, y, luma),
				pair_byte(image, x, y, packed[i].u),
				pair_byte(image, x, y, packed[i].v), 8);
		}
	}
	fail_msg("the test does not know the format 0x%08x", fourcc);
	return 0;
}

int raw_color_tolerance(const struct raw_image *image)
{
	return image->format->yuv ? 2 : image->format->depth == 8 ? 0 : 1;
}
