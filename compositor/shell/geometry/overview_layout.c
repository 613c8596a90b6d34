/* SPDX-License-Identifier: MIT */
/* Layout of the overview: rows of scaled copies of an output, as large as they fit. */

#include "overview_layout.h"
#include "layout_columns.h"
#include <math.h>
#include <stdlib.h>

/** Scale of a single workspace. */
#define SCALE_MAX 0.6
#define SCALE_MIN 0.01

static double fit(const struct box *area, int width, int height, int columns, int rows)
{
	const double room_x = area->width - (columns + 1) * OVERVIEW_GAP;
	const double room_y = area->height - (rows + 1) * OVERVIEW_GAP - rows * OVERVIEW_LABEL;
	const double scale = fmin(room_x / columns / width, room_y / rows / height);
	return fmax(SCALE_MIN, fmin(SCALE_MAX, scale));
}

struct overview_layout overview_layout(const struct box *area, int width, int height, int n)
{
	struct overview_layout layout = {.area = *area, .n = n};
	for (int columns = 1; columns <= n; columns++) {
		const int rows = (n + columns - 1) / columns;
		const double scale = fit(area, width, height, columns, rows);
		if (scale > layout.scale) {
			layout.scale = scale;
			layout.columns = columns;
			layout.rows = rows;
		}
	}
	layout.width = (int)fmax(1, width * layout.scale);
	layout.height = (int)fmax(1, height * layout.scale);
	return layout;
}

struct box overview_cell(const struct overview_layout *layout, int i)
{
	/* The last row is centred. */
	const int row = i / layout->columns, begin = row * layout->columns;
	const int left = layout->n - begin;
	const int in_row = left < layout->columns ? left : layout->columns;
	const int step_x = layout->width + OVERVIEW_GAP;
	const int step_y = layout->height + OVERVIEW_LABEL + OVERVIEW_GAP;
	return (struct box){
		.x = layout->area.x + (layout->area.width - in_row * step_x + OVERVIEW_GAP) / 2 +
		     (i - begin) * step_x,
		.y = layout->area.y +
		     (layout->area.height - layout->rows * step_y + OVERVIEW_GAP) / 2 +
		     row * step_y,
		.width = layout->width,
		.height = layout->height,
	};
}

bool overview_place(const struct box *window, const struct box *output, const struct box *cell,
	struct box *part, struct box *box)
{
	if (!box_intersect(part, window, output)) {
		return false;
	}
	const double h = (double)cell->width / output->width;
	const double v = (double)cell->height / output->height;
	const int left = (int)lround((part->x - output->x) * h);
	const int top = (int)lround((part->y - output->y) * v);
	const int right = (int)lround((part->x + part->width - output->x) * h);
	const int bottom = (int)lround((part->y + part->height - output->y) * v);
	*box = (struct box){cell->x + left, cell->y + top, right - left, bottom - top};
	part->x -= window->x;
	part->y -= window->y;
	return !box_empty(box);
}

int overview_next(const struct box *boxes, int n, int from, int direction)
{
	int best = from, least = 0;
	for (int i = 0; i < n; i++) {
		const int dx =
			boxes[i].x + boxes[i].width / 2 - boxes[from].x - boxes[from].width / 2;
		const int dy =
			boxes[i].y + boxes[i].height / 2 - boxes[from].y - boxes[from].height / 2;
		const int along = direction == DIRECTION_LEFT    ? -dx
				  : direction == DIRECTION_RIGHT ? dx
				  : direction == DIRECTION_UP    ? -dy
								 : dy;
		const bool sideways = direction == DIRECTION_LEFT || direction == DIRECTION_RIGHT;
		const int distance = along + 2 * abs(sideways ? dy : dx);
		if (along > 0 && (best == from || distance < least)) {
			best = i;
			least = distance;
		}
	}
	return best;
}
