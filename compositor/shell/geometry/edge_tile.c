/* SPDX-License-Identifier: MIT */
/* Edge tiles: boxes of windows tiled to halves and quarters, and the limits of their split. */

#include "edge_tile.h"
#include "facts.h"
#include "shell/geometry/private.h"
#include "shell/shell.h"

/** Least part of the area on each side of the split. */
#define PART_MIN 0.1

static const struct edge_split middle = {0.5, 0.5};

bool window_is_edge_tile(const struct window *window)
{
	return window->mapped && !window->private->tiled && (window->states & WINDOW_TILED);
}

static int least_size(const struct window *window, bool upright)
{
	const struct window_limits *limits = &window->private->limits;
	const struct frame_extents frame = window_frame(window);
	return upright ? coord_sum(limits->min_height, frame.top + frame.bottom)
		       : coord_sum(limits->min_width, frame.left + frame.right);
}

/* Returns the distance of the split from the left or upper edge of the area. */
static int limit(const struct workspace *workspace, double part, int extent, bool upright)
{
	const uint32_t first = upright ? WINDOW_TILED_TOP : WINDOW_TILED_LEFT;
	const uint32_t second = upright ? WINDOW_TILED_BOTTOM : WINDOW_TILED_RIGHT;
	const int margin = (int)(extent * PART_MIN);
	int low = margin, high = extent - margin;
	int at = (int)(part * extent + 1e-6);
	at = at < low ? low : at > high ? high : at;
	const struct window *window;
	wl_list_for_each (window, &workspace->shell->windows, link) {
		const uint32_t sides = window->states & (first | second);
		if (window->workspace != workspace || !window_is_edge_tile(window)) {
			continue;
		}
		const int least = least_size(window, upright);
		if (sides == first && least > low) {
			low = least;
		} else if (sides == second && extent - least < high) {
			high = extent - least;
		}
	}
	return low > high ? at : at < low ? low : at > high ? high : at;
}

struct edge_split edge_split_limit(
	const struct workspace *workspace, const struct box *area, const struct edge_split *split)
{
	if (box_empty(area)) {
		return *split;
	}
	return (struct edge_split){
		(double)limit(workspace, split->x, area->width, false) / area->width,
		(double)limit(workspace, split->y, area->height, true) / area->height};
}

struct box edge_tile_box(const struct workspace *workspace, const struct box *area, uint32_t states)
{
	struct box box = *area;
	const bool left = states & WINDOW_TILED_LEFT, right = states & WINDOW_TILED_RIGHT;
	const bool top = states & WINDOW_TILED_TOP, bottom = states & WINDOW_TILED_BOTTOM;
	const struct edge_split split =
		workspace ? edge_split_limit(workspace, area, &workspace->split) : middle;
	const int across = (int)(split.x * area->width + 1e-6);
	const int along = (int)(split.y * area->height + 1e-6);
	if (left != right) {
		box.width = left ? across : area->width - across;
		box.x = left ? area->x : area->x + across;
	}
	if (top != bottom) {
		box.height = top ? along : area->height - along;
		box.y = top ? area->y : area->y + along;
	}
	return box;
}
