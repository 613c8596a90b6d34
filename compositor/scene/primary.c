/* SPDX-License-Identifier: MIT */
/* Primary outputs and preferred scales of surfaces. */

#include "scene/internal.h"
#include "surface/surface.h"
#include "util/region.h"

static void place_surface(struct scene *scene, struct scene_surface *content)
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
	scene_surface_set_primary(content, primary);
	/* An invisible surface keeps its preferred scale. */
	if (scale > 0) {
		surface_set_preferred(surface, scale, transform);
	}
}

void scene_place_surfaces(struct scene_tree *tree, bool rebuilt)
{
	struct scene_node *node;
	wl_list_for_each (node, &tree->children, link) {
		node->changed = node->changed && !rebuilt;
		if (node->type == SCENE_TREE) {
			scene_place_surfaces(scene_tree_from_node(node), rebuilt);
		} else if (node->type == SCENE_SURFACE) {
			place_surface(tree->node.scene, scene_surface_from_node(node));
		}
	}
}
