/* SPDX-License-Identifier: MIT */
/* Scene tree: nodes, their stacking order and position. */

#include "scene/scene.h"
#include "scene/internal.h"
#include "util/xalloc.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct scene_tree *scene_tree_from_node(struct scene_node *node)
{
	assert(node->type == SCENE_TREE);
	return wl_container_of(node, (struct scene_tree *)NULL, node);
}

struct scene_surface *scene_surface_from_node(struct scene_node *node)
{
	assert(node->type == SCENE_SURFACE);
	return wl_container_of(node, (struct scene_surface *)NULL, node);
}

void scene_mark_dirty(struct scene *scene)
{
	scene->dirty = true;
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		struct scene_output *output = scene->outputs[i];
		if (output && !output->dirty) {
			output->dirty = true;
			signal_emit(&output->events.needs_frame, NULL);
		}
	}
}

/* Kept apart from scene_mark_dirty(), since pointer motion is frequent and changes only cursors. */
static void mark_cursors_dirty(struct scene *scene)
{
	scene->cursor_dirty = true;
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		struct scene_output *output = scene->outputs[i];
		if (output && !output->cursor_dirty) {
			output->cursor_dirty = true;
			signal_emit(&output->events.needs_frame, NULL);
		}
	}
}

static void mark_dirty(struct scene_node *node)
{
	struct scene_node *root = node;
	while (root->parent) {
		root = &root->parent->node;
	}
	if (root == &node->scene->cursor.node) {
		mark_cursors_dirty(node->scene);
	} else {
		scene_mark_dirty(node->scene);
	}
}

/* Trees of windows change rarely: updates of surfaces and cursors cause no signal. */
static void tell_restacked(const struct scene_node *node)
{
	if (node->type == SCENE_TREE) {
		signal_emit(&node->scene->events.restacked, NULL);
	}
}

bool scene_is_dirty(const struct scene *scene)
{
	return scene->dirty || scene->input_dirty;
}

void scene_node_init(struct scene_node *node, enum scene_node_type type, struct scene_tree *parent)
{
	*node = (struct scene_node){.type = type, .parent = parent, .enabled = true};
	memset(node->entry_index, -1, sizeof(node->entry_index));
	wl_signal_init(&node->events.destroy);
	wl_list_init(&node->link);
	if (parent) {
		node->scene = parent->node.scene;
		wl_list_insert(parent->children.prev, &node->link);
	}
}

void scene_node_forget_entries(struct scene_node *node)
{
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		struct scene_output *output = node->scene->outputs[i];
		if (!output || node->entry_index[i] < 0) {
			continue;
		}
		struct scene_entry *entry = &output->entries[node->entry_index[i]];
		scene_damage_entry(output, entry, &entry->visible);
		entry->node = NULL;
		node->entry_index[i] = -1;
	}
}

void scene_node_finish(struct scene_node *node)
{
	signal_emit(&node->events.destroy, node);
	assert(wl_list_empty(&node->events.destroy.listener_list));
	scene_node_forget_entries(node);
	scene_mark_dirty(node->scene);
	wl_list_remove(&node->link);
	wl_list_init(&node->link);
}

static void scene_tree_init(struct scene_tree *tree, struct scene_tree *parent)
{
	scene_node_init(&tree->node, SCENE_TREE, parent);
	wl_list_init(&tree->children);
	tree->opacity = 1;
}

struct scene_tree *scene_tree_create(struct scene_tree *parent)
{
	struct scene_tree *tree = xcalloc(1, sizeof(*tree));
	scene_tree_init(tree, parent);
	return tree;
}

void scene_tree_set_output(struct scene_tree *tree, const struct scene_output *output)
{
	if (tree->output != output) {
		tree->output = output;
		mark_dirty(&tree->node);
	}
}

void scene_tree_set_shift(struct scene_tree *tree, int x, int y)
{
	if (tree->shift_x != x || tree->shift_y != y) {
		tree->shift_x = x;
		tree->shift_y = y;
		mark_dirty(&tree->node);
	}
}

void scene_tree_snap(struct scene_tree *tree)
{
	tree->snapped = true;
	mark_dirty(&tree->node);
}

void scene_tree_set_opacity(struct scene_tree *tree, float opacity)
{
	if (tree->opacity != opacity) {
		tree->opacity = opacity;
		mark_dirty(&tree->node);
	}
}

/* Snapshots are built from scratch: no list must be rebuilt. */
void scene_tree_set_secret(struct scene_tree *tree, bool secret)
{
	tree->secret = secret;
}

static void scene_tree_destroy_children(struct scene_tree *tree)
{
	struct scene_node *child, *next;
	wl_list_for_each_safe (child, next, &tree->children, link) {
		scene_node_destroy(child);
	}
}

struct scene_rect *scene_rect_create(
	struct scene_tree *parent, int width, int height, const float color[static 4])
{
	struct scene_rect *rect = xcalloc(1, sizeof(*rect));
	scene_node_init(&rect->node, SCENE_RECT, parent);
	rect->width = width;
	rect->height = height;
	memcpy(rect->color, color, sizeof(rect->color));
	memcpy(rect->bottom, color, sizeof(rect->bottom));
	scene_mark_dirty(rect->node.scene);
	return rect;
}

void scene_rect_set_size(struct scene_rect *rect, int width, int height)
{
	if (rect->width != width || rect->height != height) {
		rect->width = width;
		rect->height = height;
		scene_mark_dirty(rect->node.scene);
	}
}

void scene_color(uint32_t rgb, float color[static 4])
{
	for (int i = 0; i < 3; i++) {
		color[i] = (float)(rgb >> (16 - 8 * i) & 0xff) / 255;
	}
	color[3] = 1;
}

void scene_rect_set_color(struct scene_rect *rect, uint32_t rgb)
{
	scene_rect_set_gradient(rect, rgb, rgb);
}

void scene_rect_set_gradient(struct scene_rect *rect, uint32_t top, uint32_t bottom)
{
	float colors[2][4];
	scene_color(top, colors[0]);
	scene_color(bottom, colors[1]);
	if (memcmp(rect->color, colors[0], sizeof(rect->color)) != 0 ||
		memcmp(rect->bottom, colors[1], sizeof(rect->bottom)) != 0) {
		memcpy(rect->color, colors[0], sizeof(rect->color));
		memcpy(rect->bottom, colors[1], sizeof(rect->bottom));
		rect->gradient = top != bottom;
		rect->node.changed = true;
		scene_mark_dirty(rect->node.scene);
	}
}

struct scene_image *scene_image_create(struct scene_tree *parent, struct buffer *buffer)
{
	struct scene_image *image = xcalloc(1, sizeof(*image));
	scene_node_init(&image->node, SCENE_IMAGE, parent);
	if (buffer) {
		scene_image_set(image, buffer, buffer->width, buffer->height);
	}
	return image;
}

void scene_image_set(struct scene_image *image, struct buffer *buffer, int width, int height)
{
	scene_image_set_drawn(image, buffer, width, height, 0);
}

void scene_image_set_drawn(
	struct scene_image *image, struct buffer *buffer, int width, int height, double scale)
{
	buffer_replace(&image->buffer, buffer);
	image->width = width;
	image->height = height;
	image->scale = scale;
	image->node.changed = true;
	mark_dirty(&image->node);
}

void scene_node_destroy(struct scene_node *node)
{
	if (!node) {
		return;
	}
	if (node->destroy) {
		node->destroy(node);
		return;
	}
	switch (node->type) {
	case SCENE_TREE: {
		struct scene_tree *tree = scene_tree_from_node(node);
		scene_tree_destroy_children(tree);
		scene_node_finish(node);
		free(tree);
		return;
	}
	case SCENE_SURFACE: assert(!"destroy the tree of a surface's node"); return;
	case SCENE_PREVIEW: return;
	case SCENE_RECT: {
		struct scene_rect *rect = wl_container_of(node, rect, node);
		scene_node_finish(node);
		free(rect);
		return;
	}
	case SCENE_IMAGE: {
		struct scene_image *image = wl_container_of(node, image, node);
		scene_node_finish(node);
		buffer_replace(&image->buffer, NULL);
		free(image);
		return;
	}
	}
}

void scene_node_set_position(struct scene_node *node, int x, int y)
{
	if (node->x != x || node->y != y) {
		node->x = x;
		node->y = y;
		mark_dirty(node);
	}
}

void scene_node_set_enabled(struct scene_node *node, bool enabled)
{
	if (node->enabled != enabled) {
		node->enabled = enabled;
		mark_dirty(node);
		tell_restacked(node);
	}
}

/* Puts the node after `before` in its parent's list, which is bottom first. */
static void restack(struct scene_node *node, struct wl_list *before)
{
	if (before == &node->link || node->link.prev == before) {
		return;
	}
	wl_list_remove(&node->link);
	wl_list_insert(before, &node->link);
	scene_mark_dirty(node->scene);
	tell_restacked(node);
}

void scene_node_set_reach(struct scene_node *node, bool reaches)
{
	if (node->reaches != reaches) {
		node->reaches = reaches;
		mark_dirty(node);
	}
}

void scene_node_raise_to_top(struct scene_node *node)
{
	restack(node, node->parent->children.prev);
}

void scene_node_lower_to_bottom(struct scene_node *node)
{
	restack(node, &node->parent->children);
}

void scene_node_place_above(struct scene_node *node, struct scene_node *sibling)
{
	assert(node->parent == sibling->parent && node != sibling);
	restack(node, &sibling->link);
}

void scene_node_reparent(struct scene_node *node, struct scene_tree *parent)
{
	if (node->parent == parent) {
		return;
	}
	for (struct scene_tree *up = parent; up; up = up->node.parent) {
		assert(&up->node != node);
	}
	wl_list_remove(&node->link);
	wl_list_insert(parent->children.prev, &node->link);
	node->parent = parent;
	scene_mark_dirty(node->scene);
	tell_restacked(node);
}

bool scene_node_coords(const struct scene_node *node, int *x, int *y)
{
	bool enabled = true;
	*x = 0;
	*y = 0;
	for (;;) {
		*x = coord_sum(*x, node->x);
		*y = coord_sum(*y, node->y);
		enabled = enabled && node->enabled;
		if (!node->parent) {
			return enabled;
		}
		node = &node->parent->node;
	}
}

struct scene *scene_create(void)
{
	struct scene *scene = xcalloc(1, sizeof(*scene));
	scene_tree_init(&scene->root, NULL);
	scene_tree_init(&scene->cursor, NULL);
	scene->root.node.scene = scene;
	scene->cursor.node.scene = scene;
	wl_list_init(&scene->damaged);
	wl_list_init(&scene->hidden);
	wl_list_init(&scene->unshown);
	wl_list_init(&scene->homed);
	scene->background[3] = 1;
	signals_init(&scene->events, sizeof(scene->events));
	return scene;
}

void scene_destroy(struct scene *scene)
{
	if (!scene) {
		return;
	}
	assert(wl_list_empty(&scene->root.children) && wl_list_empty(&scene->cursor.children));
	assert(wl_list_empty(&scene->damaged) && wl_list_empty(&scene->hidden));
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		assert(!scene->outputs[i]);
	}
	free(scene);
}
