/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Pictures: PNG, JPEG and SVG files as images. The libraries are loaded at the first use.
 * Everything here reads files or many pixels: call it from a thread.
 */

#include "util/box.h"
#include <pixman.h>
#include <stdbool.h>

/** Maximum width and height of a picture, number of its pixels, and size of its file (bytes). */
#define PICTURE_SIZE_MAX 16384
#define PICTURE_PIXELS_MAX (40 * 1024 * 1024)
#define PICTURE_FILE_MAX (128 * 1024 * 1024)

/** Maximum width and height of a drawn SVG file, and size of the file (bytes). */
#define PICTURE_SVG_SIZE_MAX 1024
#define PICTURE_SVG_FILE_MAX (4 * 1024 * 1024)
/** Argument of the helper process that draws an SVG file; the size follows. */
#define PICTURE_SVG_ARGUMENT "--draw-svg="

enum picture_mode {
	PICTURE_FILL = 1, /* covers the area, cropped */
	PICTURE_FIT, /* all of the picture, as large as possible */
	PICTURE_STRETCH,
	PICTURE_CENTER, /* unscaled */
	PICTURE_TILE,
};

/** A part of a picture, and its place in an area. */
struct picture_place {
	struct fbox src; /* in pixels of the picture */
	struct box dst; /* in pixels of the area, within it */
	bool repeats; /* `src` may exceed the picture, which then repeats */
};

/** Pixels of a picture. */
struct picture {
	pixman_image_t *image; /* premultiplied a8r8g8b8, owned; NULL: none */
	bool opaque; /* all pixels are */
};

/**
 * Reads a picture of at most `size_most` pixels in each direction. Returns NULL, or an error that
 * the caller frees. *picture is unset on errors.
 */
char *picture_read(const char *path, int size_most, struct picture *picture);
/**
 * Draws an SVG file into a square of size x size pixels, at most PICTURE_SVG_SIZE_MAX, with its
 * proportions kept. A helper process, `program`, draws for five seconds at most, and reads no other
 * file for the picture. Returns NULL, or an error that the caller frees.
 */
char *picture_read_svg(const char *path, int size, const char *program, struct picture *picture);
/** Returns whether this build draws SVG files. */
bool picture_svg_is_built(void);
/**
 * Draws the SVG file at standard input, as the helper process that was started with
 * PICTURE_SVG_ARGUMENT and this size. Returns false on failure.
 */
bool picture_svg_answer(int size);
/** Returns the place of a picture of this size in an area. Sizes are above 0. */
struct picture_place picture_place(
	enum picture_mode mode, int width, int height, int area_width, int area_height);
/** Scales the part at `place` to the size of its box. Returns no image if memory is short. */
struct picture picture_scale(const struct picture *picture, const struct picture_place *place);
void picture_finish(struct picture *picture);
