/* SPDX-License-Identifier: MIT */
/* Output damage: rebuilds the flat list of each output, and compares it with the previous one. */

#include "scene/internal.h"
#include "surface/surface.h"
#include "util/region.h"

void scene_entry_move(
	struct scene_output *output, struct scene_entry *entry, enum scene_place place)
{
	if (entry->place == place) {
		return;
	}
	pixman_region32_t changed;
	pixman_region32_init(&changed);
	pixman_region32_copy(&changed, &entry->visible);
	if (entry->place == PLACE_COMPOSED && place != PLACE_UNDER) {
		/* The composed buffer may hold garbage under an opaque overlay. */
		pixman_region32_subtract(&changed, &changed, &entry->opaque);
	}
	pixman_region32_union(&output->damage, &output->damage, &changed);
	pixman_region32_fini(&changed);
	entry->place = place;
}

/* Damages the pixels of an entry in place: an underlay's hole stays the same. */
static void damage_content(struct scene_output *output, const struct scene_entry *entry,
	const pixman_region32_t *region)
{
	if (entry->alpha <= 0) {
		return;
	}
	if (entry->place == PLACE_COMPOSED) {
		bool first = output->changed.n == 0 && !pixman_region32_not_empty(&output->damage);
		if (first) {
			pixman_region32_copy(&output->damage, (pixman_region32_t *)region);
		} else {
			region_sum_add(&output->changed, region);
		}
	} else {
		scene_damage_add(&output->direct, region);
	}
}

/* Damages the symmetric difference of the two regions. */
static void damage_difference(struct scene_output *output, const struct scene_entry *entry,
	const pixman_region32_t *a, const pixman_region32_t *b)
{
	if (pixman_region32_equal(a, b)) {
		return;
	}
	pixman_region32_t difference;
	pixman_region32_init(&difference);
	pixman_region32_subtract(&difference, a, b);
	scene_damage_entry(output, entry, &difference);
	pixman_region32_subtract(&difference, b, a);
	scene_damage_entry(output, entry, &difference);
	pixman_region32_fini(&difference);
}

static bool entry_looks_alike(const struct scene_entry *a, const struct scene_entry *b)
{
	return box_equal(&a->dst, &b->dst) && fbox_equal(&a->src, &b->src) &&
	       a->transform == b->transform && a->alpha == b->alpha && !b->node->changed;
}

/*
 * Damages the differences between the previous list (`spare`), or its cursors, and the first
 * `n_entries` entries of the new one. Entries that swapped their order are damaged as a whole,
 * because they may be translucent where they overlap.
 */
static void damage_changes(struct scene_output *output, int n_entries)
{
	int deepest = -1;
	for (int i = 0; i < output->n_spare; i++) {
		const struct scene_entry *old = &output->spare[i];
		if (!old->node) {
			continue; /* the node was destroyed, which damaged the entry */
		}
		int index = old->node->entry_index[output->index];
		if (index < 0) {
			scene_damage_entry(output, old, &old->visible);
			continue;
		}
		struct scene_entry *new = &output->entries[index];
		new->matched = true;
		new->place = old->place;
		new->user = old->user;
		new->fresh = old->fresh || new->node->changed;
		if (!entry_looks_alike(old, new)) {
			scene_damage_entry(output, old, &old->visible);
			scene_damage_entry(output, new, &new->visible);
		} else {
			damage_difference(output, new, &old->visible, &new->visible);
			damage_difference(output, new, &old->opaque, &new->opaque);
		}
		if (index < deepest) {
			scene_damage_entry(output, old, &old->visible);
			scene_damage_entry(output, new, &new->visible);
		} else {
			deepest = index;
		}
	}
	for (int i = 0; i < n_entries; i++) {
		struct scene_entry *new = &output->entries[i];
		if (!new->matched) {
			new->fresh = true;
			scene_damage_entry(output, new, &new->visible);
		}
	}
}

/* Damages the differences from the previous list (`spare`), clipped to the output. */
static void compare(struct scene_output *output, int n_entries)
{
	const struct output_mode *mode = &output->output->mode;
	pixman_region32_t whole;
	pixman_region32_init_rect(&whole, 0, 0, (unsigned)mode->width, (unsigned)mode->height);
	damage_changes(output, n_entries);
	pixman_region32_intersect(&output->damage, &output->damage, &whole);
	pixman_region32_intersect(&output->direct, &output->direct, &whole);
	pixman_region32_fini(&whole);
}

static void forget_spare(struct scene_output *output)
{
	for (int i = 0; i < output->n_spare; i++) {
		scene_entry_finish(&output->spare[i]);
	}
	output->n_spare = 0;
}

static void forget_indices(struct scene_output *output, int n_entries)
{
	for (int i = 0; i < n_entries; i++) {
		if (output->entries[i].node) {
			output->entries[i].node->entry_index[output->index] = -1;
		}
	}
}

/*
 * Entries on planes add no damage when removed, so uncovered background must be damaged explicitly.
 */
static void damage_uncovered(struct scene_output *output, const pixman_region32_t *before)
{
	bool placed = false;
	for (int i = 0; !placed && i < output->n_spare; i++) {
		placed = output->spare[i].place != PLACE_COMPOSED;
	}
	if (placed) {
		pixman_region32_t more;
		pixman_region32_init(&more);
		pixman_region32_subtract(&more, &output->uncovered, (pixman_region32_t *)before);
		pixman_region32_union(&output->damage, &output->damage, &more);
		pixman_region32_fini(&more);
	}
}

static void rebuild(struct scene_output *output)
{
	output->dirty = output->cursor_dirty = false;
	output->generation++;
	forget_indices(output, output->n_entries);
	struct scene_entry *entries = output->spare;
	int max = output->max_spare;
	output->spare = output->entries;
	output->n_spare = output->n_entries;
	output->max_spare = output->max_entries;
	output->entries = entries;
	output->n_entries = 0;
	output->max_entries = max;
	pixman_region32_t uncovered;
	pixman_region32_init(&uncovered);
	pixman_region32_copy(&uncovered, &output->uncovered);
	scene_list_output(output);
	compare(output, output->n_entries);
	damage_uncovered(output, &uncovered);
	pixman_region32_fini(&uncovered);
	forget_spare(output);
}

/*
 * Rebuilds the cursor entries. Cursors occlude nothing: if their number is unchanged, all other
 * entries stay valid.
 */
static void rebuild_cursors(struct scene_output *output)
{
	int n = scene_output_cursors(output);
	output->cursor_dirty = false;
	forget_indices(output, n);
	scene_list_cursors(output);
	if (output->n_spare != n) {
		forget_spare(output);
		rebuild(output);
		return;
	}
	for (int i = 0; i < n; i++) {
		struct scene_entry before = output->entries[i];
		output->entries[i] = output->spare[i];
		output->spare[i] = before;
	}
	compare(output, n);
	forget_spare(output);
}

/* Damages the entry of the surface, or of a preview of it, on one output. */
static void spread_to(
	struct scene_output *output, struct scene_node *node, struct scene_surface *content)
{
	const int index = node->entry_index[output->index];
	if (index < 0) {
		return;
	}
	struct scene_entry *entry = &output->entries[index];
	pixman_region32_t pixels;
	pixman_region32_init(&pixels);
	scene_entry_to_pixels(entry, &pixels, &content->damage);
	damage_content(output, entry, &pixels);
	entry->fresh = true;
	pixman_region32_fini(&pixels);
}

/* Returns the mask of the outputs that were damaged. */
static uint32_t spread_damage(struct scene *scene, struct scene_surface *content)
{
	const uint32_t outputs = content->surface->outputs | scene_previews_outputs(content);
	for (uint32_t i = 0, left = outputs; left; i++, left >>= 1) {
		if (!(left & 1)) {
			continue;
		}
		struct scene_preview *preview;
		spread_to(scene->outputs[i], &content->node, content);
		wl_list_for_each (preview, &content->previews, link) {
			spread_to(scene->outputs[i], &preview->node, content);
		}
	}
	pixman_region32_clear(&content->damage);
	wl_list_remove(&content->damage_link);
	wl_list_init(&content->damage_link);
	return outputs;
}

static void rebuild_dirty(struct scene *scene)
{
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		struct scene_output *output = scene->outputs[i];
		if (output && output->dirty) {
			rebuild(output);
		} else if (output && output->cursor_dirty) {
			rebuild_cursors(output);
		}
	}
}

void scene_update(struct scene *scene)
{
	/* Clear the flags first: listeners to the signals below may change the scene again. */
	bool rebuilt = scene->dirty, moved = scene->cursor_dirty, input = scene->input_dirty;
	scene->dirty = scene->cursor_dirty = scene->input_dirty = false;
	if (rebuilt || moved) {
		rebuild_dirty(scene);
	}
	uint32_t outputs = 0;
	struct scene_surface *content, *next;
	wl_list_for_each_safe (content, next, &scene->damaged, damage_link) {
		outputs |= spread_damage(scene, content);
	}
	for (int i = 0; outputs; i++, outputs >>= 1) {
		if (outputs & 1) {
			region_sum_take(&scene->outputs[i]->changed, &scene->outputs[i]->damage);
			region_simplify(&scene->outputs[i]->damage, SCENE_DAMAGE_MAX);
		}
	}
	if (rebuilt) {
		scene_place_surfaces(&scene->root, true);
	}
	if (rebuilt || moved) {
		scene_place_surfaces(&scene->cursor, true);
	}
	if (rebuilt || input) {
		signal_emit(&scene->events.updated, NULL);
	}
}
