/* SPDX-License-Identifier: MIT */
#pragma once

/** Tiles of the layout `columns`: boxes with a border around windows. */

#include "layout_columns.h"
#include "shell/window.h"

/** Height of the bar above tabbed columns, logical pixels. */
#define TILE_TAB_HEIGHT 6

/** Returns true if the layout `columns` would tile the window. */
bool window_can_tile(const struct window *window);
struct columns_style tiling_style(const struct workspace *workspace);
/** Returns the width of a new column, as a part of the area. */
double tile_default_width(const struct workspace *workspace);
/** Returns whether new columns go before the active one. */
bool tile_goes_before(const struct workspace *workspace);
/** Returns the least width of a window's tile. */
int tile_least_width(const struct window *window);
/** Computes the geometry of a window within its tile, a box with a border of this width. */
struct box tile_inner_box(const struct window *window, const struct box *tile, int border);
/** Computes the geometry that an unmapped window will have if it will be tiled. */
bool window_predict_tile(const struct window *window, struct box *box);
/** Returns true if another tab covers the window. */
bool tiling_covers(const struct window *window);
