/* SPDX-License-Identifier: MIT */
/* Surfaces in the scene: each has a tree with its own node and the trees of its subsurfaces. */

#include "scene/internal.h"
#include "surface/subsurface.h"
#include "util/list.h"
#include "util/region.h"
#include "util/xalloc.h"
#include <stdlib.h>

static void destroy_addon(struct addon *addon)
{
	/* The surface's destroy signal is emitted before its addons are finished. */
	addon_finish(addon);
}

static const struct addon_impl addon_impl = {.name = "scene_surface", .destroy = destroy_addon};

struct scene_surface *scene_surface_find(const struct surface *surface)
{
	struct addon *addon = addon_find(&surface->addons, NULL, &addon_impl);
	struct scene_surface *found;
	return addon ? wl_container_of(addon, found, addon) : NULL;
}

/* Returns whether the buffer is a single transparent colour, which is equivalent to alpha 0. */
static bool is_clear(struct buffer *buffer)
{
	float color[4];
	return buffer && buffer_color(buffer, color) && color[3] <= 0 &&
	       color[0] + color[1] + color[2] <= 0;
}

static void take_look(struct scene_surface *content, struct scene_look *look)
{
	const struct surface_state *state = &content->surface->current;
	*look = (struct scene_look){
		.width = state->width,
		.height = state->height,
		.buffer_width = state->buffer_width,
		.buffer_height = state->buffer_height,
		.transform = state->transform,
		.alpha = is_clear(state->buffer) ? 0 : state->alpha,
		.shown = content->surface->mapped && surface_has_content(content->surface),
	};
	if (look->shown) {
		surface_state_source(state, &look->src);
		/*
		 * A viewport may select less than a pixel of a buffer that is smaller than its
		 * scale.
		 */
		look->shown = look->src.width > 0 && look->src.height > 0;
	}
}

static bool look_equal(const struct scene_look *a, const struct scene_look *b)
{
	return a->width == b->width && a->height == b->height &&
	       a->buffer_width == b->buffer_width && a->buffer_height == b->buffer_height &&
	       a->transform == b->transform && a->alpha == b->alpha && a->shown == b->shown &&
	       fbox_equal(&a->src, &b->src);
}

/*
 * Updates the copy of the surface's geometry that lists are built from. Returns true if it changed.
 */
static bool update_look(struct scene_surface *content)
{
	struct scene_look look;
	take_look(content, &look);
	pixman_region32_t opaque;
	pixman_region32_init(&opaque);
	surface_opaque_region(content->surface, &opaque);
	bool same = look_equal(&look, &content->look) &&
		    pixman_region32_equal(&opaque, &content->opaque);
	if (!same) {
		/* Also if the list, which knows the last frame's look, finds no difference. */
		content->node.changed |= look.buffer_width != content->look.buffer_width ||
					 look.buffer_height != content->look.buffer_height;
		content->look = look;
		pixman_region32_copy(&content->opaque, &opaque);
	}
	pixman_region32_fini(&opaque);
	return !same;
}

/* Returns the subsurface's tree if it is a child of `tree`, else NULL. */
static struct scene_tree *child_tree(struct scene_tree *tree, struct subsurface *subsurface)
{
	struct scene_surface *content = scene_surface_find(subsurface->surface);
	return content && content->node.parent->node.parent == tree ? content->node.parent : NULL;
}

/* Applies order and positions of the surface's state, which lists children bottom to top. */
static void arrange_children(struct scene_surface *content)
{
	struct scene_tree *tree = content->node.parent;
	const struct surface_state *state = &content->surface->current;
	struct scene_node *below = NULL;
	for (int i = 0; i < state->n_children; i++) {
		const struct child *child = &state->children[i];
		struct scene_node *node = &content->node;
		if (child->subsurface) {
			struct scene_tree *sub = child_tree(tree, child->subsurface);
			if (!sub) {
				continue;
			}
			node = &sub->node;
			scene_node_set_position(node, child->x, child->y);
			scene_node_set_enabled(node, true);
		}
		if (below) {
			scene_node_place_above(node, below);
		} else {
			scene_node_lower_to_bottom(node);
		}
		below = node;
	}
}

/*
 * Moves the surface to the waiting list of the output that paces it, or to the hidden list, and
 * emits its signal. A covered surface is not presented: its feedback waits for no frame.
 */
static void enlist(struct scene_surface *content)
{
	struct scene *scene = content->node.scene;
	const struct surface *surface = content->surface;
	const bool paced =
		content->primary_output >= 0 ||
		(content->pace_output >= 0 &&
			(surface->barrier || !list_is_empty(&surface->current.frame_callbacks)));
	struct scene_output *output = paced ? scene->outputs[content->pace_output] : NULL;
	if (output) {
		content->callback_due = content->barrier_due = 0;
	}
	wl_list_remove(&content->waiting_link);
	wl_list_insert(output ? output->waiting.prev : scene->hidden.prev, &content->waiting_link);
	signal_emit(output ? &output->events.needs_frame : &scene->events.hidden,
		output ? NULL : content);
}

void scene_surface_wait(struct scene_surface *content)
{
	const struct surface *surface = content->surface;
	if (surface->barrier || !list_is_empty(&surface->current.frame_callbacks) ||
		!list_is_empty(&surface->current.feedbacks)) {
		enlist(content);
	}
}

/*
 * Moves the surface to the list of changed surfaces of its primary output, to which a frame is
 * limited.
 */
static void enlist_unshown(struct scene_surface *content)
{
	struct scene *scene = content->node.scene;
	wl_list_remove(&content->unshown_link);
	wl_list_insert(content->primary_output >= 0
			       ? &scene->outputs[content->primary_output]->unshown
			       : &scene->unshown,
		&content->unshown_link);
}

/* Updates the list of surfaces whose buffer belongs to a GPU, which may need copies. */
static void enlist_homed(struct scene_surface *content)
{
	const struct buffer *buffer = content->surface->current.buffer;
	bool homed = buffer && buffer->home;
	if (homed == !list_is_empty(&content->homed_link)) {
		return;
	}
	wl_list_remove(&content->homed_link);
	list_init(&content->homed_link);
	if (homed) {
		wl_list_insert(&content->node.scene->homed, &content->homed_link);
	}
}

void scene_surface_set_primary(struct scene_surface *content, int index, int pace)
{
	if (content->primary_output == index && content->pace_output == pace) {
		return;
	}
	bool was_hidden = content->pace_output < 0;
	bool moved = content->primary_output != index;
	content->primary_output = index;
	content->pace_output = pace;
	if (moved) {
		surface_set_visible(content->surface, index >= 0);
	}
	if (moved && !list_is_empty(&content->unshown_link)) {
		enlist_unshown(content);
	}
	if (list_is_empty(&content->waiting_link)) {
		return;
	}
	enlist(content);
	if (was_hidden) {
		signal_emit(&content->node.scene->events.hidden, NULL);
	}
}

/* Notes the damage and requests a frame of all outputs that show the surface. */
static void request_frames(struct scene_surface *content)
{
	struct scene *scene = content->node.scene;
	if (list_is_empty(&content->damage_link)) {
		wl_list_insert(&scene->damaged, &content->damage_link);
	}
	const uint32_t previews = scene_previews_outputs(content);
	uint32_t outputs = content->surface->outputs | previews;
	for (int i = 0; outputs; i++, outputs >>= 1) {
		if ((outputs & 1) && (content->node.entry_index[i] >= 0 || (previews >> i & 1))) {
			signal_emit(&scene->outputs[i]->events.needs_frame, NULL);
		}
	}
}

static void handle_applied(struct wl_listener *listener, void *data)
{
	struct scene_surface *content = wl_container_of(listener, content, applied);
	struct surface_state *state = &content->surface->current;
	if (state->fields & SURFACE_CHILDREN) {
		arrange_children(content);
	}
	if (list_is_empty(&content->unshown_link)) {
		enlist_unshown(content);
	} else if (content->look.shown && content->primary_output < 0) {
		content->surface->n_hidden++;
	}
	if (state->fields & SURFACE_BUFFER) {
		enlist_homed(content);
	}
	if (update_look(content)) {
		scene_mark_dirty(content->node.scene);
	}
	if (pixman_region32_not_empty(&state->buffer_damage)) {
		scene_surface_damage(content, &state->buffer_damage);
	}
	if ((state->fields & SURFACE_INPUT) && content->look.shown) {
		content->node.scene->input_dirty = true;
		request_frames(content);
	}
	scene_surface_wait(content);
}

void scene_surface_damage(struct scene_surface *content, const pixman_region32_t *damage)
{
	if (content->look.shown) {
		pixman_region32_union(
			&content->damage, &content->damage, (pixman_region32_t *)damage);
		region_simplify(&content->damage, 32);
		request_frames(content);
	}
}

void scene_surface_set_density(
	struct surface *surface, double density, double shift_x, double shift_y)
{
	if (surface->density == density && surface->shift_x == shift_x &&
		surface->shift_y == shift_y) {
		return;
	}
	surface->density = density;
	surface->shift_x = shift_x;
	surface->shift_y = shift_y;
	struct scene_surface *content = scene_surface_find(surface);
	if (content) {
		scene_mark_dirty(content->node.scene);
	}
}

void scene_surface_set_clip(struct surface *surface, const pixman_region32_t *clip)
{
	struct scene_surface *content = scene_surface_find(surface);
	surface->clip = clip;
	if (content) {
		scene_mark_dirty(content->node.scene);
	}
}

void scene_surface_set_input(struct surface *surface, const pixman_region32_t *input)
{
	struct scene_surface *content = scene_surface_find(surface);
	surface->input = input;
	if (content) {
		scene_mark_dirty(content->node.scene);
	}
}

static void handle_map(struct wl_listener *listener, void *data)
{
	struct scene_surface *content = wl_container_of(listener, content, map);
	content->node.changed = true;
	update_look(content);
	scene_mark_dirty(content->node.scene);
	scene_surface_wait(content);
}

static void handle_unmap(struct wl_listener *listener, void *data)
{
	struct scene_surface *content = wl_container_of(listener, content, unmap);
	update_look(content);
	scene_mark_dirty(content->node.scene);
}

static void handle_surface_destroy(struct wl_listener *listener, void *data)
{
	struct scene_surface *content = wl_container_of(listener, content, destroy);
	scene_node_destroy(&content->node.parent->node);
}

static void handle_subsurface_destroy(struct wl_listener *listener, void *data)
{
	struct scene_surface *content = wl_container_of(listener, content, subsurface_destroy);
	scene_node_destroy(&content->node.parent->node);
}

static void add_subsurface(struct scene_surface *content, struct subsurface *subsurface)
{
	struct scene_tree *tree =
		scene_surface_tree_create(content->node.parent, subsurface->surface);
	/* Hidden until the parent's commit gives it a position. */
	scene_node_set_enabled(&tree->node, false);
	tree->content->subsurface = subsurface;
	signal_add(&subsurface->events.destroy, &tree->content->subsurface_destroy,
		handle_subsurface_destroy);
}

static void handle_new_subsurface(struct wl_listener *listener, void *data)
{
	struct scene_surface *content = wl_container_of(listener, content, new_subsurface);
	add_subsurface(content, data);
}

static void destroy_tree(struct scene_node *node)
{
	struct scene_tree *tree = scene_tree_from_node(node);
	struct scene_surface *content = tree->content;
	struct scene_node *child, *next;
	wl_list_for_each_safe (child, next, &tree->children, link) {
		if (child != &content->node) {
			scene_node_destroy(child);
		}
	}
	wl_list_remove(&content->applied.link);
	wl_list_remove(&content->map.link);
	wl_list_remove(&content->unmap.link);
	wl_list_remove(&content->destroy.link);
	wl_list_remove(&content->new_subsurface.link);
	wl_list_remove(&content->subsurface_destroy.link);
	wl_list_remove(&content->damage_link);
	wl_list_remove(&content->waiting_link);
	wl_list_remove(&content->unshown_link);
	wl_list_remove(&content->homed_link);
	scene_previews_forget(content);
	addon_finish(&content->addon);
	scene_node_finish(&content->node);
	surface_set_outputs(content->surface, 0);
	surface_set_visible(content->surface, false);
	surface_set_in_scene(content->surface, false);
	pixman_region32_fini(&content->damage);
	pixman_region32_fini(&content->opaque);
	free(content);
	scene_node_finish(&tree->node);
	free(tree);
}

struct scene_tree *scene_surface_tree_create(struct scene_tree *parent, struct surface *surface)
{
	struct scene_tree *tree = scene_tree_create(parent);
	struct scene_surface *content = xcalloc(1, sizeof(*content));
	tree->content = content;
	tree->node.destroy = destroy_tree;
	scene_node_init(&content->node, SCENE_SURFACE, tree);
	content->surface = surface;
	surface_set_in_scene(surface, true);
	content->primary_output = content->pace_output = -1;
	pixman_region32_init(&content->damage);
	pixman_region32_init(&content->opaque);
	list_init(&content->damage_link);
	list_init(&content->waiting_link);
	list_init(&content->unshown_link);
	list_init(&content->homed_link);
	list_init(&content->previews);
	addon_init(&content->addon, &surface->addons, NULL, &addon_impl);

	signal_add(&surface->events.applied, &content->applied, handle_applied);
	signal_add(&surface->events.map, &content->map, handle_map);
	signal_add(&surface->events.unmap, &content->unmap, handle_unmap);
	signal_add(&surface->events.destroy, &content->destroy, handle_surface_destroy);
	signal_add(
		&surface->events.new_subsurface, &content->new_subsurface, handle_new_subsurface);
	list_init(&content->subsurface_destroy.link);
	for (int i = 0; i < surface->current.n_children; i++) {
		if (surface->current.children[i].subsurface) {
			add_subsurface(content, surface->current.children[i].subsurface);
		}
	}
	/* Subsurfaces that the parent has not committed. */
	for (int i = 0; i < surface->pending.n_children; i++) {
		struct subsurface *subsurface = surface->pending.children[i].subsurface;
		if (subsurface && !scene_surface_find(subsurface->surface)) {
			add_subsurface(content, subsurface);
		}
	}
	arrange_children(content);
	update_look(content);
	enlist_homed(content);
	if (surface_has_content(surface) && surface->n_shown == 0) {
		enlist_unshown(content); /* committed before there was a tree */
	}
	scene_surface_wait(content);
	scene_mark_dirty(tree->node.scene);
	return tree;
}
