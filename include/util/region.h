#pragma once

/** Operations on pixman regions (always pixman_region32_t) that pixman lacks. `out` may be `in`. */

#include "util/box.h"
#include <pixman.h>

/** See transform_box(). */
void region_transform(pixman_region32_t *out, const pixman_region32_t *in,
	enum wl_output_transform transform, int width, int height);

/** Every rectangle scaled, edges rounded outward: the result covers all of the scaled region. */
void region_scale(pixman_region32_t *out, const pixman_region32_t *in, double x, double y);

/** Every rectangle scaled, edges rounded inward: for opaque regions, which must not grow. */
void region_scale_inward(pixman_region32_t *out, const pixman_region32_t *in, double x, double y);

/** Every rectangle grown by `distance` on all sides. */
void region_expand(pixman_region32_t *out, const pixman_region32_t *in, int distance);

/**
 * Keeps a region cheap: when it has more than `most` rectangles, those that lie near each other become one, a
 * quarter of `most` in the end, so that what lies far apart stays apart. For damage only, where covering more
 * is correct.
 */
void region_simplify(pixman_region32_t *region, int most);

/**
 * Rectangles that are gathered and become part of a region at once: one union after the other would go through all
 * that there were before each time. Zeroed: none.
 */
struct region_sum {
	pixman_box32_t *rects; /* kept for the next time */
	int n, max;
};

void region_sum_add(struct region_sum *sum, const pixman_region32_t *region);
/** To the region; none are left. */
void region_sum_take(struct region_sum *sum, pixman_region32_t *region);
void region_sum_finish(struct region_sum *sum);

/** Bytes that the region has allocated. */
size_t region_bytes(const pixman_region32_t *region);

/** A box whose far edge lies beyond an int is cut there. */
void region_set_box(pixman_region32_t *region, const struct box *box);

struct box region_extents(const pixman_region32_t *region);
/** Area in pixels, for accounting; INT64_MAX if it is more than that. */
int64_t region_area(const pixman_region32_t *region);
