/* SPDX-License-Identifier: MIT */
/* PNG files, written with libpng. */

#include "png_file.h"
#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wayland-client-protocol.h>

static void handle_error(png_structp png, png_const_charp message)
{
	longjmp(png_jmpbuf(png), 1);
}

static void handle_warning(png_structp png, png_const_charp message)
{
}

/** Converts one row to bytes of red, green, blue. */
static void convert(uint8_t *out, const void *row, int32_t width, int red_shift, int blue_shift)
{
	const uint8_t *in = row;
	for (int32_t x = 0; x < width; x++) {
		uint32_t pixel;
		memcpy(&pixel, in + (size_t)x * 4, sizeof(pixel));
		out[x * 3] = (uint8_t)(pixel >> red_shift);
		out[x * 3 + 1] = (uint8_t)(pixel >> 8);
		out[x * 3 + 2] = (uint8_t)(pixel >> blue_shift);
	}
}

/** Encodes an image. Returns false if libpng fails: out of memory, or a failed write. */
static bool encode(png_structp png, png_infop info, FILE *file, uint8_t *line, const void *pixels,
	int32_t width, int32_t height, size_t stride, bool bgr)
{
	if (setjmp(png_jmpbuf(png))) {
		return false;
	}
	png_init_io(png, file);
	png_set_compression_level(png, 3);
	png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_RGB,
		PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	png_write_info(png, info);
	for (int32_t y = 0; y < height; y++) {
		const char *row = (const char *)pixels + (size_t)y * stride;
		convert(line, row, width, bgr ? 0 : 16, bgr ? 16 : 0);
		png_write_row(png, line);
	}
	png_write_end(png, info);
	return true;
}

static bool write_stream(FILE *file, const void *pixels, int32_t width, int32_t height,
	size_t stride, uint32_t format)
{
	bool bgr = format == WL_SHM_FORMAT_ABGR8888 || format == WL_SHM_FORMAT_XBGR8888;
	uint8_t *line = malloc((size_t)width * 3);
	png_structp png =
		png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, handle_error, handle_warning);
	png_infop info = png ? png_create_info_struct(png) : NULL;
	bool written =
		line && info && encode(png, info, file, line, pixels, width, height, stride, bgr);
	png_destroy_write_struct(&png, &info);
	free(line);
	return written;
}

const char *png_write(const char *path, const void *pixels, int32_t width, int32_t height,
	size_t stride, uint32_t format)
{
	if (format != WL_SHM_FORMAT_ARGB8888 && format != WL_SHM_FORMAT_XRGB8888 &&
		format != WL_SHM_FORMAT_ABGR8888 && format != WL_SHM_FORMAT_XBGR8888) {
		return "unsupported pixel format";
	}
	bool to_stdout = strcmp(path, "-") == 0;
	FILE *file = to_stdout ? stdout : fopen(path, "wbe");
	if (!file) {
		return strerror(errno);
	}
	errno = 0;
	bool written = write_stream(file, pixels, width, height, stride, format);
	written = (to_stdout ? fflush(file) : fclose(file)) == 0 && written;
	if (written) {
		return NULL;
	}
	const char *reason = errno ? strerror(errno) : "out of memory";
	if (!to_stdout) {
		unlink(path);
	}
	return reason;
}
