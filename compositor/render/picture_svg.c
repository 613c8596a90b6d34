/* SPDX-License-Identifier: MIT */
/*
 * SVG files, drawn with librsvg by a helper process: the library brings GLib, Pango and libxml2,
 * which would stay in memory, and a hostile file may take long or end the process.
 */

#include "picture_file.h"
#include "util/helper_process.h"
#include "util/library.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** ms until the process is killed. */
#define TIMEOUT 5000

static size_t bytes_of(int size)
{
	return (size_t)size * (size_t)size * sizeof(uint32_t);
}

char *picture_read_svg(const char *path, int size, const char *program, struct picture *picture)
{
	char *error = NULL;
	FILE *file = picture_open(path, PICTURE_SVG_FILE_MAX, &error);
	struct helper_process process;
	*picture = (struct picture){NULL};
	if (!file) {
		return error;
	}
	char *argument = xasprintf(PICTURE_SVG_ARGUMENT "%d", size);
	const int started = helper_process_start(&process, program, argument, fileno(file));
	free(argument);
	fclose(file);
	if (started < 0) {
		return xstrdup(strerror(-started));
	}
	size_t length;
	char *pixels = helper_process_read(&process, TIMEOUT, bytes_of(size), &length);
	helper_process_end(&process);
	if (pixels && length == bytes_of(size)) {
		picture->image = pixman_image_create_bits_no_clear(
			PIXMAN_a8r8g8b8, size, size, NULL, size * 4);
	}
	if (picture->image) {
		memcpy(pixman_image_get_data(picture->image), pixels, length);
	}
	free(pixels);
	return picture->image ? NULL : xstrdup("it cannot be drawn");
}

/* In the helper process */

#ifdef CAUSEWAY_SVG

#include <librsvg/rsvg.h>

struct library {
	__typeof__(rsvg_handle_new_from_data) *load;
	__typeof__(rsvg_handle_render_document) *render;
	__typeof__(cairo_image_surface_create_for_data) *create_surface;
	__typeof__(cairo_create) *create;
};

bool picture_svg_is_built(void)
{
	return true;
}

static bool open_library(struct library *library)
{
	void *handle = dlopen("librsvg-2.so.2", RTLD_NOW | RTLD_LOCAL);
	return handle && library_find(handle, "rsvg_handle_new_from_data", &library->load) &&
	       library_find(handle, "rsvg_handle_render_document", &library->render) &&
	       library_find(
		       handle, "cairo_image_surface_create_for_data", &library->create_surface) &&
	       library_find(handle, "cairo_create", &library->create);
}

/* Draws without a base file: references to other files are refused. */
static bool draw(const unsigned char *text, size_t length, int size, unsigned char *pixels)
{
	struct library library;
	if (!open_library(&library)) {
		return false;
	}
	RsvgHandle *svg = library.load(text, length, NULL);
	const RsvgRectangle area = {0, 0, size, size};
	cairo_t *cairo = library.create(library.create_surface(
		pixels, CAIRO_FORMAT_ARGB32, size, size, size * (int)sizeof(uint32_t)));
	return svg && library.render(svg, cairo, &area, NULL);
}

#else

bool picture_svg_is_built(void)
{
	return false;
}

static bool draw(const unsigned char *text, size_t length, int size, unsigned char *pixels)
{
	return false;
}

#endif

static bool write_all(int fd, const unsigned char *data, size_t length)
{
	for (ssize_t n; length > 0; data += n, length -= (size_t)n) {
		n = write(fd, data, length);
		if (n <= 0) {
			return false;
		}
	}
	return true;
}

bool picture_svg_answer(int size)
{
	if (size < 1 || size > PICTURE_SVG_SIZE_MAX) {
		return false;
	}
	unsigned char *text = xcalloc(PICTURE_SVG_FILE_MAX, 1);
	unsigned char *pixels = xcalloc(bytes_of(size), 1);
	const size_t length = fread(text, 1, PICTURE_SVG_FILE_MAX, stdin);
	/* Warnings of the library are about the file. */
	dup2(STDOUT_FILENO, STDERR_FILENO);
	const bool drawn =
		draw(text, length, size, pixels) && write_all(HELPER_FD, pixels, bytes_of(size));
	free(text);
	free(pixels);
	return drawn;
}
