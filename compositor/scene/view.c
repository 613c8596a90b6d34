/* SPDX-License-Identifier: MIT */
/* Views: conversion of boxes between the global space and pixels, rounded from an origin. */

#include "scene/internal.h"
#include <math.h>

void scene_view_upright_size(const struct scene_view *view, int *width, int *height)
{
	bool swap = transform_swaps(view->transform);
	*width = swap ? view->height : view->width;
	*height = swap ? view->width : view->height;
}

int scene_pixels(double length, double scale)
{
	/* Halves must be exact, as in the integers of clients: 60 * 1.025 is less than 61.5. */
	const double steps = round(scale * 120);
	const double pixels =
		fabs(scale * 120 - steps) < 1e-6 ? length * steps / 120 : length * scale;
	/* Clients choose sizes, and the end of a box may exceed the range of int. */
	return (int)round(fmax(-COORD_MAX, fmin(COORD_MAX, pixels)));
}

void scene_view_snap(struct scene_view *view, int x, int y, double shift_x, double shift_y)
{
	view->left =
		coord_sum(view->left, scene_pixels((double)x - view->x + shift_x, view->scale));
	view->top = coord_sum(view->top, scene_pixels((double)y - view->y + shift_y, view->scale));
	view->x = x;
	view->y = y;
}

struct box scene_view_to_pixels(const struct scene_view *view, const struct box *global)
{
	double scale = view->scale;
	int x1 = view->left + scene_pixels((double)global->x - view->x, scale);
	int y1 = view->top + scene_pixels((double)global->y - view->y, scale);
	int x2 = view->left + scene_pixels((double)global->x + global->width - view->x, scale);
	int y2 = view->top + scene_pixels((double)global->y + global->height - view->y, scale);
	struct box box = {x1, y1, x2 - x1, y2 - y1};
	if (view->transform != WL_OUTPUT_TRANSFORM_NORMAL) {
		int width, height;
		scene_view_upright_size(view, &width, &height);
		transform_box(&box, &box, view->transform, width, height);
	}
	return box;
}

void scene_tree_snap_view(const struct scene_tree *tree, struct scene_view *view, int x, int y)
{
	const struct scene_surface *content = tree->content;
	if (content && !content->subsurface) {
		const struct surface *surface = content->surface;
		scene_view_snap(view, x, y, surface->shift_x, surface->shift_y);
	} else if (tree->snapped) {
		scene_view_snap(view, x, y, 0, 0);
	}
}
