/* Surfaces whose buffers live on another GPU: their rings, and the textures of what is in them. */

#include "content/device.h"
#include "prime.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <stdlib.h>

struct prime {
	struct surface *surface;
	struct render_device *device;
	struct staging_ring *ring;
	uint64_t bytes; /* of the ring that the surface's account has */
	struct texture *textures[STAGING_MAX];
	uint64_t serials[STAGING_MAX];
	unsigned read; /* parts that the pass being recorded reads, by index */
	pixman_region32_t shown; /* what was needed last: buffer pixels */
	int64_t due; /* our part of render_device.copies_due */
	struct wl_list reading_link; /* render_device.reading; empty: none */
	struct wl_listener visible;
};

static void set_due(struct prime *prime, int64_t due)
{
	int64_t more = due - prime->due;
	prime->device->copies_due += more;
	prime->due = due;
	if (more > 0) {
		signal_emit(&prime->device->events.copies_due, NULL);
	}
}

static void account(struct prime *prime)
{
	uint64_t bytes = staging_stats(prime->ring).bytes;
	if (bytes == prime->bytes) {
		return;
	}
	prime->surface->bytes_copied += bytes - prime->bytes;
	rate_add(&prime->surface->copy_rate, bytes - prime->bytes,
		clock_now(prime->device->copier->clock));
	prime->bytes = bytes;
}

/* What has come, or failed to, is drawn by whoever shows it. */
static void handle_arrived(void *data, const pixman_region32_t *region)
{
	struct prime *prime = data;
	struct scene_surface *scene_surface = scene_surface_find(prime->surface);
	if (scene_surface) {
		scene_surface_damage(scene_surface, region);
	}
	signal_emit(&prime->device->events.copy_ended, NULL);
}

static bool can_restore(void *data)
{
	const struct prime *prime = data;
	return prime->surface->current.buffer != NULL;
}

static void forget_textures(struct prime *prime)
{
	for (int i = 0; i < STAGING_MAX; i++) {
		texture_destroy(prime->textures[i]);
		prime->textures[i] = NULL;
	}
}

static void make_ring(struct prime *prime);

/* Of copies that are under way nobody hears. */
static void destroy_ring(struct prime *prime)
{
	bool in_flight = staging_in_flight(prime->ring);
	staging_ring_destroy(prime->ring);
	prime->ring = NULL;
	if (in_flight) {
		signal_emit(&prime->device->events.copy_ended, NULL);
	}
}

static void discard(void *data)
{
	struct prime *prime = data;
	forget_textures(prime);
	destroy_ring(prime);
	make_ring(prime);
}

static void damage_all(struct prime *prime)
{
	const struct surface_state *state = &prime->surface->current;
	if (state->buffer) {
		staging_damage(prime->ring, state->buffer_width, state->buffer_height,
			state->buffer->format, NULL);
	}
}

static bool takes(void *data, const struct dmabuf *dmabuf)
{
	struct render_device *device = data;
	return device->renderer->impl->test_import(device->renderer, dmabuf);
}

static void make_ring(struct prime *prime)
{
	struct render_device *device = prime->device;
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
		.data = prime,
	};
	prime->ring = staging_ring_create(&reader, &user);
	prime->bytes = 0;
	staging_set_seen(prime->ring, prime->surface->visible);
	damage_all(prime);
}

static void handle_visible(struct wl_listener *listener, void *data)
{
	struct prime *prime = wl_container_of(listener, prime, visible);
	staging_set_seen(prime->ring, prime->surface->visible);
	if (!prime->surface->visible) {
		set_due(prime, 0);
	}
}

struct prime *prime_create(struct surface *surface, struct render_device *device)
{
	struct prime *prime = xcalloc(1, sizeof(*prime));
	prime->surface = surface;
	prime->device = device;
	wl_list_init(&prime->reading_link);
	pixman_region32_init(&prime->shown);
	prime->visible.notify = handle_visible;
	wl_signal_add(&surface->events.visible, &prime->visible);
	make_ring(prime);
	return prime;
}

void prime_destroy(struct prime *prime)
{
	if (!prime) {
		return;
	}
	forget_textures(prime);
	set_due(prime, 0);
	pixman_region32_fini(&prime->shown);
	destroy_ring(prime);
	wl_list_remove(&prime->reading_link);
	wl_list_remove(&prime->visible.link);
	free(prime);
}

void prime_applied(struct prime *prime)
{
	const struct surface_state *state = &prime->surface->current;
	if (!state->buffer) {
		return;
	}
	bool in_flight = staging_in_flight(prime->ring);
	staging_damage(prime->ring, state->buffer_width, state->buffer_height,
		state->buffer->format, &state->buffer_damage);
	if (in_flight && !staging_in_flight(prime->ring)) {
		/* Another size: what was under way goes on unheard of. */
		signal_emit(&prime->device->events.copy_ended, NULL);
	}
	/* What nobody sees is not copied. */
	set_due(prime, prime->surface->visible ? staging_predict(prime->ring, &prime->shown) : 0);
}

enum content_status prime_prepare(struct prime *prime, struct buffer *buffer,
	const pixman_region32_t *needed, bool whole, bool *refused)
{
	const char *reason = NULL;
	pixman_region32_copy(&prime->shown, (pixman_region32_t *)needed);
	set_due(prime, 0);
	enum staging_status status = staging_copy(prime->ring, buffer, needed, whole, &reason);
	account(prime);
	/* What was copied once is better than nothing: the last good picture stays. */
	*refused = status == STAGING_REFUSED && staging_stats(prime->ring).copies == 0;
	return status == STAGING_READY     ? CONTENT_READY
	       : status == STAGING_REFUSED ? CONTENT_NONE
					   : CONTENT_PENDING;
}

const char *prime_engine(const struct prime *prime)
{
	return staging_stats(prime->ring).engine;
}

bool prime_is_complete(const struct prime *prime)
{
	return staging_is_complete(prime->ring);
}

int64_t prime_late_since(const struct prime *prime, const pixman_region32_t *needed)
{
	int64_t since = staging_since(prime->ring);
	return since && staging_status(prime->ring, needed) != STAGING_READY ? since : 0;
}

int prime_parts(struct prime *prime, const pixman_region32_t *needed,
	struct staging_part parts[static STAGING_MAX])
{
	return staging_parts(prime->ring, needed, parts);
}

struct buffer *prime_whole(struct prime *prime)
{
	const struct surface_state *state = &prime->surface->current;
	const struct box box = {0, 0, state->buffer_width, state->buffer_height};
	struct staging_part parts[STAGING_MAX];
	struct buffer *buffer = NULL;
	pixman_region32_t all;
	pixman_region32_init_rect(&all, 0, 0, (unsigned)box.width, (unsigned)box.height);
	int n = staging_parts(prime->ring, &all, parts);
	if (n == 1 && pixman_region32_equal(&parts[0].region, &all)) {
		buffer = parts[0].buffer;
	}
	staging_parts_finish(parts, n);
	pixman_region32_fini(&all);
	return buffer;
}

struct texture *prime_texture(struct prime *prime, const struct staging_part *part)
{
	struct texture **texture = &prime->textures[part->index];
	bool holds;
	if (*texture && prime->serials[part->index] != part->serial) {
		texture_destroy(*texture);
		*texture = NULL;
	}
	if (!*texture && !renderer_texture_update(
				 prime->device->renderer, texture, part->buffer, NULL, &holds)) {
		return NULL;
	}
	prime->serials[part->index] = part->serial;
	prime->read |= 1u << part->index;
	if (wl_list_empty(&prime->reading_link)) {
		wl_list_insert(&prime->device->reading, &prime->reading_link);
	}
	return *texture;
}

void prime_import(struct prime *prime, const pixman_region32_t *needed)
{
	struct staging_part parts[STAGING_MAX];
	int n = staging_parts(prime->ring, needed, parts);
	for (int i = 0; i < n; i++) {
		prime_texture(prime, &parts[i]);
	}
	staging_parts_finish(parts, n);
}

void prime_pass_ended(struct render_device *device, int fence)
{
	while (!wl_list_empty(&device->reading)) {
		struct prime *prime = wl_container_of(device->reading.next, prime, reading_link);
		for (int i = 0; i < STAGING_MAX; i++) {
			if (prime->read & 1u << i) {
				staging_read(prime->ring, i, fence);
			}
		}
		prime->read = 0;
		wl_list_remove(&prime->reading_link);
		wl_list_init(&prime->reading_link);
	}
}
