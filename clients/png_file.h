#pragma once

/** Writing pictures as PNG files. */

#include <stddef.h>
#include <stdint.h>

/**
 * Pixels are 32 bits as wl_shm has them: WL_SHM_FORMAT_{ARGB,XRGB,ABGR,XBGR}8888; alpha is left out.
 * `path` "-" is standard output. NULL, or what went wrong as a static string or strerror()'s.
 */
const char *png_write(const char *path, const void *pixels, int32_t width, int32_t height,
	size_t stride, uint32_t format);
