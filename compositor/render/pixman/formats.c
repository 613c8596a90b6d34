/* SPDX-License-Identifier: MIT */
/* The pixel formats that pixman has. */

#include "render/pixman/pixman_renderer.h"

/* pixman names formats as DRM does, from the highest bit of a little-endian word down. */
static const struct {
	uint32_t drm;
	pixman_format_code_t pixman;
} formats[] = {
	{DRM_FORMAT_ARGB8888, PIXMAN_a8r8g8b8},
	{DRM_FORMAT_XRGB8888, PIXMAN_x8r8g8b8},
	{DRM_FORMAT_ABGR8888, PIXMAN_a8b8g8r8},
	{DRM_FORMAT_XBGR8888, PIXMAN_x8b8g8r8},
	{DRM_FORMAT_RGBA8888, PIXMAN_r8g8b8a8},
	{DRM_FORMAT_RGBX8888, PIXMAN_r8g8b8x8},
	{DRM_FORMAT_BGRA8888, PIXMAN_b8g8r8a8},
	{DRM_FORMAT_BGRX8888, PIXMAN_b8g8r8x8},
	{DRM_FORMAT_ARGB2101010, PIXMAN_a2r10g10b10},
	{DRM_FORMAT_XRGB2101010, PIXMAN_x2r10g10b10},
	{DRM_FORMAT_ABGR2101010, PIXMAN_a2b10g10r10},
	{DRM_FORMAT_XBGR2101010, PIXMAN_x2b10g10r10},
	{DRM_FORMAT_RGB888, PIXMAN_r8g8b8},
	{DRM_FORMAT_BGR888, PIXMAN_b8g8r8},
	{DRM_FORMAT_RGB565, PIXMAN_r5g6b5},
	{DRM_FORMAT_BGR565, PIXMAN_b5g6r5},
	{DRM_FORMAT_ARGB4444, PIXMAN_a4r4g4b4},
	{DRM_FORMAT_XRGB4444, PIXMAN_x4r4g4b4},
	{DRM_FORMAT_ABGR4444, PIXMAN_a4b4g4r4},
	{DRM_FORMAT_XBGR4444, PIXMAN_x4b4g4r4},
	{DRM_FORMAT_ARGB1555, PIXMAN_a1r5g5b5},
	{DRM_FORMAT_XRGB1555, PIXMAN_x1r5g5b5},
	{DRM_FORMAT_ABGR1555, PIXMAN_a1b5g5r5},
	{DRM_FORMAT_XBGR1555, PIXMAN_x1b5g5r5},
};

#define N_FORMATS (sizeof(formats) / sizeof(formats[0]))

pixman_format_code_t pixman_format_from_drm(uint32_t format)
{
	for (size_t i = 0; i < N_FORMATS; ++i) {
		if (formats[i].drm == format) {
			return formats[i].pixman;
		}
	}
	return 0;
}

void pixman_add_formats(struct renderer *renderer)
{
	for (size_t i = 0; i < N_FORMATS; ++i) {
		uint32_t format = formats[i].drm;
		if (pixel_format_get(format)) {
			renderer_add_shm_format(renderer, format);
			format_set_add(&renderer->texture_formats, format, DRM_FORMAT_MOD_LINEAR);
			format_set_add(&renderer->target_formats, format, DRM_FORMAT_MOD_LINEAR);
		}
	}
}
