/* SPDX-License-Identifier: MIT */
/*
 * Flat lists of visible entries: built top to bottom, so that each opaque entry occludes those
 * below.
 */

#include "scene/internal.h"
#include "util/region.h"
#include "util/xalloc.h"
#include <math.h>
#include <stdlib.h>

/**
 * Maximum number of rectangles of the covered region. Opaque entries that would exceed it occlude
 * nothing, so that the cost of each entry is bounded.
 */
#define COVERED_MAX 256
/**
 * Maximum number of rectangles of all visible regions of a list (4 MiB). Further entries are never
 * occluded.
 */
#define VISIBLE_MAX (256 * 1024)

/* State of the traversal. */
struct builder {
	struct scene_view view; /* its origin is that of the innermost snapped tree */
	const struct scene_view *whole; /* its origin is that of the output or capture */
	struct box bounds;
	pixman_region32_t covered;
	bool cursor;
	float opacity; /* of the trees that contain the current node */
	bool secret; /* one of those trees is, for a snapshot */
	bool magnified; /* the output is */
	const pixman_region32_t *clip; /* of the current node, in pixels; NULL: none */
	/* The output whose list is built. NULL for a snapshot, which leaves the scene unchanged. */
	struct scene_output *output;
	struct scene_entry **entries;
	int *n_entries, *max_entries;
	int n_visible; /* rectangles of all visible regions and clips so far */
};

static struct scene_entry *push_entry(struct builder *builder)
{
	if (*builder->n_entries == *builder->max_entries) {
		*builder->max_entries = *builder->max_entries ? *builder->max_entries * 2 : 16;
		*builder->entries = xrealloc(*builder->entries, (size_t)*builder->max_entries,
			sizeof(struct scene_entry));
	}
	struct scene_entry *entry = &(*builder->entries)[(*builder->n_entries)++];
	*entry = (struct scene_entry){.alpha = 1};
	pixman_region32_init(&entry->visible);
	pixman_region32_init(&entry->opaque);
	return entry;
}

static void add_covered(pixman_region32_t *covered, pixman_region32_t *opaque)
{
	int before = pixman_region32_n_rects(covered);
	if (before + pixman_region32_n_rects(opaque) <= COVERED_MAX / 2) {
		pixman_region32_union(covered, covered, opaque);
		return;
	}
	pixman_region32_t both;
	pixman_region32_init(&both);
	pixman_region32_union(&both, covered, opaque);
	int after = pixman_region32_n_rects(&both);
	if (after <= COVERED_MAX || after <= before) {
		pixman_region32_t swap = *covered;
		*covered = both;
		both = swap;
	}
	pixman_region32_fini(&both);
}

/*
 * Adds the opaque region to the covered one. Cursors are left out, since they move too often to
 * change the entries below.
 */
static void cover(struct builder *builder, struct scene_entry *entry)
{
	pixman_region32_intersect(&entry->opaque, &entry->opaque, &entry->visible);
	entry->all_opaque = pixman_region32_equal(&entry->opaque, &entry->visible);
	if (!builder->cursor) {
		add_covered(&builder->covered, &entry->opaque);
	}
}

/* Computes the pixels of a box of a node. */
static struct box find_pixels(
	const struct builder *builder, const struct scene_node *node, const struct box *global)
{
	const struct box box = scene_view_to_pixels(&builder->view, global);
	if (!node->reaches) {
		return box;
	}
	const struct box loose = scene_view_to_pixels(builder->whole, global);
	const int x = box.x < loose.x ? box.x : loose.x, y = box.y < loose.y ? box.y : loose.y;
	const int right = box.x + box.width, loose_right = loose.x + loose.width;
	const int bottom = box.y + box.height, loose_bottom = loose.y + loose.height;
	return (struct box){x, y, (right > loose_right ? right : loose_right) - x,
		(bottom > loose_bottom ? bottom : loose_bottom) - y};
}

/* Computes the pixels of a surface whose coordinates are those of outputs of another scale. */
static struct box dense_box(const struct scene_view *view, const struct surface *surface,
	const struct scene_look *look, int x, int y)
{
	const double factor = view->scale / surface->density;
	struct box box = {view->left + scene_pixels((double)x - view->x, view->scale),
		view->top + scene_pixels((double)y - view->y, view->scale), look->width,
		look->height};
	if (factor != 1) {
		box.width = (int)round(look->width * factor);
		box.height = (int)round(look->height * factor);
	}
	int width, height;
	scene_view_upright_size(view, &width, &height);
	transform_box(&box, &box, view->transform, width, height);
	return box;
}

static bool region_is_box(const pixman_region32_t *region, const struct box *box)
{
	const struct box extents = region_extents(region);
	return pixman_region32_n_rects((pixman_region32_t *)region) == 1 &&
	       box_equal(&extents, box);
}

/* Adds an entry for the visible part of `dst`. Returns NULL if there is none. */
static struct scene_entry *add_entry(
	struct builder *builder, struct scene_node *node, const struct box *dst)
{
	struct box box;
	if (*builder->n_entries == SCENE_ENTRIES_MAX ||
		!box_intersect(&box, dst, &builder->bounds)) {
		return NULL;
	}
	struct scene_entry *entry = push_entry(builder);
	region_set_box(&entry->visible, &box);
	if (builder->clip) {
		pixman_region32_intersect(
			&entry->visible, &entry->visible, (pixman_region32_t *)builder->clip);
		entry->clipped = !region_is_box(&entry->visible, &box);
	}
	if (!builder->cursor && builder->n_visible < VISIBLE_MAX) {
		pixman_region32_subtract(&entry->visible, &entry->visible, &builder->covered);
	}
	if (!pixman_region32_not_empty(&entry->visible)) {
		scene_entry_finish(entry);
		(*builder->n_entries)--;
		return NULL;
	}
	entry->node = node;
	entry->dst = *dst;
	entry->cursor = builder->cursor;
	entry->black = builder->secret;
	if (entry->black) {
		region_set_box(&entry->opaque, dst);
		cover(builder, entry);
	}
	builder->n_visible += pixman_region32_n_rects(&entry->visible);
	if (builder->output) {
		node->entry_index[builder->output->index] = *builder->n_entries - 1;
	}
	return entry;
}

/* Adds an entry for the visible part of a surface whose whole would fill `dst`. */
static struct scene_entry *add_pixels(struct builder *builder, struct scene_node *node,
	const struct scene_surface *content, const struct box *dst)
{
	const pixman_region32_t *clip = content->surface->clip;
	const int n = clip ? pixman_region32_n_rects((pixman_region32_t *)clip) : 0;
	if (!clip || builder->n_visible > VISIBLE_MAX - n) {
		return add_entry(builder, node, dst);
	}
	builder->n_visible += n;
	const enum wl_output_transform transform = builder->view.transform;
	const bool swaps = transform_swaps(transform);
	const int width = swaps ? dst->height : dst->width;
	const int height = swaps ? dst->width : dst->height;
	pixman_region32_t pixels;
	pixman_region32_init(&pixels);
	region_scale_nearest(&pixels, clip, (double)width / content->look.width,
		(double)height / content->look.height);
	region_transform(&pixels, &pixels, transform, width, height);
	pixman_region32_translate(&pixels, dst->x, dst->y);
	builder->clip = &pixels;
	struct scene_entry *entry = add_entry(builder, node, dst);
	builder->clip = NULL;
	pixman_region32_fini(&pixels);
	return entry;
}

static void set_on_output(struct builder *builder, struct scene_surface *content, bool on)
{
	if (builder->output) {
		uint32_t bit = 1u << builder->output->index;
		uint32_t outputs = content->surface->outputs;
		surface_set_outputs(content->surface, on ? outputs | bit : outputs & ~bit);
	}
}

/*
 * Sets the pixels of a buffer that has one for each pixel of its surface. The edges of a subsurface
 * are rounded together with those of its neighbours, and those of a tile may reach to the next one,
 * which leaves a pixel more or less: the last one is repeated, or cut off.
 */
static void fit_pixels(struct scene_entry *entry, const struct scene_look *look,
	const struct scene_view *view, enum wl_output_transform transform)
{
	const bool turned = transform_swaps(view->transform);
	const double width = turned ? entry->dst.height : entry->dst.width;
	const double height = turned ? entry->dst.width : entry->dst.height;
	const bool swaps = transform_swaps(look->transform);
	const double own_width = swaps ? look->src.height : look->src.width;
	const double own_height = swaps ? look->src.width : look->src.height;
	struct fbox src = {0, 0, width, height};
	if (own_width != scene_pixels(look->width, view->scale) ||
		own_height != scene_pixels(look->height, view->scale) ||
		(own_width == width && own_height == height)) {
		return;
	}
	transform_fbox(&src, &src, look->transform, own_width, own_height);
	src.x += look->src.x;
	src.y += look->src.y;
	scene_entry_set_source(entry, &src, transform);
	entry->padded = entry->unscaled && (width > own_width || height > own_height);
	if (entry->padded) {
		const struct box own = fbox_outset(&look->src);
		entry->shown = fbox_outset(&src);
		box_intersect(&entry->shown, &entry->shown, &own);
	} else if (!entry->unscaled) {
		scene_entry_set_source(entry, &look->src, transform);
	}
}

/*
 * Fits the box of a surface to an output whose logical size is rounded: a surface of that size with
 * the output's own pixels is shown pixel by pixel.
 */
static void fit_output(
	const struct scene_view *view, const struct scene_look *look, struct box *dst)
{
	const struct box whole = {0, 0, view->width, view->height};
	struct box on;
	if (box_equal(dst, &whole) || !box_intersect(&on, dst, &whole) || !box_equal(&on, &whole)) {
		return;
	}
	int width, height;
	scene_view_upright_size(view, &width, &height);
	const bool swaps = transform_swaps(look->transform);
	if (look->width == coord_round_up(width / view->scale) &&
		look->height == coord_round_up(height / view->scale) &&
		(swaps ? look->src.height : look->src.width) == width &&
		(swaps ? look->src.width : look->src.height) == height) {
		*dst = whole;
	}
}

static void add_surface(
	struct builder *builder, struct scene_surface *content, int x, int y, bool enabled)
{
	const struct scene_look *look = &content->look;
	const struct scene_view *view = &builder->view;
	struct box global = {x, y, look->width, look->height};
	struct box dst = content->surface->density == 1
				 ? find_pixels(builder, &content->node, &global)
				 : dense_box(view, content->surface, look, x, y);
	fit_output(view, look, &dst);
	struct box on;
	bool shown = enabled && look->shown && !box_empty(&dst) &&
		     box_intersect(&on, &dst, &builder->bounds);
	set_on_output(builder, content, shown);
	if (!shown) {
		return;
	}
	struct scene_entry *entry = add_pixels(builder, &content->node, content, &dst);
	if (!entry) {
		return;
	}
	const enum wl_output_transform transform =
		transform_compose(transform_invert(look->transform), view->transform);
	scene_entry_set_source(entry, &look->src, transform);
	if (!entry->unscaled && content->surface->density == 1) {
		fit_pixels(entry, look, view, transform);
	}
	entry->unscaled = entry->unscaled && !builder->magnified;
	entry->sharp = !entry->unscaled && !entry->padded &&
		       surface_root(content->surface)->rules.sharp && scene_entry_enlarges(entry);
	entry->alpha = look->alpha * builder->opacity;
	if (entry->alpha >= 1 && !entry->black) {
		scene_opaque_pixels(
			content, entry, view->transform, builder->magnified, &entry->opaque);
		cover(builder, entry);
	}
}

/* Returns true if the node is black in captures. */
static bool is_secret(const struct scene_node *node)
{
	const struct scene_tree *tree = node->parent;
	while (tree && !tree->secret) {
		tree = tree->node.parent;
	}
	return tree;
}

static void add_preview(struct builder *builder, struct scene_preview *preview, int x, int y)
{
	struct box global, clip, dst;
	if (!scene_preview_boxes(preview, x, y, &global, &clip)) {
		return;
	}
	const struct scene_look *look = &preview->source->look;
	const struct box bounds = builder->bounds;
	clip = scene_view_to_pixels(&builder->view, &clip);
	dst = scene_view_to_pixels(&builder->view, &global);
	struct scene_entry *entry = NULL;
	const bool secret = builder->secret;
	builder->secret = secret || (!builder->output && is_secret(&preview->source->node));
	if (!box_empty(&dst) && box_intersect(&builder->bounds, &clip, &bounds)) {
		entry = add_pixels(builder, &preview->node, preview->source, &dst);
	}
	builder->bounds = bounds;
	builder->secret = secret;
	if (entry) {
		scene_entry_set_source(entry, &look->src,
			transform_compose(
				transform_invert(look->transform), builder->view.transform));
		entry->alpha = look->alpha * builder->opacity;
	}
}

static void add_rect(struct builder *builder, struct scene_rect *rect, int x, int y)
{
	struct box global = {x, y, rect->width, rect->height};
	struct box dst = find_pixels(builder, &rect->node, &global);
	struct scene_entry *entry = add_entry(builder, &rect->node, &dst);
	if (!entry) {
		return;
	}
	entry->transform = builder->view.transform;
	entry->alpha = builder->opacity;
	if (entry->alpha >= 1 && rect->color[3] >= 1 && rect->bottom[3] >= 1 && !entry->black) {
		region_set_box(&entry->opaque, &dst);
		cover(builder, entry);
	}
}

/* Returns the box of an image that is shown pixel by pixel, and crops its source. */
static struct box drawn_box(const struct scene_view *view, const struct scene_image *image,
	const struct box *global, struct fbox *src)
{
	struct scene_view upright = *view;
	upright.transform = WL_OUTPUT_TRANSFORM_NORMAL;
	struct box box = scene_view_to_pixels(&upright, global);
	box.width = (int)fmin(image->buffer->width, coord_round_up(global->width * view->scale));
	box.height = (int)fmin(image->buffer->height, coord_round_up(global->height * view->scale));
	src->width = box.width;
	src->height = box.height;
	int width, height;
	scene_view_upright_size(view, &width, &height);
	transform_box(&box, &box, view->transform, width, height);
	return box;
}

static void add_image(struct builder *builder, struct scene_image *image, int x, int y)
{
	if (!image->buffer) {
		return;
	}
	const struct scene_view *view = &builder->view;
	struct box global = {x, y, image->width, image->height};
	struct fbox src = {0, 0, image->buffer->width, image->buffer->height};
	struct box dst = image->scale == view->scale ? drawn_box(view, image, &global, &src)
						     : scene_view_to_pixels(view, &global);
	struct scene_entry *entry = add_entry(builder, &image->node, &dst);
	if (entry) {
		scene_entry_set_source(entry, &src,
			transform_compose(
				transform_invert(image->transform), builder->view.transform));
		entry->alpha = builder->opacity;
		if (entry->alpha >= 1 && buffer_is_opaque(image->buffer) && !entry->black) {
			region_set_box(&entry->opaque, &dst);
			cover(builder, entry);
		}
	}
}

static void add_tree(struct builder *builder, struct scene_tree *tree, int x, int y, bool enabled);

static void clip(struct builder *builder, const struct scene_output *output)
{
	const struct box bounds = builder->bounds;
	struct box global = scene_output_box(output);
	struct box pixels = scene_view_to_pixels(builder->whole, &global);
	if (!box_intersect(&builder->bounds, &pixels, &bounds)) {
		builder->bounds = (struct box){0};
	}
}

/* Visits a tree at its place, with its clip, shift and opacity. */
static void add_subtree(
	struct builder *builder, struct scene_tree *tree, int x, int y, bool enabled)
{
	const struct scene_view view = builder->view;
	const struct box bounds = builder->bounds;
	const float opacity = builder->opacity;
	const bool secret = builder->secret;
	builder->opacity *= tree->opacity;
	builder->secret = secret || (tree->secret && !builder->output);
	if (tree->output) {
		clip(builder, tree->output);
	}
	x = coord_sum(x, tree->shift_x);
	y = coord_sum(y, tree->shift_y);
	scene_tree_snap_view(tree, &builder->view, x, y);
	add_tree(builder, tree, x, y, enabled);
	builder->view = view;
	builder->bounds = bounds;
	builder->opacity = opacity;
	builder->secret = secret;
}

/*
 * Visits nodes top to bottom. Disabled trees are included, to remove their surfaces from the
 * output.
 */
static void add_tree(struct builder *builder, struct scene_tree *tree, int x, int y, bool enabled)
{
	struct scene_node *node;
	wl_list_for_each_reverse (node, &tree->children, link) {
		int nx = coord_sum(x, node->x), ny = coord_sum(y, node->y);
		bool on = enabled && node->enabled;
		switch (node->type) {
		case SCENE_TREE:
			add_subtree(builder, scene_tree_from_node(node), nx, ny, on);
			break;
		case SCENE_SURFACE:
			add_surface(builder, scene_surface_from_node(node), nx, ny, on);
			break;
		case SCENE_PREVIEW:
			if (on) {
				struct scene_preview *preview =
					wl_container_of(node, preview, node);
				add_preview(builder, preview, nx, ny);
			}
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

static void add_cursors(struct builder *builder, struct scene *scene)
{
	builder->cursor = true;
	add_tree(builder, &scene->cursor, scene->cursor.node.x, scene->cursor.node.y,
		scene->cursor.node.enabled);
	builder->cursor = false;
}

static void build(struct builder *builder, struct scene *scene, struct scene_tree *root,
	bool cursor, pixman_region32_t *uncovered)
{
	const struct scene_view view = builder->view;
	builder->whole = &view;
	builder->opacity = 1;
	builder->bounds = (struct box){0, 0, view.width, view.height};
	pixman_region32_init(&builder->covered);
	if (cursor) {
		add_cursors(builder, scene);
	}
	if (root) {
		/* A window is captured at its own position, even if its workspace is hidden. */
		int x, y;
		scene_node_coords(&root->node, &x, &y);
		builder->secret = root->secret || is_secret(&root->node);
		scene_tree_snap_view(root, &builder->view, x, y);
		add_tree(builder, root, x, y, true);
	} else {
		add_tree(builder, &scene->root, 0, 0, true);
	}
	region_set_box(uncovered, &builder->bounds);
	pixman_region32_subtract(uncovered, uncovered, &builder->covered);
	pixman_region32_fini(&builder->covered);
}

void scene_list_output(struct scene_output *output)
{
	struct builder builder = {
		.view = scene_output_view(output),
		.output = output,
		.magnified = scene_output_is_magnified(output),
		.entries = &output->entries,
		.n_entries = &output->n_entries,
		.max_entries = &output->max_entries,
	};
	build(&builder, output->scene, NULL, true, &output->uncovered);
}

void scene_list_cursors(struct scene_output *output)
{
	const struct scene_view view = scene_output_view(output);
	struct builder builder = {
		.view = view,
		.whole = &view,
		.output = output,
		.magnified = scene_output_is_magnified(output),
		.entries = &output->spare,
		.n_entries = &output->n_spare,
		.max_entries = &output->max_spare,
		.opacity = 1,
	};
	builder.bounds = (struct box){0, 0, view.width, view.height};
	pixman_region32_init(&builder.covered);
	add_cursors(&builder, output->scene);
	pixman_region32_fini(&builder.covered);
}

void scene_snapshot_init(struct scene_snapshot *snapshot, struct scene *scene,
	struct scene_tree *root, const struct scene_view *view, bool cursor)
{
	*snapshot = (struct scene_snapshot){0};
	pixman_region32_init(&snapshot->uncovered);
	struct builder builder = {
		.view = *view,
		.entries = &snapshot->entries,
		.n_entries = &snapshot->n_entries,
		.max_entries = &snapshot->max_entries,
	};
	build(&builder, scene, root, cursor, &snapshot->uncovered);
}

void scene_snapshot_finish(struct scene_snapshot *snapshot)
{
	for (int i = 0; i < snapshot->n_entries; i++) {
		scene_entry_finish(&snapshot->entries[i]);
	}
	free(snapshot->entries);
	pixman_region32_fini(&snapshot->uncovered);
}
