/* SPDX-License-Identifier: MIT */
#pragma once

/** Layout of the overview: copies of outputs in rows. Pure. */

#include "util/box.h"
#include <stdbool.h>

/** Distance between cells, and height of the label below each, logical pixels. */
#define OVERVIEW_GAP 32
#define OVERVIEW_LABEL 28

/** Places of cells, each a scaled copy of an output with a label below. */
struct overview_layout {
	struct box area; /* global */
	double scale; /* of the copies */
	int width, height; /* of the copies, logical pixels */
	int columns, rows, n;
};

/** Computes the layout of `n` copies, above 0, of an output of this size. */
struct overview_layout overview_layout(const struct box *area, int width, int height, int n);
/** Returns the box of a copy, global. */
struct box overview_cell(const struct overview_layout *layout, int i);
/** Returns the part of a window in a copy of an output, and its box there; false: it is outside. */
bool overview_place(const struct box *window, const struct box *output, const struct box *cell,
	struct box *part, struct box *box);
/** Returns the nearest of `n` boxes in a direction (enum direction), or `from`. */
int overview_next(const struct box *boxes, int n, int from, int direction);
