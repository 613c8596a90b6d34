/* SPDX-License-Identifier: MIT */
/* Server-side decoration: a frame with a title bar to drag and edges to resize. */

#include "decoration.h"
#include "look.h"
#include "shell/geometry/facts.h"
#include "shell/geometry/private.h"
#include "util/xalloc.h"
#include "xdg-shell-protocol.h"
#include <stdlib.h>

/** Length of the corner areas, which resize in two directions; logical pixels. */
#define CORNER 16
/** Colour of the title bar while the bell rings. */
#define FLASH_COLOR 0xcccccc

struct decorations {
	struct wl_listener frame, icon; /* of the shell */
};

static struct scene_rect *make_rect(struct window *window)
{
	static const float color[4] = {0, 0, 0, 1};
	struct scene_rect *rect = scene_rect_create(window->tree, 0, 0, color);
	rect->node.data = window;
	return rect;
}

static void place(struct scene_rect *rect, int x, int y, int width, int height)
{
	scene_node_set_enabled(&rect->node, width > 0 && height > 0);
	scene_node_set_position(&rect->node, x, y);
	scene_rect_set_size(rect, width, height);
}

static void update_colors(struct decoration *decoration)
{
	const struct window *window = decoration->window;
	struct config_frame_colors colors = frame_colors(window);
	if (window->shell->private->flashing == window) {
		colors.title = colors.border = FLASH_COLOR;
	}
	scene_rect_set_color(decoration->title, colors.title);
	scene_rect_set_color(decoration->top, colors.border);
	scene_rect_set_color(decoration->right, colors.border);
	scene_rect_set_color(decoration->bottom, colors.border);
	scene_rect_set_color(decoration->left, colors.border);
}

void decoration_update(struct window *window)
{
	struct decoration *decoration = window->private->decoration;
	if (!decoration) {
		return;
	}
	const struct frame_extents frame = window_frame(window);
	const int width = window->geometry.width, height = window->geometry.height;
	const int title = frame.top ? window->shell->config->decoration.title_height : 0;
	const int full = width + frame.left + frame.right;
	scene_node_set_reach(&decoration->title->node, window->private->tiled);
	update_colors(decoration);
	place(decoration->title, 0, -title, width, title);
	place(decoration->top, -frame.left, -frame.top, full, frame.top - title);
	place(decoration->bottom, -frame.left, height, full, frame.bottom);
	place(decoration->left, -frame.left, title ? -title : 0, frame.left, height + title);
	place(decoration->right, width, title ? -title : 0, frame.right, height + title);
	title_bar_update(decoration, title > 0);
}

/* Returns the edges at a point: both edges near a corner. */
static uint32_t edges_at(const struct window *window, double x, double y)
{
	const struct frame_extents frame = window_frame(window);
	const double right = window->geometry.width, bottom = window->geometry.height;
	uint32_t edges = 0;
	const int title = window->shell->config->decoration.title_height;
	bool in_top = y < -title, in_bottom = y >= bottom;
	bool in_left = x < 0, in_right = x >= right;
	if (!in_top && !in_bottom && !in_left && !in_right) {
		return 0;
	}
	bool sideways = in_left || in_right;
	if (in_top || (sideways && y < -frame.top + CORNER)) {
		edges |= XDG_TOPLEVEL_RESIZE_EDGE_TOP;
	} else if (in_bottom || (sideways && y >= bottom - CORNER)) {
		edges |= XDG_TOPLEVEL_RESIZE_EDGE_BOTTOM;
	}
	if (in_left || (!sideways && x < CORNER)) {
		edges |= XDG_TOPLEVEL_RESIZE_EDGE_LEFT;
	} else if (in_right || (!sideways && x >= right - CORNER)) {
		edges |= XDG_TOPLEVEL_RESIZE_EDGE_RIGHT;
	}
	return edges;
}

enum decoration_part decoration_at(
	const struct window *window, struct coord_global at, uint32_t *edges)
{
	const struct frame_extents frame = window_frame(window);
	const double x = at.x - window->x, y = at.y - window->y;
	*edges = 0;
	if (!frame.top || x < -frame.left || y < -frame.top ||
		x >= window->geometry.width + frame.right ||
		y >= window->geometry.height + frame.bottom) {
		return DECORATION_NONE;
	}
	const uint32_t resizable = window_floating(window) ? EDGES_SIDEWAYS | EDGES_UPRIGHT
							   : window_inner_edges(window);
	*edges = edges_at(window, x, y) & resizable;
	if (*edges) {
		return DECORATION_EDGE;
	}
	if (y >= 0) {
		return DECORATION_NONE;
	}
	return title_bar_button_at(window, at) ? DECORATION_BUTTON : DECORATION_TITLE;
}

static void destroy(struct decoration *decoration)
{
	decoration->window->private->decoration = NULL;
	wl_list_remove(&decoration->destroy.link);
	title_bar_finish(decoration);
	scene_node_destroy(&decoration->title->node);
	scene_node_destroy(&decoration->top->node);
	scene_node_destroy(&decoration->right->node);
	scene_node_destroy(&decoration->bottom->node);
	scene_node_destroy(&decoration->left->node);
	free(decoration);
}

static void handle_window_destroy(struct wl_listener *listener, void *data)
{
	struct decoration *decoration = wl_container_of(listener, decoration, destroy);
	destroy(decoration);
}

static void create(struct window *window)
{
	struct decoration *decoration = xcalloc(1, sizeof(*decoration));
	decoration->window = window;
	decoration->title = make_rect(window);
	decoration->top = make_rect(window);
	decoration->right = make_rect(window);
	decoration->bottom = make_rect(window);
	decoration->left = make_rect(window);
	title_bar_init(decoration);
	signal_add(&window->events.destroy, &decoration->destroy, handle_window_destroy);
	window->private->decoration = decoration;
	scene_node_raise_to_top(&window->popup_tree->node);
}

static void handle_frame(struct wl_listener *listener, void *data)
{
	struct window *window = data;
	if (window->private->decorated && !window->private->decoration) {
		create(window);
	} else if (!window->private->decorated && window->private->decoration) {
		destroy(window->private->decoration);
	}
	decoration_update(window);
}

static void handle_icon(struct wl_listener *listener, void *data)
{
	const struct window *window = data;
	if (window->private->decoration) {
		title_bar_icon_changed(window->private->decoration);
	}
}

void decorations_init(struct shell *shell)
{
	struct decorations *decorations = xcalloc(1, sizeof(*decorations));
	shell->private->decorations = decorations;
	signal_add(&shell->events.frame, &decorations->frame, handle_frame);
	signal_add(&shell->events.icon, &decorations->icon, handle_icon);
	title_bars_init(shell);
}

void decorations_finish(struct shell *shell)
{
	struct decorations *decorations = shell->private->decorations;
	title_bars_finish(shell);
	wl_list_remove(&decorations->frame.link);
	wl_list_remove(&decorations->icon.link);
	free(shell->private->decorations);
}
