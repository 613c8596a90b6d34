/* SPDX-License-Identifier: MIT */
/* Regions: transforms, scaling and accounting of sets of rectangles. */

#include "util/region.h"
#include "util/xalloc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Frames' regions rarely have more rectangles, and then need no allocation. */
#define FEW 32

/* Maps a rectangle of a region to another. */
struct mapping {
	void (*map)(const struct mapping *mapping, pixman_box32_t *rect);
	enum wl_output_transform transform;
	int width, height;
	double x, y;
	int distance;
};

/* Out of memory: the result is the extents. */
static void fail(pixman_region32_t *out, const pixman_region32_t *in, const struct mapping *mapping)
{
	pixman_box32_t extents = *pixman_region32_extents((pixman_region32_t *)in);
	mapping->map(mapping, &extents);
	pixman_region32_fini(out);
	if (extents.x1 >= extents.x2 || extents.y1 >= extents.y2) {
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
		if (!rects) {
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
	rect->x1 = coord_from_double(box.x);
	rect->y1 = coord_from_double(box.y);
	rect->x2 = coord_from_double(box.x + box.width);
	rect->y2 = coord_from_double(box.y + box.height);
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
	rect->x1 = coord_from_double(floor(rect->x1 * mapping->x));
	rect->y1 = coord_from_double(floor(rect->y1 * mapping->y));
	rect->x2 = coord_from_double(ceil(rect->x2 * mapping->x));
	rect->y2 = coord_from_double(ceil(rect->y2 * mapping->y));
}

static void map_nearest(const struct mapping *mapping, pixman_box32_t *rect)
{
	rect->x1 = coord_from_double(round(rect->x1 * mapping->x));
	rect->y1 = coord_from_double(round(rect->y1 * mapping->y));
	rect->x2 = coord_from_double(round(rect->x2 * mapping->x));
	rect->y2 = coord_from_double(round(rect->y2 * mapping->y));
}

static void scale(pixman_region32_t *out, const pixman_region32_t *in, double x, double y,
	void (*map)(const struct mapping *mapping, pixman_box32_t *rect))
{
	if (x == 1.0 && y == 1.0) {
		if (out != in) {
			pixman_region32_copy(out, (pixman_region32_t *)in);
		}
		return;
	}
	map_region(out, in, &(struct mapping){.map = map, .x = x, .y = y});
}

void region_scale(pixman_region32_t *out, const pixman_region32_t *in, double x, double y)
{
	scale(out, in, x, y, map_outward);
}

void region_scale_nearest(pixman_region32_t *out, const pixman_region32_t *in, double x, double y)
{
	scale(out, in, x, y, map_nearest);
}

static void map_expand(const struct mapping *mapping, pixman_box32_t *rect)
{
	rect->x1 = coord_from_double((double)rect->x1 - mapping->distance);
	rect->y1 = coord_from_double((double)rect->y1 - mapping->distance);
	rect->x2 = coord_from_double((double)rect->x2 + mapping->distance);
	rect->y2 = coord_from_double((double)rect->y2 + mapping->distance);
}

void region_expand(pixman_region32_t *out, const pixman_region32_t *in, int distance)
{
	map_region(out, in, &(struct mapping){.map = map_expand, .distance = distance});
}

/* Maximum rows, and columns, of the grid by which a region is simplified. */
#define GRID_MAX 8

/*
 * Bounding boxes of a region's parts in the cells of a grid over its extents, of equal height in a
 * row.
 */
struct grid {
	int n; /* rows, and columns */
	pixman_box32_t extents;
	struct grid_row {
		int32_t y1, y2;
		struct {
			int32_t x1, x2; /* none if x1 >= x2 */
		} fields[GRID_MAX];
	} rows[GRID_MAX];
};

/* Returns the position of the line before cell i of n. */
static int32_t grid_line(int32_t from, int32_t to, int i, int n)
{
	return (int32_t)(from + ((int64_t)to - from) * i / n);
}

static int32_t smaller(int32_t a, int32_t b)
{
	return a < b ? a : b;
}

static int32_t larger(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

static void grid_add(struct grid *grid, const pixman_box32_t *rect)
{
	const pixman_box32_t *extents = &grid->extents;
	for (int r = 0; r < grid->n; r++) {
		struct grid_row *row = &grid->rows[r];
		int32_t y1 = larger(rect->y1, grid_line(extents->y1, extents->y2, r, grid->n));
		int32_t y2 = smaller(rect->y2, grid_line(extents->y1, extents->y2, r + 1, grid->n));
		if (y1 >= y2) {
			continue;
		}
		row->y1 = smaller(row->y1, y1);
		row->y2 = larger(row->y2, y2);
		for (int c = 0; c < grid->n; c++) {
			int32_t x1 =
				larger(rect->x1, grid_line(extents->x1, extents->x2, c, grid->n));
			int32_t x2 = smaller(
				rect->x2, grid_line(extents->x1, extents->x2, c + 1, grid->n));
			if (x1 < x2) {
				row->fields[c].x1 = smaller(row->fields[c].x1, x1);
				row->fields[c].x2 = larger(row->fields[c].x2, x2);
			}
		}
	}
}

static int grid_rects(const struct grid *grid, pixman_box32_t *rects)
{
	int n = 0;
	for (int r = 0; r < grid->n; r++) {
		const struct grid_row *row = &grid->rows[r];
		for (int c = 0; c < grid->n; c++) {
			if (row->fields[c].x1 < row->fields[c].x2) {
				rects[n++] = (pixman_box32_t){
					row->fields[c].x1, row->y1, row->fields[c].x2, row->y2};
			}
		}
	}
	return n;
}

void region_simplify(pixman_region32_t *region, int most)
{
	pixman_box32_t few[GRID_MAX * GRID_MAX];
	pixman_region32_t result;
	int n = pixman_region32_n_rects(region);
	if (n <= most) {
		return;
	}
	struct grid grid = {.n = 1, .extents = *pixman_region32_extents(region)};
	while (grid.n < GRID_MAX && 4 * (grid.n + 1) * (grid.n + 1) <= most) {
		grid.n++;
	}
	for (int r = 0; r < grid.n; r++) {
		grid.rows[r].y1 = INT32_MAX;
		grid.rows[r].y2 = INT32_MIN;
		for (int c = 0; c < grid.n; c++) {
			grid.rows[r].fields[c].x1 = INT32_MAX;
			grid.rows[r].fields[c].x2 = INT32_MIN;
		}
	}
	const pixman_box32_t *rects = pixman_region32_rectangles(region, &n);
	for (int i = 0; i < n; i++) {
		grid_add(&grid, &rects[i]);
	}
	if (!pixman_region32_init_rects(&result, few, grid_rects(&grid, few))) {
		pixman_region32_init_with_extents(&result, &grid.extents);
	}
	pixman_region32_fini(region);
	*region = result;
}

void region_sum_add(struct region_sum *sum, const pixman_region32_t *region)
{
	int n;
	const pixman_box32_t *rects = pixman_region32_rectangles((pixman_region32_t *)region, &n);
	if (n == 0) {
		return;
	}
	if (sum->n + n > sum->max) {
		sum->max = 2 * (sum->n + n);
		sum->rects = xrealloc(sum->rects, (size_t)sum->max, sizeof(*rects));
	}
	memcpy(&sum->rects[sum->n], rects, (size_t)n * sizeof(*rects));
	sum->n += n;
}

void region_sum_take(struct region_sum *sum, pixman_region32_t *region)
{
	pixman_region32_t more;
	if (sum->n == 0) {
		return;
	}
	if (!pixman_region32_init_rects(&more, sum->rects, sum->n)) {
		abort(); /* out of memory */
	}
	pixman_region32_union(region, region, &more);
	pixman_region32_fini(&more);
	sum->n = 0;
}

void region_sum_finish(struct region_sum *sum)
{
	free(sum->rects);
}

void region_set_box(pixman_region32_t *region, const struct box *box)
{
	pixman_region32_fini(region);
	if (box_empty(box)) {
		pixman_region32_init(region);
		return;
	}
	/* pixman reports an overflowing far edge as a bug on stderr. */
	pixman_region32_init_with_extents(
		region, &(pixman_box32_t){
				.x1 = box->x,
				.y1 = box->y,
				.x2 = coord_from_double((double)box->x + box->width),
				.y2 = coord_from_double((double)box->y + box->height),
			});
}

struct box region_extents(const pixman_region32_t *region)
{
	const pixman_box32_t *extents = pixman_region32_extents((pixman_region32_t *)region);
	return (struct box){
		.x = extents->x1,
		.y = extents->y1,
		.width = coord_from_double((double)extents->x2 - extents->x1),
		.height = coord_from_double((double)extents->y2 - extents->y1),
	};
}

int64_t region_area(const pixman_region32_t *region)
{
	int n;
	const pixman_box32_t *rects = pixman_region32_rectangles((pixman_region32_t *)region, &n);
	uint64_t area = 0;
	for (int i = 0; i < n; i++) {
		/* Width and height of the whole range just fit an unsigned number. */
		area += (uint64_t)((int64_t)rects[i].x2 - rects[i].x1) *
			(uint64_t)((int64_t)rects[i].y2 - rects[i].y1);
	}
	return area < INT64_MAX ? (int64_t)area : INT64_MAX;
}

size_t region_bytes(const pixman_region32_t *region)
{
	const pixman_region32_data_t *data = region->data;
	/* Empty regions share a constant without rectangles. */
	return data && data->size > 0 ? sizeof(*data) + (size_t)data->size * sizeof(pixman_box32_t)
				      : 0;
}

/* Removes empty boxes. */
static void compact(pixman_box32_t *boxes, int n)
{
	for (int i = 0, kept = 0; i < n; i++) {
		if (boxes[i].y1 < boxes[i].y2) {
			boxes[kept++] = boxes[i];
		}
	}
}

int region_join_bands(const pixman_region32_t *region, pixman_box32_t *out)
{
	int n;
	const pixman_box32_t *in = pixman_region32_rectangles((pixman_region32_t *)region, &n);
	/* The current band starts at `band`; `above` walks through the one before. */
	int band = 0, above = 0, n_joined = n;
	if (out) {
		memcpy(out, in, (size_t)n * sizeof(*out));
	}
	for (int i = 0; i < n; i++) {
		if (in[i].y1 != in[band].y1) {
			above = band;
			band = i;
		}
		while (above < band && in[above].x1 < in[i].x1) {
			above++;
		}
		if (above < band && in[above].x1 == in[i].x1 && in[above].x2 == in[i].x2 &&
			in[above].y2 == in[i].y1) {
			n_joined--;
			if (out) {
				out[i].y1 = out[above].y1;
				out[above].y2 = out[above].y1;
			}
		}
	}
	if (out) {
		compact(out, n);
	}
	return n_joined;
}
