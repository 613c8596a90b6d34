/* Regions: transforms, scaling and accounting of sets of rectangles. */

#include "util/region.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* Regions of frames rarely have more rectangles than this, and then need no allocation. */
#define FEW 32

/* How a rectangle of a region becomes another one. */
struct mapping {
	void (*map)(const struct mapping *mapping, pixman_box32_t *rect);
	enum wl_output_transform transform;
	int width, height;
	double x, y;
	int distance;
	/* What the result is when there is no memory: all of the extents, or nothing. */
	bool empty_on_failure;
};

static int clamp_int(double value)
{
	if (!(value > INT_MIN)) {
		return INT_MIN;
	}
	return value < INT_MAX ? (int)value : INT_MAX;
}

static void fail(pixman_region32_t *out, const pixman_region32_t *in, const struct mapping *mapping)
{
	pixman_box32_t extents = *pixman_region32_extents((pixman_region32_t *)in);

	mapping->map(mapping, &extents);
	pixman_region32_fini(out);
	if (mapping->empty_on_failure || extents.x1 >= extents.x2 || extents.y1 >= extents.y2) {
		pixman_region32_init(out);
	} else {
		pixman_region32_init_with_extents(out, &extents);
	}
}

static void map_region(
	pixman_region32_t *out, const pixman_region32_t *in, const struct mapping *mapping)
{
	pixman_box32_t few[FEW];
	pixman_box32_t *rects = few;
	pixman_region32_t result;
	int n;
	const pixman_box32_t *from = pixman_region32_rectangles((pixman_region32_t *)in, &n);

	if (n > FEW) {
		rects = malloc((size_t)n * sizeof(*rects));
		if (rects == NULL) {
			fail(out, in, mapping);
			return;
		}
	}
	for (int i = 0; i < n; i++) {
		rects[i] = from[i];
		mapping->map(mapping, &rects[i]);
	}
	if (pixman_region32_init_rects(&result, rects, n)) {
		pixman_region32_fini(out);
		*out = result; /* a region has no pointers into itself */
	} else {
		fail(out, in, mapping);
	}
	if (rects != few) {
		free(rects);
	}
}

static void map_transform(const struct mapping *mapping, pixman_box32_t *rect)
{
	/* The width of a client's region may not fit an int; a double holds it exactly. */
	struct fbox box = {
		.x = rect->x1,
		.y = rect->y1,
		.width = (double)rect->x2 - rect->x1,
		.height = (double)rect->y2 - rect->y1,
	};

	transform_fbox(&box, &box, mapping->transform, mapping->width, mapping->height);
	rect->x1 = clamp_int(box.x);
	rect->y1 = clamp_int(box.y);
	rect->x2 = clamp_int(box.x + box.width);
	rect->y2 = clamp_int(box.y + box.height);
}

void region_transform(pixman_region32_t *out, const pixman_region32_t *in,
	enum wl_output_transform transform, int width, int height)
{
	if (transform == WL_OUTPUT_TRANSFORM_NORMAL) {
		if (out != in) {
			pixman_region32_copy(out, (pixman_region32_t *)in);
		}
		return;
	}
	map_region(out, in,
		&(struct mapping){
			.map = map_transform,
			.transform = transform,
			.width = width,
			.height = height,
		});
}

static void map_outward(const struct mapping *mapping, pixman_box32_t *rect)
{
	rect->x1 = clamp_int(floor(rect->x1 * mapping->x));
	rect->y1 = clamp_int(floor(rect->y1 * mapping->y));
	rect->x2 = clamp_int(ceil(rect->x2 * mapping->x));
	rect->y2 = clamp_int(ceil(rect->y2 * mapping->y));
}

static void map_inward(const struct mapping *mapping, pixman_box32_t *rect)
{
	rect->x1 = clamp_int(ceil(rect->x1 * mapping->x));
	rect->y1 = clamp_int(ceil(rect->y1 * mapping->y));
	rect->x2 = clamp_int(floor(rect->x2 * mapping->x));
	rect->y2 = clamp_int(floor(rect->y2 * mapping->y));
	if (rect->x2 < rect->x1 || rect->y2 < rect->y1) {
		*rect = (pixman_box32_t){0};
	}
}

static void scale(
	pixman_region32_t *out, const pixman_region32_t *in, double x, double y, bool inward)
{
	if (x == 1.0 && y == 1.0) {
		if (out != in) {
			pixman_region32_copy(out, (pixman_region32_t *)in);
		}
		return;
	}
	map_region(out, in,
		&(struct mapping){
			.map = inward ? map_inward : map_outward,
			.x = x,
			.y = y,
			.empty_on_failure = inward,
		});
}

void region_scale(pixman_region32_t *out, const pixman_region32_t *in, double x, double y)
{
	scale(out, in, x, y, false);
}

void region_scale_inward(pixman_region32_t *out, const pixman_region32_t *in, double x, double y)
{
	scale(out, in, x, y, true);
}

static void map_expand(const struct mapping *mapping, pixman_box32_t *rect)
{
	rect->x1 = clamp_int((double)rect->x1 - mapping->distance);
	rect->y1 = clamp_int((double)rect->y1 - mapping->distance);
	rect->x2 = clamp_int((double)rect->x2 + mapping->distance);
	rect->y2 = clamp_int((double)rect->y2 + mapping->distance);
}

void region_expand(pixman_region32_t *out, const pixman_region32_t *in, int distance)
{
	map_region(out, in, &(struct mapping){.map = map_expand, .distance = distance});
}

void region_simplify(pixman_region32_t *region, int most)
{
	if (pixman_region32_n_rects(region) > most) {
		pixman_box32_t extents = *pixman_region32_extents(region);

		pixman_region32_fini(region);
		pixman_region32_init_with_extents(region, &extents);
	}
}

void region_set_box(pixman_region32_t *region, const struct box *box)
{
	pixman_region32_fini(region);
	if (box_empty(box)) {
		pixman_region32_init(region);
		return;
	}
	/* pixman takes a far edge that wraps round for a bug, and says so on stderr. */
	pixman_region32_init_with_extents(
		region, &(pixman_box32_t){
				.x1 = box->x,
				.y1 = box->y,
				.x2 = clamp_int((double)box->x + box->width),
				.y2 = clamp_int((double)box->y + box->height),
			});
}

struct box region_extents(const pixman_region32_t *region)
{
	const pixman_box32_t *extents = pixman_region32_extents((pixman_region32_t *)region);

	return (struct box){
		.x = extents->x1,
		.y = extents->y1,
		.width = clamp_int((double)extents->x2 - extents->x1),
		.height = clamp_int((double)extents->y2 - extents->y1),
	};
}

int64_t region_area(const pixman_region32_t *region)
{
	int n;
	const pixman_box32_t *rects = pixman_region32_rectangles((pixman_region32_t *)region, &n);
	uint64_t area = 0;

	for (int i = 0; i < n; i++) {
		/* Infinite in both directions just fits an unsigned number. */
		area += (uint64_t)((int64_t)rects[i].x2 - rects[i].x1) *
			(uint64_t)((int64_t)rects[i].y2 - rects[i].y1);
	}
	return area < INT64_MAX ? (int64_t)area : INT64_MAX;
}
