/* SPDX-License-Identifier: MIT */
/*
 * Copies of shm in system memory: such a buffer stays locked while a device misses pixels of it. If
 * its client waits for it, the CPU copies those pixels, and the client gets its buffer back.
 */

#include "content/device.h"
#include "internal.h"
#include "util/account.h"
#include "util/region.h"

void cpu_copy_drop(struct backing_store *store)
{
	buffer_drop(store->copy);
	store->copy = NULL;
	account_uncharge(store->account, ACCOUNT_PIXELS, store->charged);
	store->charged = 0;
}

/* Makes the copy fit `buffer`. A new copy misses all pixels. */
static bool reserve(struct backing_store *store, const struct buffer *buffer)
{
	const int64_t bytes = content_image_bytes(buffer);
	if (store->copy) {
		return true; /* of the same size: backing_store_applied() */
	}
	if (!content_may_store(store->account, bytes)) {
		return false;
	}
	store->copy = copy_buffer_create(buffer->width, buffer->height, buffer->format);
	if (!store->copy) {
		return false;
	}
	account_charge(store->account, ACCOUNT_PIXELS, bytes);
	store->charged = bytes;
	region_set_box(&store->missing, &(struct box){0, 0, buffer->width, buffer->height});
	return true;
}

static bool lacks_content(struct surface *surface, struct render_device *device)
{
	struct content_device *peer, *self = content_device_from(device);
	if (!content_find(surface, device)) {
		return true;
	}
	wl_list_for_each (peer, &self->peers, peers) {
		if (!content_find(surface, &peer->base)) {
			return true;
		}
	}
	return false;
}

/* Adds the pixels that the content can get from the current buffer only. */
static void add_missing(
	const struct content *content, const struct buffer *buffer, pixman_region32_t *out)
{
	if (content_device_from(content->device)->shadow_of) {
		return; /* it draws for a device that has a content, too */
	}
	if (content->held || !content_fits(content, buffer)) {
		region_set_box(out, &(struct box){0, 0, buffer->width, buffer->height});
	} else {
		pixman_region32_union(out, out, (pixman_region32_t *)&content->missing);
		pixman_region32_intersect_rect(
			out, out, 0, 0, (unsigned)buffer->width, (unsigned)buffer->height);
	}
}

static void find_missing(
	const struct backing_store *store, const struct buffer *buffer, pixman_region32_t *out)
{
	const struct content *content;
	pixman_region32_clear(out);
	wl_list_for_each (content, &store->contents, store_link) {
		add_missing(content, buffer, out);
	}
	if (store->device && lacks_content(store->surface, store->device)) {
		region_set_box(out, &(struct box){0, 0, buffer->width, buffer->height});
	}
}

/* Cuts the region to its first rows of about `pixels`. Returns false if that is all of it. */
static bool cut_region(pixman_region32_t *region, int64_t pixels)
{
	int n;
	const pixman_box32_t *boxes = pixman_region32_rectangles(region, &n);
	for (int i = 0; i < n; i++) {
		const int64_t width = boxes[i].x2 - boxes[i].x1;
		const int64_t rows = pixels / width + 1;
		if (rows < boxes[i].y2 - boxes[i].y1) {
			const pixman_box32_t *all = &region->extents;
			pixman_region32_intersect_rect(region, region, all->x1, all->y1,
				(unsigned)(all->x2 - all->x1),
				(unsigned)(boxes[i].y1 + rows - all->y1));
			return true;
		}
		pixels -= width * (boxes[i].y2 - boxes[i].y1);
		pixels = pixels > 0 ? pixels : 0;
	}
	return false;
}

/* Textures that read the client's memory are made anew from the copy. */
static void let_go(struct backing_store *store)
{
	struct content *content;
	wl_list_for_each (content, &store->contents, store_link) {
		if (content->held) {
			content_drop_texture(content);
			content_miss_all(content);
			content->stale = true;
			content->uploaded = 0;
			buffer_replace(&content->held, NULL);
		}
	}
}

static void release(struct backing_store *store)
{
	let_go(store);
	store->released = store->surface->clock ? clock_now(store->surface->clock) : 0;
	if (store->timer.armed) {
		timer_disarm(&store->timer);
	}
	surface_release_buffer(store->surface);
}

enum saved cpu_copy_save(struct backing_store *store, int64_t bytes)
{
	struct buffer *buffer = store->surface->current.buffer;
	bool more = false, saved = true;
	pixman_region32_t due;
	pixman_region32_init(&due);
	find_missing(store, buffer, &due);
	if (pixman_region32_not_empty(&due)) {
		saved = reserve(store, buffer);
		pixman_region32_intersect(&due, &due, &store->missing);
	}
	if (saved && pixman_region32_not_empty(&due)) {
		more = cut_region(&due, bytes / pixel_format_get(buffer->format)->bytes[0]);
		saved = copy_buffer_copy(store->copy, buffer, &due);
		pixman_region32_subtract(&store->missing, &store->missing, &due);
	}
	pixman_region32_fini(&due);
	if (!saved) {
		return SAVED_NONE;
	}
	if (!more) {
		release(store);
	}
	return more ? SAVED_PART : SAVED_ALL;
}
