/* The way of a confined pointer through a region that may have any shape. */

#include "seat/internal.h"

/** The finest step that wl_fixed_t can say: how far inside of the far edge the last point is. */
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

/* The rectangle nearest to the point, which is moved into it. */
static const pixman_box32_t *enter(const pixman_box32_t *rects, int n, struct coord_surface *at)
{
	const pixman_box32_t *nearest = NULL;
	struct coord_surface best = *at;
	double least = 0;
	for (int i = 0; i < n; i++) {
		double x = clamp(at->x, rects[i].x1, rects[i].x2 - STEP);
		double y = clamp(at->y, rects[i].y1, rects[i].y2 - STEP);
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

/* How much of the way `d` from `at` lies inside of [low, high - STEP]: 0..1. */
static double part_inside(double at, double d, int low, int high)
{
	double limit = d > 0 ? high - STEP : low;
	if (d == 0 || (d > 0 ? at + d <= limit : at + d >= limit)) {
		return 1;
	}
	return clamp((limit - at) / d, 0, 1);
}

/* One coordinate past the edge it was stopped at. */
static double beyond(double d, int low, int high)
{
	return d > 0 ? high : low - STEP;
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
	/* Each step leaves a rectangle for good or loses a direction, so it ends by itself. */
	for (int left = 2 * n + 3; rect && (dx != 0 || dy != 0) && left > 0; left--) {
		double tx = part_inside(at.x, dx, rect->x1, rect->x2);
		double ty = part_inside(at.y, dy, rect->y1, rect->y2);
		double t = tx < ty ? tx : ty;
		at.x = clamp(at.x + t * dx, rect->x1, rect->x2 - STEP);
		at.y = clamp(at.y + t * dy, rect->y1, rect->y2 - STEP);
		if (t >= 1) {
			break;
		}
		dx *= 1 - t;
		dy *= 1 - t;
		bool horizontal = tx <= ty;
		struct coord_surface next = at;
		if (horizontal) {
			next.x = beyond(dx, rect->x1, rect->x2);
		} else {
			next.y = beyond(dy, rect->y1, rect->y2);
		}
		const pixman_box32_t *neighbour = find(rects, n, next.x, next.y);
		if (neighbour) {
			rect = neighbour;
			at = next;
		} else if (horizontal) {
			dx = 0;
		} else {
			dy = 0;
		}
	}
	return at;
}
