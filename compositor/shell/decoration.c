/* SPDX-License-Identifier: MIT */
/* Server-side decoration: a frame with a title bar to drag and edges to resize. */

#include "internal.h"
#include "util/xalloc.h"
#include "xdg-shell-protocol.h"
#include <stdlib.h>

#define TITLE_HEIGHT 24
#define CLOSE_SIZE 12
/** Length of the corner areas, which resize in two directions; logical pixels. */
#define CORNER 16

struct decoration {
	struct scene_rect *title, *close, *top, *right, *bottom, *left;
};

static const float focused[4] = {0.20f, 0.35f, 0.55f, 1};
static const float unfocused[4] = {0.25f, 0.25f, 0.25f, 1};
static const float urgent[4] = {0.70f, 0.40f, 0.10f, 1};
static const float flash[4] = {0.80f, 0.80f, 0.80f, 1};
static const float close_color[4] = {0.75f, 0.25f, 0.25f, 1};

struct frame_extents window_frame(const struct window *window)
{
	struct frame_extents frame = {0};
	if (!window->decoration || (window->states & WINDOW_FULLSCREEN)) {
		return frame;
	}
	int border = shell_border(window->shell);
	if (window->states & (WINDOW_MAXIMIZED | WINDOW_TILED)) {
		border = 0;
	}
	frame = (struct frame_extents){TITLE_HEIGHT + border, border, border, border};
	return frame;
}

static struct scene_rect *make_rect(struct window *window, const float color[static 4])
{
	struct scene_rect *rect = scene_rect_create(window->tree, 0, 0, color);
	rect->node.data = window;
	return rect;
}

void decoration_destroy(struct decoration *decoration)
{
	if (!decoration) {
		return;
	}
	scene_node_destroy(&decoration->title->node);
	scene_node_destroy(&decoration->close->node);
	scene_node_destroy(&decoration->top->node);
	scene_node_destroy(&decoration->right->node);
	scene_node_destroy(&decoration->bottom->node);
	scene_node_destroy(&decoration->left->node);
	free(decoration);
}

void window_set_decorated(struct window *window, bool decorated)
{
	if (decorated == (window->decoration != NULL)) {
		return;
	}
	if (!decorated) {
		decoration_destroy(window->decoration);
		window->decoration = NULL;
	} else {
		struct decoration *decoration = xcalloc(1, sizeof(*decoration));
		decoration->title = make_rect(window, unfocused);
		decoration->close = make_rect(window, close_color);
		decoration->top = make_rect(window, unfocused);
		decoration->right = make_rect(window, unfocused);
		decoration->bottom = make_rect(window, unfocused);
		decoration->left = make_rect(window, unfocused);
		window->decoration = decoration;
		scene_node_raise_to_top(&window->popup_tree->node);
		decoration_update(window);
	}
	if (window->mapped && !window_floating(window)) {
		window_arrange(window);
	}
}

static void place(struct scene_rect *rect, int x, int y, int width, int height)
{
	scene_node_set_enabled(&rect->node, width > 0 && height > 0);
	scene_node_set_position(&rect->node, x, y);
	scene_rect_set_size(rect, width, height);
}

static const float *color_of(const struct window *window)
{
	if (window->shell->bell.window == window) {
		return flash;
	}
	if (window->shell->focus == window) {
		return focused;
	}
	return window->urgent ? urgent : unfocused;
}

void decoration_update(struct window *window)
{
	struct decoration *decoration = window->decoration;
	if (!decoration) {
		return;
	}
	const struct frame_extents frame = window_frame(window);
	const int width = window->geometry.width, height = window->geometry.height;
	const int title = frame.top ? TITLE_HEIGHT : 0, pad = (TITLE_HEIGHT - CLOSE_SIZE) / 2;
	const int full = width + frame.left + frame.right;
	struct scene_rect *parts[] = {decoration->title, decoration->top, decoration->right,
		decoration->bottom, decoration->left};
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		scene_rect_set_color(parts[i], color_of(window));
	}
	place(decoration->title, 0, -title, width, title);
	place(decoration->close, width - pad - CLOSE_SIZE, -title + pad,
		title && width > 2 * TITLE_HEIGHT ? CLOSE_SIZE : 0, CLOSE_SIZE);
	scene_node_place_above(&decoration->close->node, &decoration->title->node);
	place(decoration->top, -frame.left, -frame.top, full, frame.top - title);
	place(decoration->bottom, -frame.left, height, full, frame.bottom);
	place(decoration->left, -frame.left, title ? -title : 0, frame.left, height + title);
	place(decoration->right, width, title ? -title : 0, frame.right, height + title);
}

/* Returns the edges at a point: both edges near a corner. */
static uint32_t edges_at(const struct window *window, double x, double y)
{
	const struct frame_extents frame = window_frame(window);
	const double right = window->geometry.width, bottom = window->geometry.height;
	uint32_t edges = 0;
	bool in_top = y < -frame.top + shell_border(window->shell), in_bottom = y >= bottom;
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
	if (window_floating(window)) {
		*edges = edges_at(window, x, y);
		if (*edges) {
			return DECORATION_EDGE;
		}
	}
	if (y >= 0) {
		return DECORATION_NONE;
	}
	bool closes = window->geometry.width > 2 * TITLE_HEIGHT &&
		      x >= window->geometry.width - TITLE_HEIGHT;
	return closes ? DECORATION_CLOSE : DECORATION_TITLE;
}
