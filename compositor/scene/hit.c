/* SPDX-License-Identifier: MIT */
/* Hit tests: the surface or rect at a point of the global space. */

#include "scene/internal.h"

static void *nearest_data(const struct scene_node *node)
{
	for (;;) {
		if (node->data) {
			return node->data;
		}
		if (!node->parent) {
			return NULL;
		}
		node = &node->parent->node;
	}
}

/* Returns true if the tree is clipped to an output that does not contain the point. */
static bool is_clipped(const struct scene_tree *tree, struct coord_global at)
{
	if (!tree->output) {
		return false;
	}
	struct box box = scene_output_box(tree->output);
	return !box_contains_point(&box, at.x, at.y);
}

/* Converts a point relative to the surface's node. */
static struct coord_surface to_surface(const struct surface *surface, double x, double y)
{
	return (struct coord_surface){(x - surface->shift_x) * surface->density,
		(y - surface->shift_y) * surface->density};
}

/* Tests the nodes of the tree, topmost first. The point is in the tree's coordinates. */
static bool hit_tree(
	struct scene_tree *tree, struct coord_global at, double x, double y, struct scene_hit *hit)
{
	struct scene_node *node;
	wl_list_for_each_reverse (node, &tree->children, link) {
		if (!node->enabled) {
			continue;
		}
		double nx = x - node->x, ny = y - node->y;
		if (node->type == SCENE_TREE) {
			struct scene_tree *below = scene_tree_from_node(node);
			if (!below->no_input && !is_clipped(below, at) &&
				hit_tree(below, at, nx, ny, hit)) {
				return true;
			}
		} else if (node->type == SCENE_SURFACE) {
			struct scene_surface *content = scene_surface_from_node(node);
			struct coord_surface at = to_surface(content->surface, nx, ny);
			if (content->surface->mapped &&
				surface_accepts_input(content->surface, at)) {
				hit->surface = content->surface;
				hit->at = at;
				hit->data = nearest_data(node);
				return true;
			}
		} else if (node->type == SCENE_RECT && node->data) {
			/* A rect with data (a decoration) takes input for its owner. */
			struct scene_rect *rect = wl_container_of(node, rect, node);
			struct box box = {0, 0, rect->width, rect->height};
			if (box_contains_point(&box, nx, ny)) {
				hit->data = node->data;
				return true;
			}
		}
	}
	return false;
}

struct scene_hit scene_at(struct scene *scene, struct coord_global at)
{
	struct scene_hit hit = {0};
	hit_tree(&scene->root, at, at.x, at.y, &hit);
	return hit;
}

bool scene_to_surface(
	const struct surface *surface, struct coord_global at, struct coord_surface *out)
{
	const struct scene_surface *content = scene_surface_find(surface);
	if (!content) {
		return false;
	}
	int x, y;
	bool shown = scene_node_coords(&content->node, &x, &y);
	*out = to_surface(surface, at.x - x, at.y - y);
	return shown && content->look.shown;
}
