/* SPDX-License-Identifier: MIT */
/* Images: screenshots of outputs, PNG files, and comparison. */

#include "harness/image.h"
#include "buffer/buffer.h"
#include "util/xalloc.h"
#include <drm_fourcc.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct image *image_create(int width, int height)
{
	struct image *image = xcalloc(1, sizeof(*image));
	image->width = width;
	image->height = height;
	image->pixels = xcalloc((size_t)width * height, sizeof(*image->pixels));
	return image;
}

void image_destroy(struct image *image)
{
	if (image) {
		free(image->pixels);
		free(image);
	}
}

static uint32_t swap_red_blue(uint32_t pixel)
{
	return (pixel & 0xff00) | (pixel & 0xff) << 16 | (pixel >> 16 & 0xff);
}

struct image *image_from_buffer(struct buffer *buffer)
{
	bool swap = false;
	switch (buffer->format) {
	case DRM_FORMAT_XRGB8888:
	case DRM_FORMAT_ARGB8888: break;
	case DRM_FORMAT_XBGR8888:
	case DRM_FORMAT_ABGR8888: swap = true; break;
	default: return NULL;
	}
	void *data;
	size_t stride;
	if (buffer_begin_access(buffer, BUFFER_READ, &data, &stride) != 0) {
		return NULL;
	}
	struct image *image = image_create(buffer->width, buffer->height);
	for (int y = 0; y < image->height; y++) {
		const uint32_t *row = (const uint32_t *)((const char *)data + y * stride);
		for (int x = 0; x < image->width; x++) {
			image->pixels[y * image->width + x] =
				(swap ? swap_red_blue(row[x]) : row[x]) & 0xffffff;
		}
	}
	buffer_end_access(buffer);
	return image;
}

struct image *image_load(const char *path)
{
	png_image png = {.version = PNG_IMAGE_VERSION};
	if (!png_image_begin_read_from_file(&png, path)) {
		return NULL;
	}
	png.format = PNG_FORMAT_BGRA;
	struct image *image = image_create((int)png.width, (int)png.height);
	if (!png_image_finish_read(&png, NULL, image->pixels, 0, NULL)) {
		image_destroy(image);
		return NULL;
	}
	for (size_t i = 0; i < (size_t)image->width * image->height; i++) {
		image->pixels[i] &= 0xffffff;
	}
	return image;
}

bool image_save(const struct image *image, const char *path)
{
	png_image png = {
		.version = PNG_IMAGE_VERSION,
		.width = (png_uint_32)image->width,
		.height = (png_uint_32)image->height,
		.format = PNG_FORMAT_BGR,
	};
	size_t n = (size_t)image->width * image->height;
	unsigned char *bytes = xcalloc(n, 3);
	for (size_t i = 0; i < n; i++) {
		bytes[i * 3] = image->pixels[i] & 0xff;
		bytes[i * 3 + 1] = image->pixels[i] >> 8 & 0xff;
		bytes[i * 3 + 2] = image->pixels[i] >> 16 & 0xff;
	}
	bool saved = png_image_write_to_file(&png, path, 0, bytes, 0, NULL);
	free(bytes);
	return saved;
}

static int channel_difference(uint32_t a, uint32_t b)
{
	int most = 0;
	for (int shift = 0; shift < 24; shift += 8) {
		int difference = abs((int)(a >> shift & 0xff) - (int)(b >> shift & 0xff));
		most = difference > most ? difference : most;
	}
	return most;
}

bool image_compare(const struct image *a, const struct image *b, int tolerance, int outliers,
	struct image_difference *difference)
{
	*difference = (struct image_difference){0};
	if (a->width != b->width || a->height != b->height) {
		difference->size = true;
		return false;
	}
	for (int y = 0; y < a->height; y++) {
		for (int x = 0; x < a->width; x++) {
			int i = y * a->width + x;
			int most = channel_difference(a->pixels[i], b->pixels[i]);
			if (most > tolerance && difference->n++ == 0) {
				difference->x = x;
				difference->y = y;
			}
			difference->most = most > difference->most ? most : difference->most;
		}
	}
	return difference->n <= outliers;
}

struct image *image_difference(const struct image *a, const struct image *b)
{
	if (a->width != b->width || a->height != b->height) {
		return NULL;
	}
	struct image *image = image_create(a->width, a->height);
	for (size_t i = 0; i < (size_t)a->width * a->height; i++) {
		int most = channel_difference(a->pixels[i], b->pixels[i]);
		/* The smallest difference is a third of full white, so that it is visible. */
		uint32_t level = most ? (uint32_t)(85 + most * 170 / 255) : 0;
		image->pixels[i] = level << 16 | level << 8 | level;
	}
	return image;
}
