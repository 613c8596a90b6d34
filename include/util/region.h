/* SPDX-License-Identifier: MIT */
#pragma once

/** Operations on pixman regions (always pixman_region32_t) that pixman lacks. `out` may be `in`. */

#include "util/box.h"
#include <pixman.h>

/** See transform_box(). */
void region_transform(pixman_region32_t *out, const pixman_region32_t *in,
	enum wl_output_transform transform, int width, int height);

/** Scales every rectangle, rounding edges outward: the result covers all of the scaled region. */
void region_scale(pixman_region32_t *out, const pixman_region32_t *in, double x, double y);

/** Scales every rectangle, rounding edges to the nearest pixel: neighbours stay neighbours. */
void region_scale_nearest(pixman_region32_t *out, const pixman_region32_t *in, double x, double y);

/** Grows every rectangle by `distance` on all sides. */
void region_expand(pixman_region32_t *out, const pixman_region32_t *in, int distance);

/**
 * Simplifies a region of more than `most` rectangles: neighbours are merged, down to a quarter of
 * `most` if necessary, while distant ones stay apart. For damage only, which may cover more.
 */
void region_simplify(pixman_region32_t *region, int most);

/**
 * Returns the number of the region's rectangles after those of neighbouring bands with the same
 * left and right edges are joined. Stores them in `out` unless NULL, which has room for as many as
 * pixman's.
 */
int region_join_bands(const pixman_region32_t *region, pixman_box32_t *out);

/**
 * Batch of rectangles to add to a region at once: separate unions would each walk the whole region.
 * Initialise with zeros.
 */
struct region_sum {
	pixman_box32_t *rects; /* kept for the next time */
	int n, max;
};

void region_sum_add(struct region_sum *sum, const pixman_region32_t *region);
/** Adds the batch to the region and empties it. */
void region_sum_take(struct region_sum *sum, pixman_region32_t *region);
void region_sum_finish(struct region_sum *sum);

/** Bytes that the region has allocated. */
size_t region_bytes(const pixman_region32_t *region);

/** Sets the region to a box, whose far edge is clamped to an int. */
void region_set_box(pixman_region32_t *region, const struct box *box);

struct box region_extents(const pixman_region32_t *region);
/** Returns the area in pixels, at most INT64_MAX. */
int64_t region_area(const pixman_region32_t *region);
