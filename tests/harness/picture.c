/* Pictures: pixels of an output or of a PNG file, and how they differ. */

#include "harness/picture.h"
#include "buffer/buffer.h"
#include "util/xalloc.h"
#include <drm_fourcc.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct picture *picture_create(int width, int height)
{
	struct picture *picture = xcalloc(1, sizeof(*picture));
	picture->width = width;
	picture->height = height;
	picture->pixels = xcalloc((size_t)width * height, sizeof(*picture->pixels));
	return picture;
}

void picture_destroy(struct picture *picture)
{
	if (picture) {
		free(picture->pixels);
		free(picture);
	}
}

static uint32_t swap_red_blue(uint32_t pixel)
{
	return (pixel & 0xff00) | (pixel & 0xff) << 16 | (pixel >> 16 & 0xff);
}

struct picture *picture_from_buffer(struct buffer *buffer)
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
	struct picture *picture = picture_create(buffer->width, buffer->height);
	for (int y = 0; y < picture->height; y++) {
		const uint32_t *row = (const uint32_t *)((const char *)data + y * stride);
		for (int x = 0; x < picture->width; x++) {
			picture->pixels[y * picture->width + x] =
				(swap ? swap_red_blue(row[x]) : row[x]) & 0xffffff;
		}
	}
	buffer_end_access(buffer);
	return picture;
}

struct picture *picture_load(const char *path)
{
	png_image image = {.version = PNG_IMAGE_VERSION};
	if (!png_image_begin_read_from_file(&image, path)) {
		return NULL;
	}
	image.format = PNG_FORMAT_BGRA;
	struct picture *picture = picture_create((int)image.width, (int)image.height);
	if (!png_image_finish_read(&image, NULL, picture->pixels, 0, NULL)) {
		picture_destroy(picture);
		return NULL;
	}
	for (size_t i = 0; i < (size_t)picture->width * picture->height; i++) {
		picture->pixels[i] &= 0xffffff;
	}
	return picture;
}

bool picture_save(const struct picture *picture, const char *path)
{
	png_image image = {
		.version = PNG_IMAGE_VERSION,
		.width = (png_uint_32)picture->width,
		.height = (png_uint_32)picture->height,
		.format = PNG_FORMAT_BGR,
	};
	size_t n = (size_t)picture->width * picture->height;
	unsigned char *bytes = xcalloc(n, 3);
	for (size_t i = 0; i < n; i++) {
		bytes[i * 3] = picture->pixels[i] & 0xff;
		bytes[i * 3 + 1] = picture->pixels[i] >> 8 & 0xff;
		bytes[i * 3 + 2] = picture->pixels[i] >> 16 & 0xff;
	}
	bool saved = png_image_write_to_file(&image, path, 0, bytes, 0, NULL);
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

bool picture_compare(const struct picture *a, const struct picture *b, int tolerance, int outliers,
	struct picture_difference *difference)
{
	*difference = (struct picture_difference){0};
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

struct picture *picture_difference(const struct picture *a, const struct picture *b)
{
	if (a->width != b->width || a->height != b->height) {
		return NULL;
	}
	struct picture *picture = picture_create(a->width, a->height);
	for (size_t i = 0; i < (size_t)a->width * a->height; i++) {
		int most = channel_difference(a->pixels[i], b->pixels[i]);
		/* Small differences would not be seen: the least is a third of full white. */
		uint32_t level = most ? (uint32_t)(85 + most * 170 / 255) : 0;
		picture->pixels[i] = level << 16 | level << 8 | level;
	}
	return picture;
}
