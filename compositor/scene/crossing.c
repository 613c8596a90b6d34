/* SPDX-License-Identifier: MIT */
/* Motion of the pointer across gaps between outputs. */

#include "scene/output.h"
#include "scene/scene.h"
#include <math.h>

/* Tolerance for corners, logical pixels. */
#define CORNER 1.0

struct boxes {
	struct box list[SCENE_OUTPUTS_MAX];
	int n;
};

/* Returns true if the pointer moves from one to the other without a gap. */
static bool touch(const struct box *a, const struct box *b)
{
	/* Common length of their spans; 0: adjacent; negative: apart. */
	int x = (int)fmin(a->x + a->width, b->x + b->width) - (int)fmax(a->x, b->x);
	int y = (int)fmin(a->y + a->height, b->y + b->height) - (int)fmax(a->y, b->y);
	return x >= 0 && y >= 0 && (x > 0 || y > 0);
}

/* Returns the bits of the boxes that the pointer reaches from box `i` without crossing a gap. */
static uint32_t find_group(const struct boxes *boxes, int i)
{
	uint32_t group = 1u << i, last = 0;
	while (group != last) {
		last = group;
		for (int a = 0; a < boxes->n; a++) {
			for (int b = 0; b < boxes->n; b++) {
				if (group & 1u << a && touch(&boxes->list[a], &boxes->list[b])) {
					group |= 1u << b;
				}
			}
		}
	}
	return group;
}

/* Returns true if `to` lies on the side of the box to which the motion is blocked. */
static bool is_ahead(const struct box *from, const struct box *to, double dx, double dy)
{
	return (dx > 0 && to->x >= from->x + from->width) ||
	       (dx < 0 && to->x + to->width <= from->x) ||
	       (dy > 0 && to->y >= from->y + from->height) ||
	       (dy < 0 && to->y + to->height <= from->y);
}

/*
 * Finds the point of `to` across the gap: straight ahead, or from corner to corner if no point of
 * `from` has one straight ahead.
 */
static bool cross(const struct box *from, const struct box *to, struct coord_global at, double dx,
	double dy, struct coord_global *out)
{
	struct coord_global back;
	box_closest_point(to, at.x, at.y, &out->x, &out->y);
	box_closest_point(from, out->x, out->y, &back.x, &back.y);
	const bool beside = fabs(back.y - at.y) < CORNER, below = fabs(back.x - at.x) < CORNER;
	const bool along_x = dx != 0 && is_ahead(from, to, dx, 0) && beside;
	const bool along_y = dy != 0 && is_ahead(from, to, 0, dy) && below;
	return along_x || along_y;
}

struct coord_global scene_layout_step(struct scene *scene, struct coord_global to)
{
	const struct coord_global at = scene_layout_clamp(scene, to);
	if (at.x == to.x && at.y == to.y) {
		return at;
	}
	const struct scene_output *inside = scene_output_nearest(scene, at);
	struct boxes boxes = {0};
	int here = 0;
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		if (scene->outputs[i]) {
			here = scene->outputs[i] == inside ? boxes.n : here;
			boxes.list[boxes.n++] = scene_output_box(scene->outputs[i]);
		}
	}
	if (boxes.n < 2) {
		return at;
	}
	const uint32_t group = find_group(&boxes, here);
	struct coord_global best = at;
	double least = INFINITY;
	for (int i = 0; i < boxes.n; i++) {
		struct coord_global point;
		if (group & 1u << i || !cross(&boxes.list[here], &boxes.list[i], at, to.x - at.x,
					       to.y - at.y, &point)) {
			continue;
		}
		double distance = hypot(point.x - at.x, point.y - at.y);
		if (distance < least) {
			least = distance;
			best = point;
		}
	}
	return best;
}
