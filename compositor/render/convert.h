#pragma once

/**
 * Pixels in formats that a renderer has no means for, made into 32-bit RGB by the CPU: YUV and 16-bit
 * channels. Only what was damaged is made anew, once, before it is drawn.
 *
 * A sample of chroma stands for all the pixels that share it; where it was sampled between them is not
 * looked at. Light above 1 in floating point is cut off.
 */

#include "gpu/coding.h"
#include "render/render.h"

/** What the format is made into: DRM_FORMAT_ARGB8888 or _XRGB8888; 0 if nothing is. */
uint32_t convert_format(uint32_t format);
/** Fills in the formats that there are. */
#define CONVERT_FORMATS 21
size_t convert_formats(uint32_t formats[static CONVERT_FORMATS]);

/** Of YUV: from codes, as the highest of 16 bits (luma's halved), to 255ths; see convert.c. */
struct convert_factors {
	int16_t luma, red, green_blue, green_red, blue;
	int32_t black; /* a code */
};

/** A buffer's memory, while it is accessed. */
struct convert {
	const struct convert_layout *layout;
	struct buffer_plane planes[BUFFER_MAX_PLANES];
	struct convert_factors factors;
};

/** `data` and `stride` as buffer_begin_access() gave them. False: its planes are not to be had. */
bool convert_init(struct convert *convert, struct buffer *buffer, void *data, size_t stride);
/** Makes the rectangle of the buffer, which lies within; `to` is its first pixel, `stride` bytes. */
void convert_rect(
	const struct convert *convert, const pixman_box32_t *rect, void *to, size_t stride);
