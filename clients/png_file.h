/* SPDX-License-Identifier: MIT */
#pragma once

/** PNG files. */

#include <stddef.h>
#include <stdint.h>

/**
 * Writes an image of 32-bit pixels in WL_SHM_FORMAT_{ARGB,XRGB,ABGR,XBGR}8888, without alpha.
 * `path` "-" is standard output; `stride` is in bytes. Returns NULL, or an error message that the
 * caller does not free.
 */
const char *png_write(const char *path, const void *pixels, int32_t width, int32_t height,
	size_t stride, uint32_t format);
