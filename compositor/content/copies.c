/* SPDX-License-Identifier: MIT */
/*
 * Copies of a surface's dma-bufs of another GPU: a ring of staging buffers with a texture each,
 * shown by the copy source, or made before their update applies (deferred_copy.c).
 */

#include "copies.h"
#include "content/device.h"
#include "route_facts.h"
#include "util/xalloc.h"
#include <stdlib.h>

void content_copy_set_due(struct source_copy *copy, int64_t due)
{
	int64_t more = due - copy->due;
	copy->device->copies_due += more;
	copy->due = due;
	if (more > 0) {
		signal_emit(&copy->device->events.copies_due, NULL);
	}
}

static void count_bytes(struct source_copy *copy)
{
	uint64_t bytes = staging_stats(copy->ring).bytes;
	if (bytes == copy->bytes) {
		return;
	}
	copy->surface->bytes_copied += bytes - copy->bytes;
	rate_add(&copy->surface->copy_rate, bytes - copy->bytes,
		clock_now(copy->device->copier->clock));
	copy->bytes = bytes;
}

void content_copy_end_wait(struct content *content)
{
	if (content->waits) {
		content->waits = false;
		content->refused = NULL;
	}
}

/* Stores the pixels of `needed` that no buffer has, or that copies in flight hide. */
static void find_absent(
	const struct source_copy *copy, const pixman_region32_t *needed, pixman_region32_t *out)
{
	struct staging_part parts[STAGING_MAX];
	int n = staging_parts(copy->ring, needed, parts);
	pixman_region32_intersect_rect(out, (pixman_region32_t *)needed, 0, 0,
		(unsigned)copy->width, (unsigned)copy->height);
	for (int i = 0; i < n; i++) {
		pixman_region32_subtract(out, out, &parts[i].region);
	}
	staging_parts_finish(parts, n);
}

void content_copy_damage_hidden(struct source_copy *copy)
{
	struct scene_surface *scene_surface = scene_surface_find(copy->surface);
	pixman_region32_t absent;
	if (!scene_surface || !pixman_region32_not_empty(&copy->hidden)) {
		return;
	}
	pixman_region32_init(&absent);
	find_absent(copy, &copy->hidden, &absent);
	pixman_region32_subtract(&copy->hidden, &copy->hidden, &absent);
	if (pixman_region32_not_empty(&copy->hidden)) {
		scene_surface_damage(scene_surface, &copy->hidden);
	}
	pixman_region32_copy(&copy->hidden, &absent);
	pixman_region32_fini(&absent);
}

/*
 * A copy arrived or failed: request a frame of the outputs that show its region, or continue an
 * update, which may destroy `copy`.
 */
static void handle_arrived(void *data, const pixman_region32_t *region)
{
	struct source_copy *copy = data;
	struct render_device *device = copy->device;
	if (copy->arrived) {
		copy->arrived(copy->content);
	} else {
		content_copy_end_wait(copy->content);
		pixman_region32_subtract(&copy->late, &copy->late, (pixman_region32_t *)region);
		struct scene_surface *scene_surface = scene_surface_find(copy->surface);
		if (scene_surface) {
			scene_surface_damage(scene_surface, region);
			content_copy_damage_hidden(copy);
		}
		if (scene_surface && pixman_region32_not_empty(&copy->late) &&
			!staging_in_flight(copy->ring)) {
			/* No buffer was free for them, and another output may show them. */
			scene_surface_damage(scene_surface, &copy->late);
		}
	}
	signal_emit(&device->events.copy_ended, NULL);
}

static bool can_restore(void *data)
{
	const struct source_copy *copy = data;
	return !copy->arrived && copy->surface->current.buffer;
}

void staged_texture_forget(struct staged_texture *staged)
{
	texture_destroy(staged->texture);
	staged->texture = NULL;
	pixman_region32_clear(&staged->stale);
}

void content_copy_forget(struct source_copy *copy)
{
	for (int i = 0; i < STAGING_MAX; i++) {
		staged_texture_forget(&copy->textures[i]);
	}
}

static void make_ring(struct source_copy *copy);

/* Copies in progress end without a callback. */
static void destroy_ring(struct source_copy *copy)
{
	bool in_flight = staging_in_flight(copy->ring);
	staging_ring_destroy(copy->ring);
	copy->ring = NULL;
	if (in_flight) {
		signal_emit(&copy->device->events.copy_ended, NULL);
	}
}

void content_copy_expect(struct source_copy *copy, const struct surface_state *state,
	const pixman_region32_t *damage)
{
	copy->width = state->buffer_width;
	copy->height = state->buffer_height;
	copy->format = state->buffer->format;
	copy->coding = state->coding;
	staging_damage(copy->ring, copy->width, copy->height, copy->format, damage);
}

void content_copy_discard(struct source_copy *copy)
{
	content_copy_forget(copy);
	destroy_ring(copy);
	make_ring(copy);
	if (copy->surface->current.buffer) {
		content_copy_expect(copy, &copy->surface->current, NULL);
	}
	content_charge(copy->content);
}

static void discard(void *data)
{
	content_copy_discard(data);
}

static bool takes(void *data, const struct dmabuf *dmabuf)
{
	struct render_device *device = data;
	return device->renderer->impl->test_import(device->renderer, dmabuf);
}

static void make_ring(struct source_copy *copy)
{
	struct render_device *device = copy->device;
	const struct staging_reader reader = {
		.staging = device->staging,
		.gpu = device->gpu,
		.allocator = device->gpu ? device->allocator : NULL,
		.formats = &device->renderer->texture_formats,
		.takes = takes,
		.data = device,
	};
	const struct staging_user user = {
		.arrived = handle_arrived,
		.can_restore = can_restore,
		.discard = discard,
		.data = copy,
	};
	copy->ring = staging_ring_create(&reader, &user);
	copy->bytes = 0;
	staging_set_seen(copy->ring, copy->content->seen);
}

struct source_copy *content_copy_create(
	struct content *content, void (*arrived)(struct content *content))
{
	struct source_copy *copy = xcalloc(1, sizeof(*copy));
	struct surface *surface = content->surface;
	copy->content = content;
	copy->surface = surface;
	copy->device = content->device;
	copy->arrived = arrived;
	pixman_region32_init(&copy->shown);
	pixman_region32_init(&copy->late);
	pixman_region32_init(&copy->hidden);
	for (int i = 0; i < STAGING_MAX; i++) {
		pixman_region32_init(&copy->textures[i].stale);
	}
	make_ring(copy);
	return copy;
}

void content_copy_destroy(struct source_copy *copy)
{
	if (!copy) {
		return;
	}
	content_copy_forget(copy);
	content_copy_set_due(copy, 0);
	pixman_region32_fini(&copy->shown);
	pixman_region32_fini(&copy->late);
	pixman_region32_fini(&copy->hidden);
	for (int i = 0; i < STAGING_MAX; i++) {
		pixman_region32_fini(&copy->textures[i].stale);
	}
	destroy_ring(copy);
	free(copy);
}

bool content_copy_fits(const struct source_copy *copy, const struct surface_state *state)
{
	const struct pixel_format *format = pixel_format_get(copy->format);
	return copy->width == state->buffer->width && copy->height == state->buffer->height &&
	       copy->format == state->buffer->format &&
	       (!format || !format->yuv || color_coding_equal(copy->coding, state->coding));
}

bool content_copy_has_other(struct content *content, struct buffer *buffer)
{
	return content_choose_uncopied(content, buffer) != SOURCE_NONE &&
	       takes(content->device, buffer_dmabuf(buffer));
}

enum staging_status content_copy_start(struct source_copy *copy, struct buffer *buffer,
	const pixman_region32_t *needed, bool whole, const char **reason)
{
	enum staging_status status = staging_copy(copy->ring, buffer, needed, whole, reason);
	if (status == STAGING_POINTLESS && (!content_copy_has_other(copy->content, buffer) ||
						   backing_store_takes_all(copy->content))) {
		staging_insist(copy->ring);
		status = staging_copy(copy->ring, buffer, needed, whole, reason);
	}
	count_bytes(copy);
	return status;
}

enum content_status content_copy_whole(
	struct source_copy *copy, struct buffer *buffer, const char **reason)
{
	pixman_region32_t all;
	pixman_region32_init_rect(&all, 0, 0, (unsigned)buffer->width, (unsigned)buffer->height);
	enum staging_status status = content_copy_start(copy, buffer, &all, true, reason);
	pixman_region32_fini(&all);
	switch (status) {
	case STAGING_READY: return CONTENT_READY;
	case STAGING_POINTLESS: return CONTENT_REFUSED;
	case STAGING_REFUSED:
		return staging_is_retrying(copy->ring) &&
				       !content_copy_has_other(copy->content, buffer)
			       ? CONTENT_PENDING
			       : CONTENT_REFUSED;
	default: return CONTENT_PENDING;
	}
}

int64_t content_copy_memory(const struct source_copy *copy)
{
	return (int64_t)staging_ring_memory(copy->ring);
}
