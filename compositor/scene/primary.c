/* SPDX-License-Identifier: MIT */
/* Primary outputs and preferred scales of surfaces. */

#include "scene/internal.h"
#include "surface/surface.h"
#include "util/region.h"

/* Returns the surface's new primary output. */
static int place_surface(struct scene *scene, struct scene_surface *content)
{
	struct surface *surface = content->surface;
	int64_t most = 0;
	double scale = 0;
	enum wl_output_transform transform = surface->preferred_transform;
	int primary = -1;
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		struct scene_output *output = scene->outputs[i];
		if (!output) {
			continue;
		}
		if (output->awake && content->node.entry_index[i] >= 0) {
			int64_t area =
				region_area(&output->entries[content->node.entry_index[i]].visible);
			if (area > most) {
				most = area;
				primary = i;
			}
		}
		if ((surface->outputs & (1u << i)) && output->scale > scale) {
			scale = output->scale;
			transform = output->transform;
		}
	}
	const int pace = content->pace_output;
	const bool kept = primary < 0 && content->primary_output < 0;
	scene_surface_set_primary(content, primary, kept ? pace : primary);
	/* An invisible surface keeps its preferred scale. */
	if (scale > 0) {
		surface_set_preferred(surface, scale, transform);
	}
	return primary;
}

/* Surfaces of one window, as far as they were placed. */
struct group {
	int shown; /* output of the first visible one, or -1 */
	bool covered; /* one of them is invisible */
};

static void place_tree(struct scene_tree *tree, bool rebuilt, struct group *group);

/* Gives the covered surfaces of a window, subsurfaces included, the output `pace`, or -1. */
static void pace_covered(struct scene_tree *tree, int pace)
{
	struct scene_node *node;
	wl_list_for_each (node, &tree->children, link) {
		if (node->type == SCENE_TREE) {
			pace_covered(scene_tree_from_node(node), pace);
		} else if (node->type == SCENE_SURFACE) {
			struct scene_surface *content = scene_surface_from_node(node);
			if (content->primary_output < 0) {
				scene_surface_set_primary(
					content, -1, content->look.shown ? pace : -1);
			}
		}
	}
}

/* Places the surfaces of a window, or of a tree without a surface of its own. */
static void place_group(struct scene_tree *tree, bool rebuilt, struct group *outer)
{
	const bool window = tree->content && !tree->content->subsurface;
	struct group own = {.shown = -1};
	place_tree(tree, rebuilt, window ? &own : outer);
	if (window && own.covered) {
		pace_covered(tree, own.shown);
	}
}

static void place_tree(struct scene_tree *tree, bool rebuilt, struct group *group)
{
	struct scene_node *node;
	wl_list_for_each (node, &tree->children, link) {
		node->changed = node->changed && !rebuilt;
		if (node->type == SCENE_TREE) {
			place_group(scene_tree_from_node(node), rebuilt, group);
		} else if (node->type == SCENE_SURFACE) {
			struct scene_surface *content = scene_surface_from_node(node);
			const int output = place_surface(tree->node.scene, content);
			group->shown = group->shown < 0 ? output : group->shown;
			group->covered = group->covered || output < 0;
		}
	}
}

void scene_place_surfaces(struct scene_tree *tree, bool rebuilt)
{
	struct group group = {.shown = -1};
	place_group(tree, rebuilt, &group);
}
