/* SPDX-License-Identifier: MIT */
/* Scene outputs: lifetime, position and conversion between global space and output pixels. */

#include "scene/output.h"
#include "scene/internal.h"
#include "util/region.h"
#include "util/xalloc.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct scene_output *scene_output_create(struct scene *scene, struct output *output)
{
	int index = 0;
	while (index < SCENE_OUTPUTS_MAX && scene->outputs[index]) {
		index++;
	}
	if (index == SCENE_OUTPUTS_MAX) {
		return NULL;
	}
	struct scene_output *self = xcalloc(1, sizeof(*self));
	self->scene = scene;
	self->output = output;
	self->index = index;
	self->scale = 1;
	self->dirty = true;
	wl_list_init(&self->waiting);
	wl_list_init(&self->unshown);
	scene->dirty = true;
	pixman_region32_init(&self->uncovered);
	pixman_region32_init(&self->damage);
	pixman_region32_init(&self->direct);
	signals_init(&self->events, sizeof(self->events));
	scene->outputs[index] = self;
	scene_output_damage_all(self);
	signal_emit(&scene->events.output_added, self);
	signal_emit(&scene->events.layout_changed, NULL);
	return self;
}

/* Removes all surfaces of the tree from an output that is being destroyed. */
static void leave_surfaces(struct scene_tree *tree, int index)
{
	struct scene_node *child;
	wl_list_for_each (child, &tree->children, link) {
		child->entry_index[index] = -1;
		if (child->type == SCENE_TREE) {
			leave_surfaces(scene_tree_from_node(child), index);
		} else if (child->type == SCENE_SURFACE) {
			struct scene_surface *content = scene_surface_from_node(child);
			if (content->primary_output == index || content->pace_output == index) {
				scene_surface_set_primary(content, -1, -1);
			}
			surface_set_outputs(
				content->surface, content->surface->outputs & ~(1u << index));
		}
	}
}

void scene_output_destroy(struct scene_output *output)
{
	if (!output) {
		return;
	}
	struct scene *scene = output->scene;
	leave_surfaces(&scene->root, output->index);
	leave_surfaces(&scene->cursor, output->index);
	signal_emit(&scene->events.output_removed, output);
	signal_emit(&output->events.destroy, output);
	assert(signals_are_unused(&output->events, sizeof(output->events)));
	assert(wl_list_empty(&output->waiting));
	assert(wl_list_empty(&output->unshown));
	scene->outputs[output->index] = NULL;
	for (int i = 0; i < output->n_entries; i++) {
		scene_entry_finish(&output->entries[i]);
	}
	free(output->entries);
	for (int i = 0; i < output->n_spare; i++) {
		scene_entry_finish(&output->spare[i]);
	}
	free(output->spare);
	pixman_region32_fini(&output->uncovered);
	pixman_region32_fini(&output->damage);
	pixman_region32_fini(&output->direct);
	region_sum_finish(&output->changed);
	free(output);
	scene_mark_dirty(scene);
	signal_emit(&scene->events.layout_changed, NULL);
}

void scene_output_damage_all(struct scene_output *output)
{
	pixman_region32_fini(&output->damage);
	pixman_region32_init_rect(
		&output->damage, 0, 0, output->output->mode.width, output->output->mode.height);
	output->dirty = true;
	output->scene->dirty = true;
	signal_emit(&output->events.needs_frame, NULL);
}

void scene_output_set_awake(struct scene_output *output, bool awake)
{
	if (output->awake == awake) {
		return;
	}
	output->awake = awake;
	scene_place_surfaces(&output->scene->root, false);
	scene_place_surfaces(&output->scene->cursor, false);
}

void scene_output_animate(struct scene_output *output)
{
	if (!output->animated) {
		output->animated = true;
		signal_emit(&output->events.needs_frame, NULL);
	}
}

void scene_output_begin_frame(struct scene_output *output, int64_t when)
{
	if (output->animated) {
		struct scene_animation animation = {.output = output, .when = when};
		signal_emit(&output->scene->events.animate, &animation);
		output->animated = animation.continues;
	}
}

int scene_output_cursors(const struct scene_output *output)
{
	int n = 0;
	while (n < output->n_entries && output->entries[n].cursor) {
		n++;
	}
	return n;
}

bool scene_output_is_damaged(const struct scene_output *output)
{
	return pixman_region32_not_empty((pixman_region32_t *)&output->damage) ||
	       pixman_region32_not_empty((pixman_region32_t *)&output->direct);
}

static void layout_changed(struct scene_output *output)
{
	scene_output_damage_all(output);
	/* Trees that are clipped to its box may be shown by others. */
	scene_mark_dirty(output->scene);
	signal_emit(&output->scene->events.layout_changed, NULL);
}

void scene_output_set_position(struct scene_output *output, int x, int y)
{
	if (output->x != x || output->y != y) {
		output->x = x;
		output->y = y;
		layout_changed(output);
	}
}

void scene_output_set_scale(struct scene_output *output, double scale)
{
	scale = round(scale * 120) / 120;
	assert(scale > 0);
	if (output->scale != scale) {
		output->scale = scale;
		layout_changed(output);
	}
}

void scene_output_set_transform(struct scene_output *output, enum wl_output_transform transform)
{
	if (output->transform != transform) {
		output->transform = transform;
		layout_changed(output);
	}
}

void scene_output_mode_changed(struct scene_output *output)
{
	layout_changed(output);
}

struct scene_view scene_output_view(const struct scene_output *output)
{
	return (struct scene_view){
		.x = output->x,
		.y = output->y,
		.scale = output->scale,
		.transform = output->transform,
		.width = output->output->mode.width,
		.height = output->output->mode.height,
	};
}

struct box scene_output_box(const struct scene_output *output)
{
	struct scene_view view = scene_output_view(output);
	int width, height;
	scene_view_upright_size(&view, &width, &height);
	return (struct box){output->x, output->y, coord_round_up(width / output->scale),
		coord_round_up(height / output->scale)};
}

struct coord_global scene_output_to_global(
	const struct scene_output *output, struct coord_output at)
{
	struct fbox point = {at.x, at.y, 0, 0};
	transform_fbox(&point, &point, transform_invert(output->transform),
		output->output->mode.width, output->output->mode.height);
	return (struct coord_global){
		output->x + point.x / output->scale, output->y + point.y / output->scale};
}

struct scene_output *scene_output_nearest(struct scene *scene, struct coord_global at)
{
	struct scene_output *nearest = NULL;
	double least = 0;
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		struct scene_output *output = scene->outputs[i];
		if (!output) {
			continue;
		}
		struct box box = scene_output_box(output);
		double x, y;
		box_closest_point(&box, at.x, at.y, &x, &y);
		double distance = (x - at.x) * (x - at.x) + (y - at.y) * (y - at.y);
		if (!nearest || distance < least) {
			nearest = output;
			least = distance;
		}
	}
	return nearest;
}

struct scene_output *scene_output_find(struct scene *scene, const struct output *output)
{
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		if (scene->outputs[i] && scene->outputs[i]->output == output) {
			return scene->outputs[i];
		}
	}
	return NULL;
}

struct scene_output *scene_output_find_name(struct scene *scene, const char *name)
{
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		if (scene->outputs[i] && strcmp(scene->outputs[i]->output->name, name) == 0) {
			return scene->outputs[i];
		}
	}
	return NULL;
}

struct coord_global scene_layout_clamp(struct scene *scene, struct coord_global at)
{
	struct scene_output *output = scene_output_nearest(scene, at);
	if (output) {
		struct box box = scene_output_box(output);
		box_closest_point(&box, at.x, at.y, &at.x, &at.y);
	}
	return at;
}

struct box scene_layout_box(const struct scene *scene)
{
	int x1 = 0, y1 = 0, x2 = 0, y2 = 0;
	bool first = true;
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		if (!scene->outputs[i]) {
			continue;
		}
		struct box box = scene_output_box(scene->outputs[i]);
		x1 = first || box.x < x1 ? box.x : x1;
		y1 = first || box.y < y1 ? box.y : y1;
		x2 = first || box.x + box.width > x2 ? box.x + box.width : x2;
		y2 = first || box.y + box.height > y2 ? box.y + box.height : y2;
		first = false;
	}
	return (struct box){x1, y1, x2 - x1, y2 - y1};
}
