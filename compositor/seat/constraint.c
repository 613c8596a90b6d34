/* SPDX-License-Identifier: MIT */
/* Confined pointer motion, within a region of any shape. */

#include "seat/internal.h"

/** Outer edges end at the first point of the last pixel. */
#define PIXEL 1
/** The resolution of wl_fixed_t, to step over a near edge. */
#define STEP (1.0 / 256)

static bool holds(const pixman_box32_t *rect, double x, double y)
{
	return x >= rect->x1 && x < rect->x2 && y >= rect->y1 && y < rect->y2;
}

static const pixman_box32_t *find(const pixman_box32_t *rects, int n, double x, double y)
{
	for (int i = 0; i < n; i++) {
		if (holds(&rects[i], x, y)) {
			return &rects[i];
		}
	}
	return NULL;
}

static double clamp(double value, double low, double high)
{
	return value < low ? low : value > high ? high : value;
}

/* Finds the rectangle nearest to the point, and moves the point into it. */
static const pixman_box32_t *enter(const pixman_box32_t *rects, int n, struct coord_surface *at)
{
	const pixman_box32_t *nearest = NULL;
	struct coord_surface best = *at;
	double least = 0;
	for (int i = 0; i < n; i++) {
		double x = clamp(at->x, rects[i].x1, rects[i].x2 - PIXEL);
		double y = clamp(at->y, rects[i].y1, rects[i].y2 - PIXEL);
		double distance = (x - at->x) * (x - at->x) + (y - at->y) * (y - at->y);
		if (!nearest || distance < least) {
			nearest = &rects[i];
			best = (struct coord_surface){x, y};
			least = distance;
		}
	}
	*at = best;
	return nearest;
}

/* Returns the part of the motion `d` from `at` that is before `limit`: 0..1. */
static double part_before(double at, double d, double limit)
{
	if (d == 0 || (d > 0 ? at + d <= limit : at + d >= limit)) {
		return 1;
	}
	return clamp((limit - at) / d, 0, 1);
}

/* One axis of the motion, inside of one rectangle. */
struct leg {
	const pixman_box32_t *next; /* the rectangle behind the edge ahead; NULL: none */
	double limit; /* coordinate of the edge where the motion stops */
	double beyond; /* coordinate behind the edge */
};

static struct leg look_ahead(const pixman_box32_t *rects, int n, const pixman_box32_t *rect,
	struct coord_surface at, double d, bool horizontal)
{
	int low = horizontal ? rect->x1 : rect->y1, high = horizontal ? rect->x2 : rect->y2;
	struct leg leg = {.beyond = d > 0 ? high : low - STEP};
	leg.next = horizontal ? find(rects, n, leg.beyond, at.y) : find(rects, n, at.x, leg.beyond);
	leg.limit = d < 0 ? low : leg.next ? high : high - PIXEL;
	return leg;
}

/*
 * Moves up to an edge, and into the rectangle behind it. Returns false at the end of the motion; a
 * blocked axis becomes 0.
 */
static bool step(const pixman_box32_t *rects, int n, const pixman_box32_t **rect,
	struct coord_surface *at, double *dx, double *dy)
{
	struct leg h = look_ahead(rects, n, *rect, *at, *dx, true);
	struct leg v = look_ahead(rects, n, *rect, *at, *dy, false);
	double tx = part_before(at->x, *dx, h.limit), ty = part_before(at->y, *dy, v.limit);
	double t = tx < ty ? tx : ty;
	at->x += t * *dx;
	at->y += t * *dy;
	if (t >= 1) {
		return false;
	}
	*dx *= 1 - t;
	*dy *= 1 - t;
	if (tx <= ty) {
		/*
		 * Motion along the edge may have reached another neighbour, or a part of the edge
		 * without one.
		 */
		const pixman_box32_t *next = find(rects, n, h.beyond, at->y);
		if (next && !h.next) {
			return true; /* the edge is open here: compute its limit again */
		} else if (next) {
			*rect = next;
			at->x = h.beyond;
		} else {
			at->x = clamp(at->x, (*rect)->x1, (*rect)->x2 - STEP);
			*dx = 0;
		}
	} else {
		const pixman_box32_t *next = find(rects, n, at->x, v.beyond);
		if (next && !v.next) {
			return true;
		} else if (next) {
			*rect = next;
			at->y = v.beyond;
		} else {
			at->y = clamp(at->y, (*rect)->y1, (*rect)->y2 - STEP);
			*dy = 0;
		}
	}
	return *dx != 0 || *dy != 0;
}

struct coord_surface constraint_walk(
	const pixman_region32_t *region, struct coord_surface from, struct coord_surface to)
{
	int n;
	const pixman_box32_t *rects = pixman_region32_rectangles((pixman_region32_t *)region, &n);
	struct coord_surface at = from;
	const pixman_box32_t *rect = find(rects, n, at.x, at.y);
	if (!rect) {
		rect = enter(rects, n, &at);
	}
	double dx = to.x - at.x, dy = to.y - at.y;
	/* Each step leaves a rectangle for good or blocks an axis: this bound is never reached. */
	for (int left = 4 * n + 8; rect && left > 0; left--) {
		if (!step(rects, n, &rect, &at, &dx, &dy)) {
			break;
		}
	}
	return at;
}
