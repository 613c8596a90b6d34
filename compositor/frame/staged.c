/* Surfaces whose buffers live on another GPU: their rings, and the textures of what is in them. */

#include "frame/staged.h"
#include "frame/frame.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <stdlib.h>

struct staged {
	struct surface *surface;
	struct frame_device *device;
	struct staging_ring *ring;
	uint64_t bytes; /* of the ring that the surface's account has */
	struct texture *textures[STAGING_MAX];
	uint64_t serials[STAGING_MAX];
	unsigned read; /* parts that the pass being recorded reads, by index */
	pixman_region32_t shown; /* what was needed last: buffer pixels */
	int64_t due; /* our part of frame_device.copies_due */
	struct wl_list reading_link; /* frame_device.reading; empty: none */
	struct wl_listener visible;
};

static void set_due(struct staged *staged, int64_t due)
{
	int64_t more = due - staged->due;
	staged->device->copies_due += more;
	staged->due = due;
	if (more > 0) {
		signal_emit(&staged->device->due, NULL);
	}
}

static void account(struct staged *staged)
{
	uint64_t bytes = staging_stats(staged->ring).bytes;
	if (bytes == staged->bytes) {
		return;
	}
	staged->surface->bytes_copied += bytes - staged->bytes;
	rate_add(&staged->surface->copy_rate, bytes - staged->bytes,
		clock_now(staged->device->copier->clock));
	staged->bytes = bytes;
}

/* What has come, or failed to, is drawn by whoever shows it. */
static void handle_arrived(void *data, const pixman_region32_t *region)
{
	struct staged *staged = data;
	struct scene_surface *scene_surface = scene_surface_find(staged->surface);
	if (scene_surface) {
		scene_surface_damage(scene_surface, region);
	}
	signal_emit(&staged->device->arrived, NULL);
}

static bool can_restore(void *data)
{
	const struct staged *staged = data;
	return staged->surface->current.buffer != NULL;
}

static void forget_textures(struct staged *staged)
{
	for (int i = 0; i < STAGING_MAX; i++) {
		texture_destroy(staged->textures[i]);
		staged->textures[i] = NULL;
	}
}

static void make_ring(struct staged *staged);

/* Of copies that are under way nobody hears. */
static void destroy_ring(struct staged *staged)
{
	bool in_flight = staging_in_flight(staged->ring);
	staging_ring_destroy(staged->ring);
	staged->ring = NULL;
	if (in_flight) {
		signal_emit(&staged->device->arrived, NULL);
	}
}

static void discard(void *data)
{
	struct staged *staged = data;
	forget_textures(staged);
	destroy_ring(staged);
	make_ring(staged);
}

static void damage_all(struct staged *staged)
{
	const struct surface_state *state = &staged->surface->current;
	if (state->buffer) {
		staging_damage(staged->ring, state->buffer_width, state->buffer_height,
			state->buffer->format, NULL);
	}
}

static bool takes(void *data, const struct dmabuf *dmabuf)
{
	struct frame_device *device = data;
	return device->renderer->impl->test_import(device->renderer, dmabuf);
}

static void make_ring(struct staged *staged)
{
	struct frame_device *device = staged->device;
	const struct staging_reader reader = {
		.copier = device->copier,
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
		.data = staged,
	};
	staged->ring = staging_ring_create(&reader, &user);
	staged->bytes = 0;
	staging_set_seen(staged->ring, staged->surface->visible);
	damage_all(staged);
}

static void handle_visible(struct wl_listener *listener, void *data)
{
	struct staged *staged = wl_container_of(listener, staged, visible);
	staging_set_seen(staged->ring, staged->surface->visible);
	if (!staged->surface->visible) {
		set_due(staged, 0);
	}
}

struct staged *staged_create(struct surface *surface, struct frame_device *device)
{
	struct staged *staged = xcalloc(1, sizeof(*staged));
	staged->surface = surface;
	staged->device = device;
	wl_list_init(&staged->reading_link);
	pixman_region32_init(&staged->shown);
	staged->visible.notify = handle_visible;
	wl_signal_add(&surface->events.visible, &staged->visible);
	make_ring(staged);
	return staged;
}

void staged_destroy(struct staged *staged)
{
	if (!staged) {
		return;
	}
	forget_textures(staged);
	set_due(staged, 0);
	pixman_region32_fini(&staged->shown);
	destroy_ring(staged);
	wl_list_remove(&staged->reading_link);
	wl_list_remove(&staged->visible.link);
	free(staged);
}

void staged_applied(struct staged *staged)
{
	const struct surface_state *state = &staged->surface->current;
	if (!state->buffer) {
		return;
	}
	bool in_flight = staging_in_flight(staged->ring);
	staging_damage(staged->ring, state->buffer_width, state->buffer_height,
		state->buffer->format, &state->buffer_damage);
	if (in_flight && !staging_in_flight(staged->ring)) {
		/* Another size: what was under way goes on unheard of. */
		signal_emit(&staged->device->arrived, NULL);
	}
	/* What nobody sees is not copied. */
	set_due(staged,
		staged->surface->visible ? staging_predict(staged->ring, &staged->shown) : 0);
}

enum content_status staged_prepare(struct staged *staged, struct buffer *buffer,
	const pixman_region32_t *needed, bool whole, bool *refused)
{
	const char *reason = NULL;
	pixman_region32_copy(&staged->shown, (pixman_region32_t *)needed);
	set_due(staged, 0);
	enum staging_status status = staging_copy(staged->ring, buffer, needed, whole, &reason);
	account(staged);
	/* What was copied once is better than nothing: the last good picture stays. */
	*refused = status == STAGING_REFUSED && staging_stats(staged->ring).copies == 0;
	return status == STAGING_READY     ? CONTENT_READY
	       : status == STAGING_REFUSED ? CONTENT_NONE
					   : CONTENT_PENDING;
}

const char *staged_engine(const struct staged *staged)
{
	return staging_stats(staged->ring).engine;
}

bool staged_is_complete(const struct staged *staged)
{
	return staging_is_complete(staged->ring);
}

int64_t staged_late_since(const struct staged *staged, const pixman_region32_t *needed)
{
	int64_t since = staging_since(staged->ring);
	return since && staging_status(staged->ring, needed) != STAGING_READY ? since : 0;
}

int staged_parts(struct staged *staged, const pixman_region32_t *needed,
	struct staging_part parts[static STAGING_MAX])
{
	return staging_parts(staged->ring, needed, parts);
}

struct buffer *staged_whole(struct staged *staged)
{
	const struct surface_state *state = &staged->surface->current;
	const struct box box = {0, 0, state->buffer_width, state->buffer_height};
	struct staging_part parts[STAGING_MAX];
	struct buffer *buffer = NULL;
	pixman_region32_t all;
	pixman_region32_init_rect(&all, 0, 0, (unsigned)box.width, (unsigned)box.height);
	int n = staging_parts(staged->ring, &all, parts);
	if (n == 1 && pixman_region32_equal(&parts[0].region, &all)) {
		buffer = parts[0].buffer;
	}
	staging_parts_finish(parts, n);
	pixman_region32_fini(&all);
	return buffer;
}

struct texture *staged_texture(struct staged *staged, const struct staging_part *part)
{
	struct texture **texture = &staged->textures[part->index];
	bool holds;
	if (*texture && staged->serials[part->index] != part->serial) {
		texture_destroy(*texture);
		*texture = NULL;
	}
	if (!*texture && !renderer_texture_update(
				 staged->device->renderer, texture, part->buffer, NULL, &holds)) {
		return NULL;
	}
	staged->serials[part->index] = part->serial;
	staged->read |= 1u << part->index;
	if (wl_list_empty(&staged->reading_link)) {
		wl_list_insert(&staged->device->reading, &staged->reading_link);
	}
	return *texture;
}

void staged_import(struct staged *staged, const pixman_region32_t *needed)
{
	struct staging_part parts[STAGING_MAX];
	int n = staging_parts(staged->ring, needed, parts);
	for (int i = 0; i < n; i++) {
		staged_texture(staged, &parts[i]);
	}
	staging_parts_finish(parts, n);
}

void staged_pass_ended(struct frame_device *device, int fence)
{
	while (!wl_list_empty(&device->reading)) {
		struct staged *staged = wl_container_of(device->reading.next, staged, reading_link);
		for (int i = 0; i < STAGING_MAX; i++) {
			if (staged->read & 1u << i) {
				staging_read(staged->ring, i, fence);
			}
		}
		staged->read = 0;
		wl_list_remove(&staged->reading_link);
		wl_list_init(&staged->reading_link);
	}
}
