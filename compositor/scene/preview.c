/* SPDX-License-Identifier: MIT */
/* Previews: scaled copies of the surfaces in a tree, drawn from the contents that outputs share. */

#include "scene/internal.h"
#include "util/xalloc.h"
#include <math.h>
#include <stdlib.h>

/* Returns the visibility and the position in the root. */
static bool find_position(const struct scene_preview *preview, int *x, int *y)
{
	*x = *y = 0;
	for (const struct scene_node *node = &preview->source->node; node != &preview->root->node;
		node = &node->parent->node) {
		if (!node->parent || !node->enabled) {
			return false;
		}
		*x = coord_sum(*x, node->x);
		*y = coord_sum(*y, node->y);
	}
	return true;
}

bool scene_preview_boxes(
	const struct scene_preview *preview, int x, int y, struct box *box, struct box *clip)
{
	int left, top;
	if (!preview->source || !preview->source->look.shown ||
		!find_position(preview, &left, &top)) {
		return false;
	}
	const struct scene_look *look = &preview->source->look;
	const struct surface *surface = preview->source->surface;
	const double h = (double)preview->width / preview->part.width;
	const double v = (double)preview->height / preview->part.height;
	const double x1 = (left + surface->shift_x - preview->part.x) * h;
	const double y1 = (top + surface->shift_y - preview->part.y) * v;
	const int x2 = (int)lround(fmin(x1 + look->width / surface->density * h, COORD_MAX));
	const int y2 = (int)lround(fmin(y1 + look->height / surface->density * v, COORD_MAX));
	left = (int)lround(fmax(x1, -COORD_MAX));
	top = (int)lround(fmax(y1, -COORD_MAX));
	*clip = (struct box){x, y, preview->width, preview->height};
	*box = (struct box){coord_sum(x, left), coord_sum(y, top), x2 - left, y2 - top};
	return x2 > left && y2 > top;
}

static void detach(struct scene_preview *preview)
{
	wl_list_remove(&preview->link);
	wl_list_init(&preview->link);
	preview->source = NULL;
}

static void destroy(struct scene_node *node)
{
	struct scene_preview *preview = wl_container_of(node, preview, node);
	detach(preview);
	scene_node_finish(&preview->node);
	free(preview);
}

static void add_preview(struct scene_tree *tree, struct scene_surface *source,
	const struct scene_preview *model, int *n)
{
	if (++*n > SCENE_PREVIEW_MAX) {
		return;
	}
	struct scene_preview *preview = xcalloc(1, sizeof(*preview));
	*preview = *model;
	scene_node_init(&preview->node, SCENE_PREVIEW, tree);
	preview->node.destroy = destroy;
	preview->source = source;
	wl_list_insert(&source->previews, &preview->link);
}

static void add_all(
	struct scene_tree *tree, struct scene_tree *from, const struct scene_preview *model, int *n)
{
	struct scene_node *node;
	wl_list_for_each (node, &from->children, link) {
		if (node->type == SCENE_TREE) {
			add_all(tree, scene_tree_from_node(node), model, n);
		} else if (node->type == SCENE_SURFACE) {
			add_preview(tree, scene_surface_from_node(node), model, n);
		}
	}
}

struct scene_tree *scene_preview_create(struct scene_tree *parent, struct scene_tree *root,
	const struct box *part, int width, int height)
{
	struct scene_tree *tree = scene_tree_create(parent);
	const struct scene_preview model = {
		.root = root, .part = *part, .width = width, .height = height};
	int n = 0;
	if (!box_empty(part) && width > 0 && height > 0) {
		add_all(tree, root, &model, &n);
	}
	scene_mark_dirty(tree->node.scene);
	return tree;
}

void scene_previews_forget(struct scene_surface *content)
{
	while (!wl_list_empty(&content->previews)) {
		struct scene_preview *preview =
			wl_container_of(content->previews.next, preview, link);
		scene_node_forget_entries(&preview->node);
		detach(preview);
	}
}

uint32_t scene_previews_outputs(const struct scene_surface *content)
{
	uint32_t outputs = 0;
	const struct scene_preview *preview;
	wl_list_for_each (preview, &content->previews, link) {
		for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
			outputs |= preview->node.entry_index[i] >= 0 ? 1u << i : 0;
		}
	}
	return outputs;
}

struct scene_surface *scene_entry_surface(const struct scene_entry *entry)
{
	if (!entry->node) {
		return NULL;
	}
	if (entry->node->type == SCENE_PREVIEW) {
		const struct scene_preview *preview = wl_container_of(entry->node, preview, node);
		return preview->source;
	}
	return entry->node->type == SCENE_SURFACE ? scene_surface_from_node(entry->node) : NULL;
}
