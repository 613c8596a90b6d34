/* SPDX-License-Identifier: MIT */
/* Shm formats of GLES 3, most of them by swizzling channels. */

#include "render/convert.h"
#include "render/gles/gles_renderer.h"
#include <GLES2/gl2ext.h>

/*
 * GL names the channels of byte formats in memory order, and those of packed formats from the
 * highest bit down (from the lowest for _REV); DRM always from the highest bit of a little-endian
 * word. The comments give the channels stored in GL's r, g, b, a.
 */
#define PLAIN GL_RED, GL_GREEN, GL_BLUE, GL_ALPHA
#define PLAIN_X GL_RED, GL_GREEN, GL_BLUE, GL_ONE
#define BGRA GL_BLUE, GL_GREEN, GL_RED, GL_ALPHA /* b, g, r, a */
#define BGRX GL_BLUE, GL_GREEN, GL_RED, GL_ONE
#define ARGB GL_GREEN, GL_BLUE, GL_ALPHA, GL_RED /* a, r, g, b */
#define XRGB GL_GREEN, GL_BLUE, GL_ALPHA, GL_ONE
#define ABGR GL_ALPHA, GL_BLUE, GL_GREEN, GL_RED /* a, b, g, r */
#define XBGR GL_ALPHA, GL_BLUE, GL_GREEN, GL_ONE

#define BYTES GL_RGBA, GL_RGBA, GL_UNSIGNED_BYTE
#define BYTES_3 GL_RGB, GL_RGB, GL_UNSIGNED_BYTE
#define TEN_BITS GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV
#define PACKED_565 GL_RGB, GL_RGB, GL_UNSIGNED_SHORT_5_6_5
#define PACKED_4444 GL_RGBA, GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4
#define PACKED_5551 GL_RGBA, GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1
#define HALF_FLOAT GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT
#define NORM16 GL_RGBA16_EXT, GL_RGBA, GL_UNSIGNED_SHORT

/* With GL_EXT_texture_format_BGRA8888, which drivers copy without touching each pixel. */
static const struct gles_format bgra_formats[] = {
	{DRM_FORMAT_ARGB8888, GL_BGRA_EXT, GL_BGRA_EXT, GL_UNSIGNED_BYTE, {PLAIN}},
	{DRM_FORMAT_XRGB8888, GL_BGRA_EXT, GL_BGRA_EXT, GL_UNSIGNED_BYTE, {PLAIN_X}},
};

static const struct gles_format formats[] = {
	{DRM_FORMAT_ARGB8888, BYTES, {BGRA}},
	{DRM_FORMAT_XRGB8888, BYTES, {BGRX}},
	{DRM_FORMAT_ABGR8888, BYTES, {PLAIN}},
	{DRM_FORMAT_XBGR8888, BYTES, {PLAIN_X}},
	{DRM_FORMAT_BGRA8888, BYTES, {ARGB}},
	{DRM_FORMAT_BGRX8888, BYTES, {XRGB}},
	{DRM_FORMAT_RGBA8888, BYTES, {ABGR}},
	{DRM_FORMAT_RGBX8888, BYTES, {XBGR}},
	{DRM_FORMAT_RGB888, BYTES_3, {BGRX}},
	{DRM_FORMAT_BGR888, BYTES_3, {PLAIN_X}},
	{DRM_FORMAT_ARGB2101010, TEN_BITS, {BGRA}},
	{DRM_FORMAT_XRGB2101010, TEN_BITS, {BGRX}},
	{DRM_FORMAT_ABGR2101010, TEN_BITS, {PLAIN}},
	{DRM_FORMAT_XBGR2101010, TEN_BITS, {PLAIN_X}},
	{DRM_FORMAT_RGB565, PACKED_565, {PLAIN_X}},
	{DRM_FORMAT_BGR565, PACKED_565, {BGRX}},
	{DRM_FORMAT_RGBA4444, PACKED_4444, {PLAIN}},
	{DRM_FORMAT_RGBX4444, PACKED_4444, {PLAIN_X}},
	{DRM_FORMAT_BGRA4444, PACKED_4444, {BGRA}},
	{DRM_FORMAT_BGRX4444, PACKED_4444, {BGRX}},
	{DRM_FORMAT_ARGB4444, PACKED_4444, {ARGB}},
	{DRM_FORMAT_XRGB4444, PACKED_4444, {XRGB}},
	{DRM_FORMAT_ABGR4444, PACKED_4444, {ABGR}},
	{DRM_FORMAT_XBGR4444, PACKED_4444, {XBGR}},
	{DRM_FORMAT_RGBA5551, PACKED_5551, {PLAIN}},
	{DRM_FORMAT_RGBX5551, PACKED_5551, {PLAIN_X}},
	{DRM_FORMAT_BGRA5551, PACKED_5551, {BGRA}},
	{DRM_FORMAT_BGRX5551, PACKED_5551, {BGRX}},
	{DRM_FORMAT_ABGR16161616F, HALF_FLOAT, {PLAIN}},
	{DRM_FORMAT_XBGR16161616F, HALF_FLOAT, {PLAIN_X}},
	{DRM_FORMAT_ARGB16161616F, HALF_FLOAT, {BGRA}},
	{DRM_FORMAT_XRGB16161616F, HALF_FLOAT, {BGRX}},
	{DRM_FORMAT_ABGR16161616, NORM16, {PLAIN}},
	{DRM_FORMAT_XBGR16161616, NORM16, {PLAIN_X}},
	{DRM_FORMAT_ARGB16161616, NORM16, {BGRA}},
	{DRM_FORMAT_XRGB16161616, NORM16, {BGRX}},
};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static const struct gles_format *find(
	const struct gles_format *table, size_t length, uint32_t format)
{
	for (size_t i = 0; i < length; ++i) {
		if (table[i].format == format) {
			return &table[i];
		}
	}
	return NULL;
}

const struct gles_format *gles_format_get(const struct egl *egl, uint32_t format)
{
	const struct gles_format *found =
		egl->has.bgra ? find(bgra_formats, LENGTH(bgra_formats), format) : NULL;
	if (!found) {
		found = find(formats, LENGTH(formats), format);
	}
	if (found && found->internal == GL_RGBA16_EXT && !egl->has.norm16) {
		return NULL;
	}
	return found;
}

/* Tries a texture of one texel: no table tells whether GL supports the combination. */
static bool works(const struct gles_format *format)
{
	GLuint texture;
	gles_clear_errors();
	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	static const uint8_t pixel[16];
	glTexImage2D(
		GL_TEXTURE_2D, 0, format->internal, 1, 1, 0, format->layout, format->type, pixel);
	bool ok = glGetError() == GL_NO_ERROR;
	glBindTexture(GL_TEXTURE_2D, 0);
	glDeleteTextures(1, &texture);
	return ok;
}

void gles_find_shm_formats(struct renderer *renderer, const struct egl *egl)
{
	for (size_t i = 0; i < LENGTH(formats); ++i) {
		uint32_t code = formats[i].format;
		const struct gles_format *format = gles_format_get(egl, code);
		if (format && pixel_format_get(code) && works(format)) {
			renderer_add_shm_format(renderer, code);
		}
	}
	uint32_t converted[CONVERT_FORMATS];
	size_t n = convert_formats(converted);
	for (size_t i = 0; i < n; ++i) {
		if (!renderer_takes_shm(renderer, converted[i])) {
			renderer_add_shm_format(renderer, converted[i]);
		}
	}
}
