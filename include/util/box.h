/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Boxes (integer and fractional), output transforms, and typed coordinates.
 *
 * A point's type names its space: global (the layout, logical pixels), surface (surface-local,
 * logical), output (pixels of an output's frame buffer as scanned out), buffer (pixels of a
 * client's buffer). Boxes and regions name theirs in identifiers or comments.
 */

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <wayland-server-protocol.h>

struct box {
	int x, y;
	int width, height;
};

struct fbox {
	double x, y;
	double width, height;
};

struct coord_global {
	double x, y;
};

struct coord_surface {
	double x, y;
};

struct coord_output {
	double x, y;
};

static inline bool box_empty(const struct box *box)
{
	return box->width <= 0 || box->height <= 0;
}

/**
 * Bound of coordinates and sizes from clients, far beyond all screens. protocol/ clamps each number
 * to it on entry, so that sums and differences of a few of them fit an int.
 */
#define COORD_MAX (1 << 26)

static inline int coord_clamp(int64_t value)
{
	return (int)(value > COORD_MAX ? COORD_MAX : value < -COORD_MAX ? -COORD_MAX : value);
}

/** Truncates to an int, at most INT_MAX and at least INT_MIN, which NaN becomes. */
static inline int coord_from_double(double value)
{
	if (!(value > INT_MIN)) {
		return INT_MIN;
	}
	return value < INT_MAX ? (int)value : INT_MAX;
}

/**
 * Rounds a length up that was multiplied or divided by a scale in steps of 1/120: 2520 / 1.4 is
 * 1800, although not with doubles.
 */
static inline int coord_round_up(double length)
{
	return coord_from_double(ceil(length - 1e-6));
}

/** Adds numbers from clients, clamped to COORD_MAX. */
static inline int coord_sum(int a, int b)
{
	return coord_clamp((int64_t)a + b);
}

/** Returns a client's rectangle with its numbers clamped to COORD_MAX. */
static inline struct box box_clamp(int x, int y, int width, int height)
{
	return (struct box){
		coord_clamp(x), coord_clamp(y), coord_clamp(width), coord_clamp(height)};
}

bool box_intersect(struct box *out, const struct box *a, const struct box *b);
bool box_contains_point(const struct box *box, double x, double y);
bool box_equal(const struct box *a, const struct box *b);
/** Stores the point of the box nearest to x, y; the far edge less 1/256 is excluded. */
void box_closest_point(const struct box *box, double x, double y, double *out_x, double *out_y);
/** Returns the smallest integer box that contains `in`. */
struct box fbox_outset(const struct fbox *in);
bool fbox_equal(const struct fbox *a, const struct fbox *b);

/** Returns the inverse transform. */
enum wl_output_transform transform_invert(enum wl_output_transform transform);
/** Returns the transform that applies a, then b. */
enum wl_output_transform transform_compose(enum wl_output_transform a, enum wl_output_transform b);
/** Returns whether the transform exchanges width and height. */
static inline bool transform_swaps(enum wl_output_transform transform)
{
	return transform & WL_OUTPUT_TRANSFORM_90;
}

/**
 * Applies `transform` to a box inside an area of width x height (the area before the transform).
 * The sense is wl_surface.set_buffer_transform's: transform_box(b, NORMAL..270, w, h) of a box in
 * surface orientation gives the box in the buffer's orientation when the *surface* area is w x h
 * and the transform is the buffer's. `out` may be `in`.
 */
void transform_box(struct box *out, const struct box *in, enum wl_output_transform transform,
	int width, int height);
void transform_fbox(struct fbox *out, const struct fbox *in, enum wl_output_transform transform,
	double width, double height);
