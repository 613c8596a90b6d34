/* SPDX-License-Identifier: MIT */
/* Placement of new windows: the position with least overlap. */

#include "placement.h"
#include <limits.h>
#include <math.h>

/** Maximum number of windows whose edges are tried, which bounds the time of the search. */
#define CANDIDATES_MAX 24
/** Part of a window that must stay reachable by the pointer, logical pixels. */
#define GRIP 32

struct candidates {
	int at[3 + 2 * CANDIDATES_MAX];
	int n;
};

static void add(struct candidates *list, int at, int low, int high)
{
	if (at < low || at > high) {
		return;
	}
	for (int i = 0; i < list->n; i++) {
		if (list->at[i] == at) {
			return;
		}
	}
	list->at[list->n++] = at;
}

static int64_t overlap(const struct box *box, const struct box *others, int n)
{
	int64_t sum = 0;
	for (int i = 0; i < n; i++) {
		struct box common;
		if (box_intersect(&common, box, &others[i])) {
			sum += (int64_t)common.width * common.height;
		}
	}
	return sum;
}

void placement_find(const struct box *area, int width, int height, const struct box *others,
	int n_others, int *x, int *y)
{
	const int right = area->x + area->width - width, bottom = area->y + area->height - height;
	const int middle_x = area->x + (right - area->x) / 2;
	const int middle_y = area->y + (bottom - area->y) / 2;
	struct candidates xs = {.n = 0}, ys = {.n = 0};
	*x = middle_x > area->x ? middle_x : area->x;
	*y = middle_y > area->y ? middle_y : area->y;

	add(&xs, *x, INT_MIN, INT_MAX);
	add(&ys, *y, INT_MIN, INT_MAX);
	add(&xs, area->x, area->x, right);
	add(&ys, area->y, area->y, bottom);
	add(&xs, right, area->x, right);
	add(&ys, bottom, area->y, bottom);
	for (int i = 0; i < n_others && i < CANDIDATES_MAX; i++) {
		add(&xs, coord_sum(others[i].x, others[i].width), area->x, right);
		add(&xs, coord_sum(others[i].x, -width), area->x, right);
		add(&ys, coord_sum(others[i].y, others[i].height), area->y, bottom);
		add(&ys, coord_sum(others[i].y, -height), area->y, bottom);
	}

	int64_t best = INT64_MAX, best_distance = INT64_MAX;
	for (int i = 0; i < xs.n; i++) {
		for (int j = 0; j < ys.n; j++) {
			struct box box = {xs.at[i], ys.at[j], width, height};
			int64_t dx = box.x - middle_x, dy = box.y - middle_y;
			int64_t distance = dx * dx + dy * dy;
			int64_t covered = overlap(&box, others, n_others);
			if (covered < best || (covered == best && distance < best_distance)) {
				best = covered;
				best_distance = distance;
				*x = box.x;
				*y = box.y;
			}
		}
	}
}

static int keep(int at, int size, int low, int extent)
{
	int grip = size < GRIP ? size : GRIP;
	if (at > low + extent - grip) {
		return low + extent - grip;
	}
	return coord_sum(at, size) < low + grip ? low + grip - size : at;
}

void placement_keep_reachable(const struct box *area, struct box *box)
{
	box->x = keep(box->x, box->width, area->x, area->width);
	box->y = keep(box->y, box->height, area->y, area->height);
	/* The title bar is at the top. */
	if (box->y < area->y) {
		box->y = area->y;
	}
}

static int inside(int at, int size, int low, int extent)
{
	const int most = low + extent - size;
	return at < low || most < low ? low : at > most ? most : at;
}

void placement_show(const struct box *area, struct box *box)
{
	box->x = inside(box->x, box->width, area->x, area->width);
	box->y = inside(box->y, box->height, area->y, area->height);
}

void placement_hold(const struct box *from, struct coord_global at, struct box *box)
{
	const double across = at.x - from->x, along = at.y - from->y;
	const double part_x = from->width > 0 ? across / from->width : 0.5;
	const double part_y = from->height > 0 ? along / from->height : 0;
	box->x = (int)lround(at.x - part_x * box->width);
	box->y = along < box->height ? from->y : (int)lround(at.y - part_y * box->height);
}
