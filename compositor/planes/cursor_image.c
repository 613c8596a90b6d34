/* SPDX-License-Identifier: MIT */
/*
 * Cursor image for a cursor plane: the cursor entries of an output, drawn by the CPU into a linear
 * buffer of the output's GPU whenever their look changes.
 */

#include "cursor_image.h"
#include "content/compose.h"
#include "content/content.h"
#include "util/fd.h"
#include "util/region.h"
#include "util/xalloc.h"
#include <math.h>
#include <stdlib.h>

/* One buffer is scanned out, one is queued, one is free to draw into. */
#define N_BUFFERS 3
/* Cursors with more entries are composed. */
#define PARTS_MAX 8

struct cursor_image {
	struct buffer *buffers[N_BUFFERS];
	struct buffer *image; /* one of `buffers`, locked; NULL: no valid image */
	uint64_t n_drawn;
	int n_parts;
	struct cursor_part {
		const void *node; /* for comparison only */
		struct box box; /* within the image */
		struct fbox src;
		enum wl_output_transform transform;
		float alpha;
	} parts[PARTS_MAX];
	pixman_region32_t visible;
};

struct cursor_image *cursor_image_create(void)
{
	struct cursor_image *cursor = xcalloc(1, sizeof(*cursor));
	pixman_region32_init(&cursor->visible);
	return cursor;
}

uint64_t cursor_image_n_drawn(const struct cursor_image *cursor)
{
	return cursor->n_drawn;
}

/* Drops the buffers: before their allocator is destroyed. */
static void cursor_image_drop(struct cursor_image *cursor)
{
	buffer_replace(&cursor->image, NULL);
	for (int i = 0; i < N_BUFFERS; i++) {
		buffer_drop(cursor->buffers[i]);
		cursor->buffers[i] = NULL;
	}
}

void cursor_image_destroy(struct cursor_image *cursor)
{
	if (cursor) {
		cursor_image_drop(cursor);
		pixman_region32_fini(&cursor->visible);
		free(cursor);
	}
}

static const struct plane *find_plane(const struct output *output)
{
	for (int i = 0; i < output->n_planes; i++) {
		const struct plane *plane = output->planes[i];
		if (plane->type == PLANE_CURSOR &&
			format_set_has(
				&plane->formats, DRM_FORMAT_ARGB8888, DRM_FORMAT_MOD_LINEAR)) {
			return plane;
		}
	}
	return NULL;
}

static struct buffer *find_buffer(
	struct cursor_image *cursor, struct allocator *allocator, int32_t width, int32_t height)
{
	uint64_t linear[] = {DRM_FORMAT_MOD_LINEAR};
	const struct format_modifiers format = {
		.format = DRM_FORMAT_ARGB8888, .n_modifiers = 1, .modifiers = linear};
	for (int i = 0; i < N_BUFFERS; i++) {
		struct buffer *buffer = cursor->buffers[i];
		if (buffer && buffer->n_locks > 0) {
			continue;
		}
		if (!buffer || buffer->width != width || buffer->height != height) {
			buffer_drop(buffer);
			cursor->buffers[i] =
				allocator->impl->create_buffer(allocator, width, height, &format);
		}
		return cursor->buffers[i];
	}
	return NULL;
}

/* Returns the CPU device, which can draw pixels of system memory into the linear buffer. */
static struct render_device *painter(struct render_device *device)
{
	if (device->renderer->cpu) {
		return device;
	}
	return render_device_get_painter(device);
}

static struct box bounds(const struct scene_entry *entries, int n)
{
	struct box all = entries[0].dst;
	for (int i = 1; i < n; i++) {
		const struct box *box = &entries[i].dst;
		int x = box->x < all.x ? box->x : all.x, y = box->y < all.y ? box->y : all.y;
		int right = box->x + box->width, bottom = box->y + box->height;
		int all_right = all.x + all.width, all_bottom = all.y + all.height;
		all = (struct box){x, y, (right > all_right ? right : all_right) - x,
			(bottom > all_bottom ? bottom : all_bottom) - y};
	}
	return all;
}

/* Records the entries about to be drawn. Returns whether they equal those drawn last. */
static bool take_parts(
	struct cursor_image *cursor, struct scene_entry *entries, int n, const struct box *box)
{
	bool same = cursor->n_parts == n;
	for (int i = 0; i < n; i++) {
		struct scene_entry *entry = &entries[i];
		struct cursor_part part = {
			.node = entry->node,
			.box = {entry->dst.x - box->x, entry->dst.y - box->y, entry->dst.width,
				entry->dst.height},
			.src = entry->src,
			.transform = entry->transform,
			.alpha = entry->alpha,
		};
		const struct cursor_part *old = &cursor->parts[i];
		same = same && !entry->fresh && old->node == part.node &&
		       box_equal(&old->box, &part.box) && fbox_equal(&old->src, &part.src) &&
		       old->transform == part.transform && old->alpha == part.alpha;
		cursor->parts[i] = part;
		entry->fresh = false;
	}
	cursor->n_parts = n;
	return same;
}

/* Returns whether the entry's pixels are complete and readable by the CPU. */
static bool is_drawable(struct render_device *device, const struct scene_entry *entry)
{
	float color[4];
	if (!entry->node) {
		return false;
	}
	if (entry->node->type == SCENE_IMAGE) {
		const struct scene_image *image = wl_container_of(entry->node, image, node);
		return content_image(device, image->buffer) != NULL;
	}
	if (entry->node->type != SCENE_SURFACE) {
		return true;
	}
	struct surface *surface = scene_surface_from_node(entry->node)->surface;
	struct buffer *buffer = surface->current.buffer;
	if (buffer && buffer_color(buffer, color)) {
		return true;
	}
	return !(buffer && buffer->home) &&
	       content_prepare(content_get(surface, device), NULL) == CONTENT_READY;
}

/* Draws the entire cursor, including parts outside of the output, because it may move. */
static bool draw(struct cursor_image *cursor, struct render_device *device,
	const struct scene_entry *entries, struct buffer *buffer)
{
	static const float nothing[4] = {0, 0, 0, 0};
	struct scene_entry parts[PARTS_MAX];
	for (int i = 0; i < cursor->n_parts; i++) {
		parts[i] = entries[i];
		parts[i].dst = cursor->parts[i].box;
		parts[i].place = PLACE_COMPOSED;
		parts[i].all_opaque = false;
		pixman_region32_init(&parts[i].opaque);
		pixman_region32_init(&parts[i].visible);
		region_set_box(&parts[i].visible, &parts[i].dst);
	}
	pixman_region32_t all;
	pixman_region32_init_rect(&all, 0, 0, (unsigned)buffer->width, (unsigned)buffer->height);
	struct compose_list list = {.entries = parts,
		.n_entries = cursor->n_parts,
		.uncovered = &all,
		.background = nothing};
	int fence = -1;
	bool done = true;
	for (int i = 0; i < cursor->n_parts; i++) {
		done = done && is_drawable(device, &parts[i]);
	}
	done = done && compose_draw(device, &list, buffer, &all, &fence, NULL);
	fd_close(&fence);
	pixman_region32_fini(&all);
	for (int i = 0; i < cursor->n_parts; i++) {
		pixman_region32_fini(&parts[i].opaque);
		pixman_region32_fini(&parts[i].visible);
	}
	return done;
}

/* Redraws cursor->image if needed. Returns REASON_BEST, or why there is none. */
static enum route_reason update_image(struct cursor_image *cursor, struct render_device *device,
	struct scene_entry *entries, int n, const struct box *box, int32_t width, int32_t height)
{
	bool same = take_parts(cursor, entries, n, box) && cursor->image &&
		    cursor->image->width == width && cursor->image->height == height;
	if (same) {
		return REASON_BEST;
	}
	buffer_replace(&cursor->image, NULL);
	struct buffer *buffer = find_buffer(cursor, device->linear, width, height);
	if (!buffer) {
		return REASON_NO_CURSOR;
	}
	if (!draw(cursor, painter(device), entries, buffer)) {
		return REASON_UNREADABLE;
	}
	buffer_replace(&cursor->image, buffer);
	cursor->n_drawn++;
	return REASON_BEST;
}

enum route_reason cursor_image_take(struct cursor_image *cursor, struct scene_output *output,
	struct render_device *device, int n, struct assign_entry *out)
{
	struct scene_entry *entries = output->entries;
	const struct plane *plane = find_plane(output->output);
	if (!plane || !device->linear || !device->renderer) {
		return REASON_NO_CURSOR;
	}
	struct box box = bounds(entries, n);
	int32_t width = box.width, height = box.height;
	if (n > PARTS_MAX || !plane_fit(plane, &width, &height)) {
		return REASON_SIZE;
	}
	enum route_reason barred = update_image(cursor, device, entries, n, &box, width, height);
	if (barred != REASON_BEST) {
		return barred;
	}
	struct buffer *image = cursor->image;
	pixman_region32_clear(&cursor->visible);
	for (int i = 0; i < n; i++) {
		pixman_region32_union(&cursor->visible, &cursor->visible, &entries[i].visible);
	}
	struct scene_view view = scene_output_view(output);
	struct box tip = {
		(int)floor(output->scene->pointer.x), (int)floor(output->scene->pointer.y), 0, 0};
	tip = scene_view_to_pixels(&view, &tip);
	*out = (struct assign_entry){
		.id = &output->scene->cursor,
		.buffer = image,
		.cursor = true,
		.src = {0, 0, image->width, image->height},
		.dst = {box.x, box.y, image->width, image->height},
		.alpha = 1,
		.visible = &cursor->visible,
		.hotspot_x = tip.x - box.x,
		.hotspot_y = tip.y - box.y,
	};
	return REASON_BEST;
}
