#pragma once

/** A picture in memory: read back from an output, or from a PNG file; compared with another. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;

struct picture {
	int width, height;
	uint32_t *pixels; /* 0x00RRGGBB, no padding */
};

struct picture *picture_create(int width, int height);
/** NULL is legal. */
void picture_destroy(struct picture *picture);
/** A copy of the buffer's pixels; NULL if it allows no CPU access or its format is unknown. */
struct picture *picture_from_buffer(struct buffer *buffer);
/** NULL if there is no such file or it is no PNG file. */
struct picture *picture_load(const char *path);
bool picture_save(const struct picture *picture, const char *path);

struct picture_difference {
	bool size; /* widths or heights differ; the rest is zero */
	int n; /* pixels of which a channel differs by more than was tolerated */
	int most; /* greatest difference of a channel, tolerated or not */
	int x, y; /* the first of n */
};

/**
 * True if no channel of any pixel differs by more than `tolerance` (of 255), but for at most
 * `outliers` pixels.
 */
bool picture_compare(const struct picture *a, const struct picture *b, int tolerance, int outliers,
	struct picture_difference *difference);
/** Differences, made visible; NULL if the sizes differ. */
struct picture *picture_difference(const struct picture *a, const struct picture *b);
