/* The way of a confined pointer through a region that may have any shape. */

#include "seat/internal.h"

/** Where nothing of the region follows, the way ends at the first point of the last pixel. */
#define PIXEL 1
/** The finest step that wl_fixed_t can say, to get past a near edge. */
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

/* How much of the way `d` from `at` is on this side of `limit`: 0..1. */
static double part_before(double at, double d, double limit)
{
	if (d == 0 || (d > 0 ? at + d <= limit : at + d >= limit)) {
		return 1;
	}
	return clamp((limit - at) / d, 0, 1);
}

/* One direction of the way, inside of one rectangle. */
struct leg {
	const pixman_box32_t *next; /* the rectangle behind the edge ahead; NULL: none */
	double limit; /* how far it is to the edge, or to the end of the way */
	double beyond; /* the coordinate behind the edge */
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
 * Goes on until an edge is met, and into the rectangle behind it. Returns false when the way is done;
 * a direction that leads nowhere any more becomes 0.
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
		/* Where the way went on sideways, another rectangle may lie there, or none. */
		const pixman_box32_t *next = find(rects, n, h.beyond, at->y);
		if (next && !h.next) {
			return true; /* the edge is open here: look ahead again */
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
	/* Each step leaves a rectangle for good or loses a direction: this is more than enough. */
	for (int left = 4 * n + 8; rect && left > 0; left--) {
		if (!step(rects, n, &rect, &at, &dx, &dy)) {
			break;
		}
	}
	return at;
}
