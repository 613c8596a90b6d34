/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Conversion by the CPU to 32-bit RGB, of formats that a renderer does not support: YUV and 16-bit
 * channels. Only damage is converted, once, before it is drawn.
 *
 * A chroma sample applies to all pixels that share it, regardless of siting. Floating-point values
 * above 1 are clamped.
 */

#include "gpu/color_coding.h"
#include "render/render.h"

/**
 * Returns the result's format: DRM_FORMAT_ARGB8888 or _XRGB8888; 0 if the format is not converted.
 */
uint32_t convert_format(uint32_t format);
/** Fills in the supported formats. */
#define CONVERT_FORMATS 21
size_t convert_formats(uint32_t formats[static CONVERT_FORMATS]);

/** YUV only: from codes, as the highest of 16 bits (luma's halved), to 255ths; see convert.c. */
struct convert_factors {
	int16_t luma, red, green_blue, green_red, blue;
	int32_t black; /* a code */
};

/** A buffer's memory, while it is accessed. */
struct convert {
	const struct convert_layout *layout;
	struct buffer_plane planes[BUFFER_PLANES_MAX];
	struct convert_factors factors;
};

/**
 * Initialises for memory of the buffer, as of buffer_begin_access(). Returns false if planes are in
 * separate memory.
 */
bool convert_init(
	struct convert *convert, struct buffer *buffer, const struct render_source *source);
/** Converts a rectangle inside the buffer; `to` is its first pixel, `stride` in bytes. */
void convert_rect(
	const struct convert *convert, const pixman_box32_t *rect, void *to, size_t stride);
