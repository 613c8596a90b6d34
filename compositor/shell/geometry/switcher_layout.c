/* SPDX-License-Identifier: MIT */
/* Layout of the window switcher: rows of cells in the middle of an output. */

#include "switcher_layout.h"

#define PADDING 14
#define MARGIN 24

static int at_least(int value, int least)
{
	return value < least ? least : value;
}

struct switcher_layout switcher_layout(const struct box *area, int n, int selected)
{
	const int room_x = area->width - 2 * (MARGIN + PADDING);
	const int room_y = area->height - 2 * (MARGIN + PADDING);
	const int most_columns = at_least(room_x / SWITCHER_CELL_WIDTH, 1);
	const int most_rows = at_least(room_y / SWITCHER_CELL_HEIGHT, 1);
	const int most = most_columns * most_rows;
	struct switcher_layout layout = {.n = n};
	if (n > most) {
		layout.first = selected / most * most;
		layout.n = n - layout.first < most ? n - layout.first : most;
	}
	/* All pages have the size of a full one, and rows are of similar length. */
	const int cells = n > most ? most : n;
	layout.rows = (cells + most_columns - 1) / most_columns;
	layout.columns = (cells + layout.rows - 1) / layout.rows;
	layout.panel.width = layout.columns * SWITCHER_CELL_WIDTH + 2 * PADDING;
	layout.panel.height = layout.rows * SWITCHER_CELL_HEIGHT + 2 * PADDING;
	layout.panel.x = area->x + (area->width - layout.panel.width) / 2;
	layout.panel.y = area->y + (area->height - layout.panel.height) / 2;
	return layout;
}

struct box switcher_cell(const struct switcher_layout *layout, int i)
{
	/* The last row is centred. */
	const int row = i / layout->columns, begin = row * layout->columns;
	const int in_row =
		layout->n - begin < layout->columns ? layout->n - begin : layout->columns;
	const int indent = (layout->columns - in_row) * SWITCHER_CELL_WIDTH / 2;
	return (struct box){PADDING + indent + (i - begin) * SWITCHER_CELL_WIDTH,
		PADDING + row * SWITCHER_CELL_HEIGHT, SWITCHER_CELL_WIDTH, SWITCHER_CELL_HEIGHT};
}

int switcher_window_at(const struct switcher_layout *layout, double x, double y)
{
	for (int i = 0; i < layout->n; i++) {
		const struct box cell = switcher_cell(layout, i);
		if (box_contains_point(&cell, x - layout->panel.x, y - layout->panel.y)) {
			return layout->first + i;
		}
	}
	return -1;
}
