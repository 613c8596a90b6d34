/* SPDX-License-Identifier: MIT */
/* Boxes and output transforms: the arithmetic of rectangles on pixel grids. */

#include "util/box.h"

/* The distance from a box's far edge that still counts as inside: the grain of wl_fixed_t. */
#define EDGE (1.0 / 256.0)

static int64_t min64(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

bool box_intersect(struct box *out, const struct box *a, const struct box *b)
{
	/* Clients send boxes whose far edge lies beyond an int; hence the wide arithmetic. */
	int64_t x1 = a->x > b->x ? a->x : b->x;
	int64_t y1 = a->y > b->y ? a->y : b->y;
	int64_t x2 = min64((int64_t)a->x + a->width, (int64_t)b->x + b->width);
	int64_t y2 = min64((int64_t)a->y + a->height, (int64_t)b->y + b->height);
	if (box_empty(a) || box_empty(b) || x2 <= x1 || y2 <= y1) {
		*out = (struct box){0};
		return false;
	}
	*out = (struct box){
		.x = (int)x1,
		.y = (int)y1,
		.width = (int)(x2 - x1),
		.height = (int)(y2 - y1),
	};
	return true;
}

bool box_contains_point(const struct box *box, double x, double y)
{
	return !box_empty(box) && x >= box->x && y >= box->y && x < (double)box->x + box->width &&
	       y < (double)box->y + box->height;
}

bool box_equal(const struct box *a, const struct box *b)
{
	return a->x == b->x && a->y == b->y && a->width == b->width && a->height == b->height;
}

static double clamp_to_span(double value, int start, int length)
{
	double end = (double)start + length - EDGE;
	if (!(value >= start) || length <= 0) {
		return start;
	}
	return value < end ? value : end;
}

void box_closest_point(const struct box *box, double x, double y, double *out_x, double *out_y)
{
	*out_x = clamp_to_span(x, box->x, box->width);
	*out_y = clamp_to_span(y, box->y, box->height);
}

/* Truncates and corrects: the C library's floor() and ceil() are calls, four for every box. */
static int to_int_down(double value)
{
	int cut = coord_from_double(value);
	return value < cut && cut > INT_MIN ? cut - 1 : cut;
}

static int to_int_up(double value)
{
	int cut = coord_from_double(value);
	return value > cut && cut < INT_MAX ? cut + 1 : cut;
}

struct box fbox_outset(const struct fbox *in)
{
	int x = to_int_down(in->x);
	int y = to_int_down(in->y);
	return (struct box){
		.x = x,
		.y = y,
		.width = coord_from_double((double)to_int_up(in->x + in->width) - x),
		.height = coord_from_double((double)to_int_up(in->y + in->height) - y),
	};
}

bool fbox_equal(const struct fbox *a, const struct fbox *b)
{
	return a->x == b->x && a->y == b->y && a->width == b->width && a->height == b->height;
}

/*
 * The value of a transform is a flip (bit 2, left-right, applied first) and a number of
 * counter-clockwise quarter turns (bits 0 and 1, applied after it).
 */
#define TURNS 3

enum wl_output_transform transform_invert(enum wl_output_transform transform)
{
	/* A flip followed by turns is a reflection, and reflections undo themselves. */
	if (transform & WL_OUTPUT_TRANSFORM_FLIPPED) {
		return transform;
	}
	return (4 - transform) & TURNS;
}

enum wl_output_transform transform_compose(enum wl_output_transform a, enum wl_output_transform b)
{
	unsigned flip = (a ^ b) & WL_OUTPUT_TRANSFORM_FLIPPED;
	unsigned turns = a & TURNS;
	/* Moves b's flip before a's turns, which reverses their direction. */
	if (b & WL_OUTPUT_TRANSFORM_FLIPPED) {
		turns = 4 - turns;
	}
	return flip | ((turns + (b & TURNS)) & TURNS);
}

void transform_fbox(struct fbox *out, const struct fbox *in, enum wl_output_transform transform,
	double width, double height)
{
	struct fbox box = *in;
	double x;
	if (transform & WL_OUTPUT_TRANSFORM_FLIPPED) {
		box.x = width - box.x - box.width;
	}
	x = box.x;
	switch (transform & TURNS) {
	case 0: break;
	case 1:
		box.x = box.y;
		box.y = width - x - box.width;
		break;
	case 2:
		box.x = width - x - box.width;
		box.y = height - box.y - box.height;
		break;
	case 3:
		box.x = height - box.y - box.height;
		box.y = x;
		break;
	}
	if (transform_swaps(transform)) {
		double swap = box.width;
		box.width = box.height;
		box.height = swap;
	}
	*out = box;
}

void transform_box(struct box *out, const struct box *in, enum wl_output_transform transform,
	int width, int height)
{
	/* A double holds every int exactly, and sums of three of them. */
	struct fbox box = {in->x, in->y, in->width, in->height};
	transform_fbox(&box, &box, transform, width, height);
	*out = (struct box){
		.x = coord_from_double(box.x),
		.y = coord_from_double(box.y),
		.width = coord_from_double(box.width),
		.height = coord_from_double(box.height),
	};
}
