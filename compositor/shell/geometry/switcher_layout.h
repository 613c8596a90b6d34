/* SPDX-License-Identifier: MIT */
#pragma once

/** Layout of the window switcher: cells in a panel. Pure. */

#include "util/box.h"

/** Sizes of a cell, logical pixels. */
#define SWITCHER_CELL_WIDTH 264
#define SWITCHER_CELL_HEIGHT 204

/** Places of cells. */
struct switcher_layout {
	struct box panel; /* global */
	int columns, rows;
	int first; /* window in the first cell: more windows than cells are shown in pages */
	int n; /* windows on the page */
};

/** Computes the layout of `n` windows, above 0, for a page with the selected one. */
struct switcher_layout switcher_layout(const struct box *area, int n, int selected);
/** Returns the box of a cell in the panel. */
struct box switcher_cell(const struct switcher_layout *layout, int i);
/** Returns the window at a global point, or -1. */
int switcher_window_at(const struct switcher_layout *layout, double x, double y);
