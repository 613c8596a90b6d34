/* SPDX-License-Identifier: MIT */
#pragma once

/** Images in memory: screenshots of outputs, PNG files, and comparison. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;

struct image {
	int width, height;
	uint32_t *pixels; /* 0x00RRGGBB, no padding */
};

struct image *image_create(int width, int height);
/** NULL is legal. */
void image_destroy(struct image *image);
/** Copies the buffer's pixels. Returns NULL if it allows no CPU access or its format is unknown. */
struct image *image_from_buffer(struct buffer *buffer);
/** Loads a PNG file. Returns NULL if there is none. */
struct image *image_load(const char *path);
bool image_save(const struct image *image, const char *path);

struct image_difference {
	bool size; /* widths or heights differ; the other members are 0 */
	int n; /* pixels with a channel that differs by more than the tolerance */
	int most; /* largest difference of a channel */
	int x, y; /* the first such pixel */
};

/**
 * Returns true if at most `outliers` pixels have a channel that differs by more than `tolerance`
 * (of 255).
 */
bool image_compare(const struct image *a, const struct image *b, int tolerance, int outliers,
	struct image_difference *difference);
/** Returns an image of the differences; NULL if the sizes differ. */
struct image *image_difference(const struct image *a, const struct image *b);
