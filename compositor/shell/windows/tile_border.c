/* SPDX-License-Identifier: MIT */
/* Borders of tiled windows, and the tab bars of tabbed columns. */

#include "shell/geometry/frame_colors.h"
#include "shell/geometry/layout_columns.h"
#include "shell/geometry/private.h"
#include "shell/geometry/tile.h"
#include "shell/shell.h"
#include "tiling.h"
#include "util/xalloc.h"
#include <stdlib.h>

struct tile_border {
	struct scene_rect *sides[4]; /* top, bottom, left, right */
};

static const float black[4] = {0, 0, 0, 1};

/*
 * Borders of inactive windows hardly differ from the background, so that their tabs have the colour
 * of the title, and covered ones one between both.
 */
static uint32_t tab_color(const struct window *window)
{
	const struct config_frame_colors colors = frame_colors(window);
	if (window->shell->focus == window || window->urgent) {
		return colors.border;
	}
	return window->private->tile_covered
		       ? (colors.text >> 1 & 0x7f7f7f) + (colors.border >> 1 & 0x7f7f7f)
		       : colors.text;
}

static struct tile_border *create(struct window *window)
{
	struct tile_border *border = xcalloc(1, sizeof(*border));
	for (int i = 0; i < 4; i++) {
		border->sides[i] = scene_rect_create(window->tree, 0, 0, black);
		scene_node_set_reach(&border->sides[i]->node, true);
		scene_node_lower_to_bottom(&border->sides[i]->node);
	}
	return border;
}

static void place(struct scene_rect *rect, struct box box, bool shown, uint32_t rgb)
{
	scene_node_set_enabled(&rect->node, shown && !box_empty(&box));
	scene_node_set_position(&rect->node, box.x, box.y);
	scene_rect_set_size(rect, box.width, box.height);
	scene_rect_set_color(rect, rgb);
}

void tile_border_update(struct window *window)
{
	struct window_private *own = window->private;
	const int width = own->tile_border_width;
	scene_node_set_reach(&window->surface_tree->content->node, own->tiled && width == 0);
	if (!own->tiled || (width == 0 && !own->tile_border)) {
		return;
	}
	if (!own->tile_border) {
		own->tile_border = create(window);
	}
	const uint32_t rgb = frame_colors(window).border;
	const bool shown = width > 0 && !(window->states & (WINDOW_FULLSCREEN | WINDOW_MAXIMIZED));
	const struct box tile = own->tile;
	const int x = tile.x - window->x, y = tile.y - window->y;
	struct scene_rect **sides = own->tile_border->sides;
	place(sides[0], (struct box){x, y, tile.width, width}, shown, rgb);
	place(sides[1], (struct box){x, y + tile.height - width, tile.width, width}, shown, rgb);
	place(sides[2], (struct box){x, y + width, width, tile.height - 2 * width}, shown, rgb);
	place(sides[3],
		(struct box){x + tile.width - width, y + width, width, tile.height - 2 * width},
		shown, rgb);
	if (own->tab) {
		scene_rect_set_color(own->tab, tab_color(window));
	}
}

static void destroy_tab(struct window *window)
{
	if (window->private->tab) {
		scene_node_destroy(&window->private->tab->node);
		window->private->tab = NULL;
	}
}

void tile_border_destroy(struct window *window)
{
	struct window_private *own = window->private;
	scene_node_set_reach(&window->surface_tree->content->node, false);
	destroy_tab(window);
	if (own->tile_border) {
		for (int i = 0; i < 4; i++) {
			scene_node_destroy(&own->tile_border->sides[i]->node);
		}
		free(own->tile_border);
		own->tile_border = NULL;
	}
}

static void place_tab(struct window *window, struct box box)
{
	struct window_private *own = window->private;
	if (!own->tab) {
		own->tab = scene_rect_create(own->tiled->tiled_tree, 0, 0, black);
		own->tab->node.data = window; /* a click focuses the window */
	}
	place(own->tab, box, true, tab_color(window));
}

void tabs_update(struct workspace *workspace)
{
	for (int i = 0; i < workspace->columns->n; i++) {
		const struct column *column = &workspace->columns->columns[i];
		const int n = column->n_items;
		for (int j = 0; j < n; j++) {
			struct window *window = column->items[j].id;
			const struct box box = column->items[j].box;
			if (!column->tabbed || n < 2) {
				destroy_tab(window);
				continue;
			}
			/* A pixel separates tabs. */
			int from = box.width * j / n, to = box.width * (j + 1) / n;
			place_tab(window, (struct box){box.x + from, box.y - TILE_TAB_HEIGHT,
						  to - from - (j < n - 1), TILE_TAB_HEIGHT - 1});
		}
	}
}
