/* SPDX-License-Identifier: MIT */
/* PNG files, decoded by the simplified interface of libpng. */

#include "picture_file.h"
#include "util/library.h"
#include "util/xalloc.h"
#include <png.h>
#include <stdlib.h>

struct library {
	void *handle;
	__typeof__(png_image_begin_read_from_stdio) *begin;
	__typeof__(png_image_finish_read) *finish;
	__typeof__(png_image_free) *free;
};

/* Multiplies the colours by alpha. Returns true if all pixels are opaque. */
static bool premultiply(uint32_t *pixel, size_t n)
{
	bool opaque = true;
	for (; n > 0; n--, pixel++) {
		const uint32_t alpha = *pixel >> 24;
		if (alpha == 255) {
			continue;
		}
		opaque = false;
		uint32_t result = alpha << 24;
		for (int shift = 0; shift < 24; shift += 8) {
			result |= ((*pixel >> shift & 0xff) * alpha + 127) / 255 << shift;
		}
		*pixel = result;
	}
	return opaque;
}

static char *decode(const struct library *library, png_image *png, struct picture *picture)
{
	png->format = PNG_FORMAT_BGRA;
	pixman_image_t *image = pixman_image_create_bits_no_clear(
		PIXMAN_a8r8g8b8, (int)png->width, (int)png->height, NULL, 0);
	if (!image) {
		return xstrdup("out of memory");
	}
	uint32_t *data = pixman_image_get_data(image);
	if (!library->finish(png, NULL, data, pixman_image_get_stride(image), NULL)) {
		pixman_image_unref(image);
		return xstrdup(png->message);
	}
	picture->image = image;
	picture->opaque = premultiply(data, (size_t)png->width * png->height);
	return NULL;
}

static char *read_with(
	const struct library *library, FILE *file, int size_most, struct picture *out)
{
	png_image png = {.version = PNG_IMAGE_VERSION};
	if (!library->begin(&png, file)) {
		return xstrdup(png.message);
	}
	char *error = picture_check_size(png.width, png.height, size_most);
	error = error ? error : decode(library, &png, out);
	library->free(&png);
	return error;
}

char *picture_read_png(FILE *file, int size_most, struct picture *picture)
{
	struct library library = {dlopen("libpng16.so.16", RTLD_NOW | RTLD_LOCAL)};
	char *error;
	if (!library.handle) {
		return xstrdup(dlerror());
	}
	if (library_find(library.handle, "png_image_begin_read_from_stdio", &library.begin) &&
		library_find(library.handle, "png_image_finish_read", &library.finish) &&
		library_find(library.handle, "png_image_free", &library.free)) {
		error = read_with(&library, file, size_most, picture);
	} else {
		error = xstrdup("libpng16.so.16 has an unknown interface");
	}
	dlclose(library.handle);
	return error;
}
