/* SPDX-License-Identifier: MIT */
/* Facts about windows, workspaces and outputs, for all files of the shell. Changes nothing. */

#include "facts.h"
#include "seat/seat.h"
#include "shell/geometry/private.h"
#include "surface/subsurface.h"
#include "surface/surface.h"
#include "xdg-shell-protocol.h"
#include <stdlib.h>
#include <string.h>

#define LAYOUT_STATES (WINDOW_MAXIMIZED | WINDOW_FULLSCREEN | WINDOW_TILED)

struct window *window_from_data(void *data)
{
	const enum shell_node_kind *kind = data;
	return kind && *kind == SHELL_NODE_WINDOW ? data : NULL;
}

struct layer *layer_from_data(void *data)
{
	const enum shell_node_kind *kind = data;
	return kind && *kind == SHELL_NODE_LAYER ? data : NULL;
}

/* Returns the data of the nearest ancestor of the surface's node that has one. */
static void *surface_data(struct surface *surface)
{
	struct scene_surface *content = scene_surface_find(surface);
	struct scene_node *node = content ? &content->node : NULL;
	while (node && !node->data) {
		node = node->parent ? &node->parent->node : NULL;
	}
	return node ? node->data : NULL;
}

struct window *window_from_surface(struct surface *surface)
{
	return window_from_data(surface_data(surface));
}

struct layer *layer_from_surface(struct surface *surface)
{
	return layer_from_data(surface_data(surface));
}

bool window_floating(const struct window *window)
{
	return !(window->states & LAYOUT_STATES);
}

struct box window_box(const struct window *window)
{
	return (struct box){window->x, window->y, window->geometry.width, window->geometry.height};
}

struct scene_output *shell_nearest_output(const struct shell *shell, const struct box *box)
{
	return scene_output_nearest(shell->scene,
		(struct coord_global){box->x + box->width / 2.0, box->y + box->height / 2.0});
}

struct scene_output *window_output(const struct window *window)
{
	const struct window_private *own = window->private;
	struct scene *scene = window->shell->scene;
	if ((window->states & WINDOW_FULLSCREEN) && own->fullscreen_output) {
		return own->fullscreen_output;
	}
	if (own->drag.active) {
		return scene_output_nearest(scene, own->drag.at);
	}
	if (!window->mapped) {
		return window->parent && window->parent->mapped
			       ? window_output(window->parent)
			       : shell_active_output(window->shell);
	}
	const struct workspace *workspace = window->workspace;
	if (workspace && workspace->output && (!window_floating(window) || !workspace->shown)) {
		return workspace->output;
	}
	const struct box box = window_box(window);
	return shell_nearest_output(window->shell, &box);
}

uint32_t window_tile_edges(uint32_t states)
{
	const bool left = states & WINDOW_TILED_LEFT, right = states & WINDOW_TILED_RIGHT;
	const bool top = states & WINDOW_TILED_TOP, bottom = states & WINDOW_TILED_BOTTOM;
	uint32_t edges = 0;
	if (left != right) {
		edges |= left ? XDG_TOPLEVEL_RESIZE_EDGE_RIGHT : XDG_TOPLEVEL_RESIZE_EDGE_LEFT;
	}
	if (top != bottom) {
		edges |= top ? XDG_TOPLEVEL_RESIZE_EDGE_BOTTOM : XDG_TOPLEVEL_RESIZE_EDGE_TOP;
	}
	return edges;
}

uint32_t window_inner_edges(const struct window *window)
{
	const bool covers = window->states & (WINDOW_FULLSCREEN | WINDOW_MAXIMIZED);
	return covers || window->private->tiled ? 0 : window_tile_edges(window->states);
}

/* Returns the frame with a border of this width. */
static struct frame_extents frame_around(const struct window *window, int border)
{
	const int title = window->shell->config->decoration.title_height;
	return window->private->decorated
		       ? (struct frame_extents){title + border, border, border, border}
		       : (struct frame_extents){0};
}

struct frame_extents shell_estimate_frame(struct shell *shell, bool floats)
{
	const struct workspace *workspace = shell_workspace(shell);
	const bool floating = floats || workspace->layout == CONFIG_LAYOUT_FLOATING;
	const int title = shell->config->decoration.title_height;
	const int border = floating ? shell->config->look.border : 0;
	return (struct frame_extents){title + border, border, border, border};
}

struct frame_extents window_frame(const struct window *window)
{
	if (window->states & WINDOW_FULLSCREEN) {
		return (struct frame_extents){0};
	}
	struct frame_extents frame = frame_around(window, window->shell->config->look.border);
	if (window_floating(window)) {
		return frame;
	}
	const int title = window->shell->config->decoration.title_height;
	const uint32_t inner = window_inner_edges(window);
	if (window->private->decorated && !(inner & XDG_TOPLEVEL_RESIZE_EDGE_TOP)) {
		frame.top = title;
	}
	frame.bottom = inner & XDG_TOPLEVEL_RESIZE_EDGE_BOTTOM ? frame.bottom : 0;
	frame.left = inner & XDG_TOPLEVEL_RESIZE_EDGE_LEFT ? frame.left : 0;
	frame.right = inner & XDG_TOPLEVEL_RESIZE_EDGE_RIGHT ? frame.right : 0;
	return frame;
}

/* Clamps an extent, so that far subsurfaces cannot cause overflow. */
static int max(int extent, int other)
{
	const int limit = 1 << 12;
	return other <= extent ? extent : other < limit ? other : limit;
}

struct frame_extents window_outer_extents(const struct window *window)
{
	struct frame_extents extents = frame_around(window, window->shell->config->look.border);
	const struct surface_state *state = &window->surface->current;
	const struct box *inner = &window->geometry;
	const int right = coord_sum(inner->x, inner->width);
	const int bottom = coord_sum(inner->y, inner->height);
	for (int i = 0; i < state->n_children; i++) {
		const struct child *child = &state->children[i];
		if (!child->subsurface || !surface_has_content(child->subsurface->surface)) {
			continue;
		}
		const struct surface_state *part = &child->subsurface->surface->current;
		const int part_right = coord_sum(child->x, part->width);
		const int part_bottom = coord_sum(child->y, part->height);
		if (part_bottom <= inner->y || child->y >= bottom || part_right <= inner->x ||
			child->x >= right) {
			extents.top = max(extents.top, inner->y - child->y);
			extents.left = max(extents.left, inner->x - child->x);
			extents.bottom = max(extents.bottom, part_bottom - bottom);
			extents.right = max(extents.right, part_right - right);
		}
	}
	return extents;
}

bool window_shown(const struct window *window)
{
	return window->mapped && !window->minimized && window->workspace &&
	       window->workspace->shown;
}

bool window_is_ancestor(const struct window *ancestor, const struct window *window)
{
	while (window && window != ancestor) {
		window = window->parent;
	}
	return window != NULL;
}

struct workspace *workspace_on(struct shell *shell, const struct scene_output *output)
{
	struct workspace *workspace;
	wl_list_for_each (workspace, &shell->workspaces, link) {
		if (workspace->shown && workspace->output == output) {
			return workspace;
		}
	}
	return NULL;
}

struct workspace *shell_workspace(struct shell *shell)
{
	struct workspace *workspace = workspace_on(shell, shell_active_output(shell));
	return workspace ? workspace : wl_container_of(shell->workspaces.next, workspace, link);
}

struct box shell_usable(const struct shell *shell, const struct scene_output *output)
{
	return output ? shell->usable[output->index] : (struct box){0};
}

struct scene_output *shell_active_output(struct shell *shell)
{
	if (!shell->private->output) {
		shell->private->output =
			scene_output_nearest(shell->scene, shell->seat->pointer.at);
	}
	return shell->private->output;
}

/* Returns true if the first box ends where the second one begins, or before. */
static bool is_before(int at, int size, int other)
{
	return (int64_t)at + size <= other;
}

/* Returns true if the whole of an output lies beyond the edge of another one in a direction. */
static bool is_beyond(const struct box *from, const struct box *to, const char *direction)
{
	switch (*direction) {
	case 'l': return is_before(to->x, to->width, from->x);
	case 'r': return is_before(from->x, from->width, to->x);
	case 'u': return is_before(to->y, to->height, from->y);
	default: return is_before(from->y, from->height, to->y);
	}
}

/* Returns the square of the distance of an output from the middle of another one. */
static double gap(const struct box *from, const struct box *to)
{
	const double at_x = from->x + from->width / 2.0, at_y = from->y + from->height / 2.0;
	double x, y;
	box_closest_point(to, at_x, at_y, &x, &y);
	return (x - at_x) * (x - at_x) + (y - at_y) * (y - at_y);
}

/* Returns the nearest output beyond an edge of the output, or NULL. */
static struct scene_output *find_beside(
	const struct shell *shell, const struct scene_output *active, const char *direction)
{
	const struct box from = scene_output_box(active);
	struct scene_output *best = NULL;
	double least = 0;
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		struct scene_output *output = shell->scene->outputs[i];
		if (!output || output == active) {
			continue;
		}
		const struct box to = scene_output_box(output);
		const double far = gap(&from, &to);
		if (is_beyond(&from, &to, direction) && (!best || far < least)) {
			best = output;
			least = far;
		}
	}
	return best;
}

/* Returns how far an output lies in a direction, negative if it lies in another one. */
static int distance(const struct box *from, const struct box *to, const char *direction)
{
	int dx = to->x + to->width / 2 - from->x - from->width / 2;
	int dy = to->y + to->height / 2 - from->y - from->height / 2;
	bool sideways = abs(dx) >= abs(dy);
	if (strcmp(direction, "left") == 0 || strcmp(direction, "right") == 0) {
		return sideways ? (*direction == 'l' ? -dx : dx) : -1;
	}
	return sideways ? -1 : *direction == 'u' ? -dy : dy;
}

static bool is_direction(const char *name)
{
	return strcmp(name, "left") == 0 || strcmp(name, "right") == 0 || strcmp(name, "up") == 0 ||
	       strcmp(name, "down") == 0;
}

bool shell_knows_output(const struct shell *shell, const char *name)
{
	return is_direction(name) || scene_output_find_name(shell->scene, name);
}

struct scene_output *shell_find_output(struct shell *shell, const char *name)
{
	struct scene_output *active = shell_active_output(shell), *best = NULL;
	int best_distance = 0;
	if (!active || !is_direction(name)) {
		return scene_output_find_name(shell->scene, name);
	}
	best = find_beside(shell, active, name);
	if (best) {
		return best;
	}
	/* Outputs that overlap in this direction: their middles decide. */
	struct box from = scene_output_box(active);
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		struct scene_output *output = shell->scene->outputs[i];
		if (!output || output == active) {
			continue;
		}
		struct box to = scene_output_box(output);
		int far = distance(&from, &to, name);
		if (far > 0 && (!best || far < best_distance)) {
			best = output;
			best_distance = far;
		}
	}
	return best;
}

struct box window_fullscreen_box(const struct window *window, const struct scene_output *output)
{
	const struct scene_output *const *span = (const void *)window->private->span;
	if (span[0]) {
		const struct box top = scene_output_box(span[0]),
				 bottom = scene_output_box(span[1]);
		const struct box left = scene_output_box(span[2]),
				 right = scene_output_box(span[3]);
		const struct box box = {left.x, top.y, right.x + right.width - left.x,
			bottom.y + bottom.height - top.y};
		if (!box_empty(&box)) {
			return box;
		}
	}
	return scene_output_box(output);
}
