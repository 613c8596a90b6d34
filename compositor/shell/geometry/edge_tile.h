/* SPDX-License-Identifier: MIT */
#pragma once

/** Edge tiles: windows tiled to a half or a quarter of the usable area, which share its split. */

#include "shell/window.h"

/** Returns true if the window is tiled to an edge or corner, not by the layout `columns`. */
bool window_is_edge_tile(const struct window *window);
/**
 * Returns the part of the area for a window with these WINDOW_TILED states, by the split of the
 * workspace (NULL: the middle); all of the area without states.
 */
struct box edge_tile_box(
	const struct workspace *workspace, const struct box *area, uint32_t states);
/**
 * Returns the split nearest to `split` that leaves each edge tile of the workspace its least size,
 * and each side a tenth of the area. Where the least sizes exceed the area, only the latter holds.
 */
struct edge_split edge_split_limit(
	const struct workspace *workspace, const struct box *area, const struct edge_split *split);
