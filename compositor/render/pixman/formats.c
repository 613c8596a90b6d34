/* SPDX-License-Identifier: MIT */
/* The pixel formats that pixman has. */

#include "render/pixman/pixman_renderer.h"

/* pixman names formats as DRM does, from the highest bit of a little-endian word down. */
static const uint32_t drm_formats[] = {
	DRM_FORMAT_ARGB8888,
	DRM_FORMAT_XRGB8888,
	DRM_FORMAT_ABGR8888,
	DRM_FORMAT_XBGR8888,
	DRM_FORMAT_RGBA8888,
	DRM_FORMAT_RGBX8888,
	DRM_FORMAT_BGRA8888,
	DRM_FORMAT_BGRX8888,
	DRM_FORMAT_ARGB2101010,
	DRM_FORMAT_XRGB2101010,
	DRM_FORMAT_ABGR2101010,
	DRM_FORMAT_XBGR2101010,
	DRM_FORMAT_RGB888,
	DRM_FORMAT_BGR888,
	DRM_FORMAT_RGB565,
	DRM_FORMAT_BGR565,
	DRM_FORMAT_ARGB4444,
	DRM_FORMAT_XRGB4444,
	DRM_FORMAT_ABGR4444,
	DRM_FORMAT_XBGR4444,
	DRM_FORMAT_ARGB1555,
	DRM_FORMAT_XRGB1555,
	DRM_FORMAT_ABGR1555,
	DRM_FORMAT_XBGR1555,
};

static const pixman_format_code_t pixman_formats[] = {
	PIXMAN_a8r8g8b8,
	PIXMAN_x8r8g8b8,
	PIXMAN_a8b8g8r8,
	PIXMAN_x8b8g8r8,
	PIXMAN_r8g8b8a8,
	PIXMAN_r8g8b8x8,
	PIXMAN_b8g8r8a8,
	PIXMAN_b8g8r8x8,
	PIXMAN_a2r10g10b10,
	PIXMAN_x2r10g10b10,
	PIXMAN_a2b10g10r10,
	PIXMAN_x2b10g10r10,
	PIXMAN_r8g8b8,
	PIXMAN_b8g8r8,
	PIXMAN_r5g6b5,
	PIXMAN_b5g6r5,
	PIXMAN_a4r4g4b4,
	PIXMAN_x4r4g4b4,
	PIXMAN_a4b4g4r4,
	PIXMAN_x4b4g4r4,
	PIXMAN_a1r5g5b5,
	PIXMAN_x1r5g5b5,
	PIXMAN_a1b5g5r5,
	PIXMAN_x1b5g5r5,
};

#define N_FORMATS (sizeof(drm_formats) / sizeof(drm_formats[0]))

_Static_assert(sizeof(pixman_formats) / sizeof(pixman_formats[0]) == N_FORMATS,
	"the tables go line by line");

pixman_format_code_t pixman_format_from_drm(uint32_t format)
{
	for (size_t i = 0; i < N_FORMATS; ++i) {
		if (drm_formats[i] == format) {
			return pixman_formats[i];
		}
	}
	return 0;
}

const uint32_t *pixman_drm_formats(size_t *n)
{
	*n = N_FORMATS;
	return drm_formats;
}
