/* SPDX-License-Identifier: MIT */
#pragma once

/** Decoders of picture files. */

#include "render/picture.h"
#include <stdio.h>
#include <sys/types.h>

/**
 * Decode a file whose size was checked. Return NULL, or an error that the caller frees. The pixels
 * of *picture are premultiplied.
 */
char *picture_read_png(FILE *file, int size_most, struct picture *picture);
char *picture_read_jpeg(FILE *file, int size_most, struct picture *picture);
/**
 * Returns the orientation (1 to 8) that a segment of a JPEG file has as Exif, 1 (upright) by
 * default.
 */
int picture_find_orientation(const unsigned char *segment, size_t size);
/**
 * Returns a turned copy of an image of 4 bytes per pixel, upright for this orientation; NULL: no
 * memory.
 */
pixman_image_t *picture_orient(pixman_image_t *image, int orientation);
/**
 * Opens a file of at most `most` bytes. Returns NULL and sets *error, which the caller frees, on
 * failure.
 */
FILE *picture_open(const char *path, off_t most, char **error);
/** Returns an error if the size exceeds the limits, or NULL. */
char *picture_check_size(int64_t width, int64_t height, int size_most);
