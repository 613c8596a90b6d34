/* SPDX-License-Identifier: MIT */
/* Facts about tiles: which windows have one, and how the window lies within it. */

#include "tile.h"
#include "facts.h"
#include "shell/geometry/private.h"
#include "shell/shell.h"

bool window_can_tile(const struct window *window)
{
	const struct window_private *own = window->private;
	bool fixed = own->limits.max_width > 0 && own->limits.max_height > 0 &&
		     own->limits.min_width == own->limits.max_width &&
		     own->limits.min_height == own->limits.max_height;
	return !window->parent && !own->floats && !window->sticky && !fixed && !own->drag.active;
}

struct columns_style tiling_style(const struct workspace *workspace)
{
	const struct config *config = workspace->shell->config;
	int gap = config->layout.gap + workspace->gap_change;
	return (struct columns_style){
		.area = shell_usable(workspace->shell, workspace->output),
		.gap = gap > 0 ? gap : 0,
		.tab_height = TILE_TAB_HEIGHT,
		.smart_gaps = config->layout.smart_gaps,
		.overflow = config->layout.overflow,
		.center = config->layout.center,
	};
}

bool tiling_covers(const struct window *window)
{
	return window->private->tiled && window->private->tile_covered;
}

double tile_default_width(const struct workspace *workspace)
{
	return workspace->shell->config->layout.width / 100;
}

bool tile_goes_before(const struct workspace *workspace)
{
	return workspace->shell->config->layout.new_window == CONFIG_NEW_WINDOW_LEFT;
}

int tile_least_width(const struct window *window)
{
	struct frame_extents frame = window_frame(window);
	return window->private->limits.min_width > 0
		       ? coord_sum(window->private->limits.min_width,
				 frame.left + frame.right +
					 2 * window->shell->config->layout.border)
		       : 0;
}

struct box tile_inner_box(const struct window *window, const struct box *tile, int border)
{
	struct frame_extents frame = window_frame(window);
	struct box box = {
		.x = tile->x + border + frame.left,
		.y = tile->y + border + frame.top,
		.width = tile->width - 2 * border - frame.left - frame.right,
		.height = tile->height - 2 * border - frame.top - frame.bottom,
	};
	box.width = box.width > 1 ? box.width : 1;
	box.height = box.height > 1 ? box.height : 1;
	return box;
}

bool window_predict_tile(const struct window *window, struct box *box)
{
	const struct workspace *workspace = shell_workspace(window->shell);
	struct columns_style style = tiling_style(workspace);
	if (window->mapped || workspace->layout != CONFIG_LAYOUT_COLUMNS ||
		!window_can_tile(window) || box_empty(&style.area)) {
		return false;
	}
	struct box tile = columns_predict(workspace->columns, &style, tile_default_width(workspace),
		tile_least_width(window), tile_goes_before(workspace));
	bool bare = style.smart_gaps && workspace->columns->n == 0;
	*box = tile_inner_box(window, &tile, bare ? 0 : window->shell->config->layout.border);
	return true;
}
