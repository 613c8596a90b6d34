/*
 * What shows where, and what of it changed: the flat list of each output, made top to bottom so
 * that every opaque entry takes away from what lies under it, and damage in output pixels.
 */

#include "scene/internal.h"
#include "surface/surface.h"
#include "util/region.h"
#include "util/xalloc.h"
#include <math.h>
#include <stdlib.h>

/* Where the walk is. */
struct builder {
	struct scene_output *output;
	struct box bounds;
	pixman_region32_t covered;
	bool cursor;
};

static struct scene_entry *push_entry(struct scene_output *output)
{
	if (output->n_entries == output->max_entries) {
		output->max_entries = output->max_entries ? output->max_entries * 2 : 16;
		output->entries = xrealloc(
			output->entries, (size_t)output->max_entries, sizeof(output->entries[0]));
	}
	struct scene_entry *entry = &output->entries[output->n_entries++];
	*entry = (struct scene_entry){.alpha = 1};
	pixman_region32_init(&entry->visible);
	pixman_region32_init(&entry->opaque);
	return entry;
}

/* Takes dst's visible part; drops the entry again if there is none. */
static struct scene_entry *add_entry(struct builder *builder, struct scene_node *node,
	const struct box *dst, const struct box *clip)
{
	struct scene_output *output = builder->output;
	struct box box;
	if (!box_intersect(&box, dst, &builder->bounds) ||
		(clip && !box_intersect(&box, &box, clip))) {
		return NULL;
	}
	struct scene_entry *entry = push_entry(output);
	region_set_box(&entry->visible, &box);
	if (!builder->cursor) {
		pixman_region32_subtract(&entry->visible, &entry->visible, &builder->covered);
	}
	if (!pixman_region32_not_empty(&entry->visible)) {
		scene_entry_finish(entry);
		output->n_entries--;
		return NULL;
	}
	entry->node = node;
	entry->dst = *dst;
	entry->cursor = builder->cursor;
	node->entry_index[output->index] = (int16_t)(output->n_entries - 1);
	return entry;
}

/* The cursor comes and goes too often to let it change what others show. */
static void cover(struct builder *builder, struct scene_entry *entry)
{
	pixman_region32_intersect(&entry->opaque, &entry->opaque, &entry->visible);
	if (!builder->cursor) {
		pixman_region32_union(&builder->covered, &builder->covered, &entry->opaque);
	}
}

static void opaque_pixels(const struct scene_output *output, const struct scene_surface *content,
	const struct box *global, const struct box *dst, pixman_region32_t *out)
{
	const struct scene_look *look = &content->look;
	struct box whole = {0, 0, look->width, look->height};
	pixman_box32_t extents = *pixman_region32_extents((pixman_region32_t *)&content->opaque);
	if (pixman_region32_n_rects((pixman_region32_t *)&content->opaque) == 1 &&
		extents.x1 <= 0 && extents.y1 <= 0 && extents.x2 >= whole.width &&
		extents.y2 >= whole.height) {
		region_set_box(out, dst);
		return;
	}
	pixman_region32_copy(out, (pixman_region32_t *)&content->opaque);
	pixman_region32_translate(out, global->x - output->x, global->y - output->y);
	region_scale_inward(out, out, output->scale, output->scale);
	if (output->transform != WL_OUTPUT_TRANSFORM_NORMAL) {
		bool swap = transform_swaps(output->transform);
		const struct output_mode *mode = &output->output->mode;
		region_transform(out, out, output->transform, swap ? mode->height : mode->width,
			swap ? mode->width : mode->height);
	}
}

static void set_on_output(struct builder *builder, struct scene_surface *content, bool on)
{
	uint32_t bit = 1u << builder->output->index;
	uint32_t outputs = content->surface->outputs;
	surface_set_outputs(content->surface, on ? outputs | bit : outputs & ~bit);
}

static void add_surface(
	struct builder *builder, struct scene_surface *content, int x, int y, bool enabled)
{
	const struct scene_look *look = &content->look;
	struct scene_output *output = builder->output;
	struct box global = {x, y, look->width, look->height};
	struct box dst = scene_output_to_pixels(output, &global);
	struct box clip, on;
	bool clipped = !box_empty(&content->clip);
	if (clipped) {
		struct box global_clip = content->clip;
		global_clip.x += x;
		global_clip.y += y;
		clip = scene_output_to_pixels(output, &global_clip);
	}
	bool shown = enabled && look->shown && !box_empty(&dst) &&
		     box_intersect(&on, &dst, &builder->bounds);
	set_on_output(builder, content, shown);
	if (!shown || look->alpha == 0) {
		return;
	}
	struct scene_entry *entry =
		add_entry(builder, &content->node, &dst, clipped ? &clip : NULL);
	if (!entry) {
		return;
	}
	entry->src = look->src;
	entry->transform = transform_compose(transform_invert(look->transform), output->transform);
	entry->alpha = look->alpha;
	if (look->alpha >= 1) {
		opaque_pixels(output, content, &global, &dst, &entry->opaque);
		cover(builder, entry);
	}
}

static void add_rect(struct builder *builder, struct scene_rect *rect, int x, int y)
{
	struct box global = {x, y, rect->width, rect->height};
	struct box dst = scene_output_to_pixels(builder->output, &global);
	struct scene_entry *entry = add_entry(builder, &rect->node, &dst, NULL);
	if (entry && rect->color[3] >= 1) {
		region_set_box(&entry->opaque, &dst);
		cover(builder, entry);
	}
}

static void add_image(struct builder *builder, struct scene_image *image, int x, int y)
{
	if (!image->buffer) {
		return;
	}
	struct box global = {x, y, image->width, image->height};
	struct box dst = scene_output_to_pixels(builder->output, &global);
	struct scene_entry *entry = add_entry(builder, &image->node, &dst, NULL);
	if (entry) {
		entry->src = (struct fbox){0, 0, image->buffer->width, image->buffer->height};
		entry->transform = transform_compose(
			transform_invert(image->transform), builder->output->transform);
	}
}

/* Top to bottom; disabled trees too, for their surfaces are on no output. */
static void add_tree(struct builder *builder, struct scene_tree *tree, int x, int y, bool enabled)
{
	struct scene_node *node;
	wl_list_for_each_reverse (node, &tree->children, link) {
		int nx = x + node->x, ny = y + node->y;
		bool on = enabled && node->enabled;
		switch (node->type) {
		case SCENE_TREE: add_tree(builder, scene_tree_from_node(node), nx, ny, on); break;
		case SCENE_SURFACE:
			add_surface(builder, scene_surface_from_node(node), nx, ny, on);
			break;
		case SCENE_RECT:
			if (on) {
				struct scene_rect *rect = wl_container_of(node, rect, node);
				add_rect(builder, rect, nx, ny);
			}
			break;
		case SCENE_IMAGE:
			if (on) {
				struct scene_image *image = wl_container_of(node, image, node);
				add_image(builder, image, nx, ny);
			}
			break;
		}
	}
}

static void damage(struct scene_output *output, const pixman_region32_t *region)
{
	pixman_region32_union(&output->damage, &output->damage, region);
}

/* What only one of the two regions has. */
static void damage_difference(
	struct scene_output *output, const pixman_region32_t *a, const pixman_region32_t *b)
{
	if (pixman_region32_equal(a, b)) {
		return;
	}
	pixman_region32_t difference;
	pixman_region32_init(&difference);
	pixman_region32_subtract(&difference, a, b);
	damage(output, &difference);
	pixman_region32_subtract(&difference, b, a);
	damage(output, &difference);
	pixman_region32_fini(&difference);
}

static bool entry_looks_alike(const struct scene_entry *a, const struct scene_entry *b)
{
	return box_equal(&a->dst, &b->dst) && fbox_equal(&a->src, &b->src) &&
	       a->transform == b->transform && a->alpha == b->alpha && !b->node->changed;
}

/*
 * What differs between the list before (spare) and the new one. An entry that another one has
 * passed in the order is drawn again: the two may be translucent where they overlap.
 */
static void damage_changes(struct scene_output *output)
{
	int lowest = -1;
	for (int i = 0; i < output->n_spare; i++) {
		const struct scene_entry *old = &output->spare[i];
		if (!old->node) {
			continue; /* it went, and damaged what it showed as it did */
		}
		int index = old->node->entry_index[output->index];
		if (index < 0) {
			damage(output, &old->visible);
			continue;
		}
		struct scene_entry *new = &output->entries[index];
		new->matched = true;
		if (!entry_looks_alike(old, new)) {
			damage(output, &old->visible);
			damage(output, &new->visible);
		} else {
			damage_difference(output, &old->visible, &new->visible);
			damage_difference(output, &old->opaque, &new->opaque);
		}
		if (index < lowest) {
			damage(output, &old->visible);
			damage(output, &new->visible);
		} else {
			lowest = index;
		}
	}
	for (int i = 0; i < output->n_entries; i++) {
		if (!output->entries[i].matched) {
			damage(output, &output->entries[i].visible);
		}
	}
}

static void rebuild(struct scene_output *output)
{
	struct scene *scene = output->scene;
	struct scene_entry *entries = output->spare;
	int max = output->max_spare;
	output->spare = output->entries;
	output->n_spare = output->n_entries;
	output->max_spare = output->max_entries;
	output->entries = entries;
	output->n_entries = 0;
	output->max_entries = max;
	for (int i = 0; i < output->n_spare; i++) {
		if (output->spare[i].node) {
			output->spare[i].node->entry_index[output->index] = -1;
		}
	}

	const struct output_mode *mode = &output->output->mode;
	struct builder builder = {
		.output = output,
		.bounds = {0, 0, mode->width, mode->height},
		.cursor = true,
	};
	pixman_region32_init(&builder.covered);
	add_tree(&builder, &scene->cursor, scene->cursor.node.x, scene->cursor.node.y,
		scene->cursor.node.enabled);
	builder.cursor = false;
	add_tree(&builder, &scene->root, 0, 0, true);

	pixman_region32_t whole;
	pixman_region32_init_rect(&whole, 0, 0, (unsigned)mode->width, (unsigned)mode->height);
	pixman_region32_subtract(&output->uncovered, &whole, &builder.covered);
	damage_changes(output);
	pixman_region32_intersect(&output->damage, &output->damage, &whole);
	pixman_region32_fini(&whole);
	pixman_region32_fini(&builder.covered);

	for (int i = 0; i < output->n_spare; i++) {
		scene_entry_finish(&output->spare[i]);
	}
	output->n_spare = 0;
	output->dirty = false;
}

static void place_surface(struct scene *scene, struct scene_surface *content)
{
	struct surface *surface = content->surface;
	int64_t most = 0;
	double scale = 0;
	enum wl_output_transform transform = surface->preferred_transform;
	content->primary_output = -1;
	for (int i = 0; i < SCENE_MAX_OUTPUTS; i++) {
		struct scene_output *output = scene->outputs[i];
		if (!output) {
			continue;
		}
		if (content->node.entry_index[i] >= 0) {
			int64_t area =
				region_area(&output->entries[content->node.entry_index[i]].visible);
			if (area > most) {
				most = area;
				content->primary_output = i;
			}
		}
		if ((surface->outputs & (1u << i)) && output->scale > scale) {
			scale = output->scale;
			transform = output->transform;
		}
	}
	/* Off all screens, it keeps what it had. */
	if (scale > 0) {
		surface_set_preferred(surface, scale, transform);
	}
}

/* After a rebuild: where each surface shows most, and what scale suits it. */
static void place_surfaces(struct scene *scene, struct scene_tree *tree)
{
	struct scene_node *node;
	wl_list_for_each (node, &tree->children, link) {
		node->changed = false;
		if (node->type == SCENE_TREE) {
			place_surfaces(scene, scene_tree_from_node(node));
		} else if (node->type == SCENE_SURFACE) {
			place_surface(scene, scene_surface_from_node(node));
		}
	}
}

void scene_surface_damaged(struct scene_surface *content)
{
	struct scene *scene = content->node.scene;
	if (wl_list_empty(&content->damage_link)) {
		wl_list_insert(&scene->damaged, &content->damage_link);
	}
	uint32_t outputs = content->surface->outputs;
	for (int i = 0; outputs; i++, outputs >>= 1) {
		if ((outputs & 1) && content->node.entry_index[i] >= 0) {
			wl_signal_emit_mutable(&scene->outputs[i]->events.needs_frame, NULL);
		}
	}
}

static void spread_damage(struct scene *scene, struct scene_surface *content)
{
	uint32_t outputs = content->surface->outputs;
	for (int i = 0; outputs; i++, outputs >>= 1) {
		int index = content->node.entry_index[i];
		if (!(outputs & 1) || index < 0) {
			continue;
		}
		struct scene_output *output = scene->outputs[i];
		pixman_region32_t pixels;
		pixman_region32_init(&pixels);
		scene_entry_to_pixels(&output->entries[index], &pixels, &content->damage);
		damage(output, &pixels);
		pixman_region32_fini(&pixels);
	}
	pixman_region32_clear(&content->damage);
	wl_list_remove(&content->damage_link);
	wl_list_init(&content->damage_link);
}

void scene_update(struct scene *scene)
{
	bool rebuilt = false;
	for (int i = 0; i < SCENE_MAX_OUTPUTS; i++) {
		if (scene->outputs[i] && scene->outputs[i]->dirty) {
			rebuild(scene->outputs[i]);
			rebuilt = true;
		}
	}
	struct scene_surface *content, *next;
	wl_list_for_each_safe (content, next, &scene->damaged, damage_link) {
		spread_damage(scene, content);
	}
	if (rebuilt) {
		place_surfaces(scene, &scene->root);
		place_surfaces(scene, &scene->cursor);
		wl_signal_emit_mutable(&scene->events.updated, NULL);
	}
}
