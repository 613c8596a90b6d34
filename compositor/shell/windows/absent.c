/* SPDX-License-Identifier: MIT */
/* Windows that outlive their surface: X windows have none while they are minimised. */

#include "shell/geometry/private.h"
#include "shell/shell.h"
#include "surface/surface.h"
#include "windows.h"

/* Covers what lies below a window without content: presses do not fall through it. */
static void cover(struct window *window)
{
	struct window_private *own = window->private;
	static const float black[4] = {0, 0, 0, 1};
	const struct box *geometry = &window->geometry;
	if (!own->cover) {
		own->cover =
			scene_rect_create(window->tree, geometry->width, geometry->height, black);
		own->cover->node.data = window;
		scene_node_place_above(&own->cover->node, &window->surface_tree->node);
	}
}

static void uncover(struct window *window)
{
	if (window->private->cover) {
		scene_node_destroy(&window->private->cover->node);
		window->private->cover = NULL;
	}
}

static void replace_tree(struct window *window, struct surface *surface)
{
	struct scene_tree *old = window->surface_tree;
	struct scene_tree *tree = scene_surface_tree_create(window->tree, surface);
	scene_node_place_above(&tree->node, &old->node);
	scene_node_set_position(&tree->node, -window->geometry.x, -window->geometry.y);
	scene_tree_set_opacity(tree, old->opacity);
	window->surface_tree = tree;
	scene_node_destroy(&old->node);
}

void window_set_surface(struct window *window, struct surface *surface, bool absent)
{
	struct surface *old = window->surface;
	replace_tree(window, surface);
	surface->rules = old->rules;
	old->rules = (struct surface_rules){0};
	surface_set_preferred(surface, old->preferred_scale, old->preferred_transform);
	window->surface = surface;
	window->private->answers = false;
	if (absent) {
		cover(window);
	} else {
		uncover(window);
	}
	signal_emit(&window->events.surface, window);
	focus_update_keyboard(window->shell);
}
