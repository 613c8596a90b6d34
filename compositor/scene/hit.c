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

/* Distance in logical pixels at which a view draws the nodes of a tree from their places. */
struct distance {
	double x, y;
};

static struct distance measure_distance(
	const struct scene_view *view, const struct scene_output *output)
{
	return (struct distance){view->left / view->scale - ((double)view->x - output->x),
		view->top / view->scale - ((double)view->y - output->y)};
}

/* State of the search. */
struct search {
	struct coord_global at;
	const struct scene_output *output; /* that shows the point; NULL: nothing is drawn */
	struct scene_hit *hit;
};

static bool hit_surface(
	const struct search *search, struct scene_surface *content, double x, double y)
{
	const struct surface *surface = content->surface;
	const struct coord_surface at = {x * surface->density, y * surface->density};
	if (!surface->mapped || !surface_accepts_input(surface, at)) {
		return false;
	}
	search->hit->surface = content->surface;
	search->hit->at = at;
	search->hit->data = nearest_data(&content->node);
	return true;
}

/* Tests the nodes of the tree, topmost first. The tree is at x, y in the global space. */
static bool hit_tree(const struct search *search, const struct scene_tree *tree,
	struct scene_view view, int x, int y)
{
	scene_tree_snap_view(tree, &view, x, y);
	const struct distance distance =
		search->output ? measure_distance(&view, search->output) : (struct distance){0};
	struct scene_node *node;
	wl_list_for_each_reverse (node, &tree->children, link) {
		if (!node->enabled) {
			continue;
		}
		const int nx = coord_sum(x, node->x), ny = coord_sum(y, node->y);
		const double px = search->at.x - distance.x - nx;
		const double py = search->at.y - distance.y - ny;
		if (node->type == SCENE_TREE) {
			const struct scene_tree *below = scene_tree_from_node(node);
			if (!below->no_input && !is_clipped(below, search->at) &&
				hit_tree(search, below, view, nx, ny)) {
				return true;
			}
		} else if (node->type == SCENE_SURFACE) {
			if (hit_surface(search, scene_surface_from_node(node), px, py)) {
				return true;
			}
		} else if (node->type == SCENE_RECT && node->data) {
			/* A rect with data (a decoration) takes input for its owner. */
			struct scene_rect *rect = wl_container_of(node, rect, node);
			struct box box = {0, 0, rect->width, rect->height};
			if (box_contains_point(&box, px, py)) {
				search->hit->data = node->data;
				return true;
			}
		}
	}
	return false;
}

/* Returns the view of the output that shows the point. */
static struct scene_view find_view(
	struct scene *scene, struct coord_global at, const struct scene_output **output)
{
	*output = scene_output_nearest(scene, at);
	return *output ? scene_output_view(*output) : (struct scene_view){.scale = 1};
}

struct scene_hit scene_at(struct scene *scene, struct coord_global at)
{
	struct scene_hit hit = {0};
	struct search search = {.at = at, .hit = &hit};
	const struct scene_view view = find_view(scene, at, &search.output);
	hit_tree(&search, &scene->root, view, 0, 0);
	return hit;
}

/* Moves the origin of the view to that of the innermost snapped tree around the tree. */
static void snap_view(const struct scene_tree *tree, struct scene_view *view, int *x, int *y)
{
	*x = *y = 0;
	if (tree->node.parent) {
		snap_view(tree->node.parent, view, x, y);
	}
	*x = coord_sum(*x, tree->node.x);
	*y = coord_sum(*y, tree->node.y);
	scene_tree_snap_view(tree, view, *x, *y);
}

bool scene_to_surface(
	const struct surface *surface, struct coord_global at, struct coord_surface *out)
{
	const struct scene_surface *content = scene_surface_find(surface);
	if (!content) {
		return false;
	}
	int x, y;
	const bool shown = scene_node_coords(&content->node, &x, &y);
	const struct scene_output *output;
	struct scene_view view = find_view(content->node.scene, at, &output);
	struct distance distance = {0};
	if (output) {
		int tree_x, tree_y;
		snap_view(content->node.parent, &view, &tree_x, &tree_y);
		distance = measure_distance(&view, output);
	}
	*out = (struct coord_surface){(at.x - distance.x - x) * surface->density,
		(at.y - distance.y - y) * surface->density};
	return shown && content->look.shown;
}
