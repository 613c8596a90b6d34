/* Source: copies of a dma-buf of another GPU, in a ring of staging buffers, each with a texture. */

#include "content/device.h"
#include "internal.h"
#include "staging/staging.h"
#include "util/region.h"
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

static struct prime *create_prime(struct surface *surface, struct render_device *device)
{
	struct prime *prime = xcalloc(1, sizeof(*prime));
	prime->surface = surface;
	prime->device = device;
	pixman_region32_init(&prime->shown);
	prime->visible.notify = handle_visible;
	wl_signal_add(&surface->events.visible, &prime->visible);
	make_ring(prime);
	return prime;
}

static void leave(struct content *content)
{
	struct prime *prime = content->prime;
	content->prime = NULL;
	if (prime) {
		forget_textures(prime);
		set_due(prime, 0);
		pixman_region32_fini(&prime->shown);
		destroy_ring(prime);
		wl_list_remove(&prime->visible.link);
		free(prime);
	}
}

static void applied(struct content *content)
{
	struct prime *prime = content->prime;
	const struct surface_state *state = &content->surface->current;
	if (!state->buffer) {
		return;
	}
	bool in_flight = staging_in_flight(prime->ring);
	staging_damage(prime->ring, state->buffer_width, state->buffer_height,
		state->buffer->format, &state->buffer_damage);
	if (in_flight && !staging_in_flight(prime->ring)) {
		/* The size has changed: the copy in progress ends unnoticed. */
		signal_emit(&prime->device->events.copy_ended, NULL);
	}
	/* Only pixels of visible surfaces are copied. */
	set_due(prime, content->surface->visible ? staging_predict(prime->ring, &prime->shown) : 0);
}

/* The texture of another source is of no more use. */
static void enter(struct content *content)
{
	content->prime = create_prime(content->surface, content->device);
	texture_destroy(content->texture);
	content->texture = NULL;
	content->uploaded = 0;
	if (!content->deferred.blocker.update) {
		content_drop_upload(content);
	}
	buffer_replace(&content->held, NULL);
}

static enum content_status prepare(
	struct content *content, struct buffer *buffer, const pixman_region32_t *needed)
{
	if (!content->prime) {
		enter(content);
	}
	struct prime *prime = content->prime;
	const char *reason = NULL;
	if (needed) {
		pixman_region32_copy(&prime->shown, (pixman_region32_t *)needed);
	} else {
		region_set_box(&prime->shown, &(struct box){0, 0, buffer->width, buffer->height});
	}
	set_due(prime, 0);
	enum staging_status status =
		staging_copy(prime->ring, buffer, &prime->shown, content->filtered, &reason);
	account(prime);
	if (status == STAGING_REFUSED && staging_stats(prime->ring).copies == 0) {
		content->refused = true;
		content_miss_all(content);
		return CONTENT_REFUSED;
	}
	if (status == STAGING_READY) {
		content_release_if_complete(content);
		return CONTENT_READY;
	}
	/* After a refusal, the last copy stays on screen. */
	return status == STAGING_REFUSED ? CONTENT_NONE : CONTENT_PENDING;
}

static bool is_complete(const struct content *content)
{
	return !content->prime || staging_is_complete(content->prime->ring);
}

int64_t content_prime_since(const struct content *content, const pixman_region32_t *needed)
{
	struct staging_ring *ring = content->prime ? content->prime->ring : NULL;
	int64_t since = ring ? staging_since(ring) : 0;
	return since && staging_status(ring, needed) != STAGING_READY ? since : 0;
}

const char *content_prime_engine(const struct content *content)
{
	return content->prime ? staging_stats(content->prime->ring).engine : NULL;
}

static struct buffer *plane_buffer(const struct content *content)
{
	const struct surface_state *state = &content->surface->current;
	const struct box box = {0, 0, state->buffer_width, state->buffer_height};
	struct staging_part parts[STAGING_MAX];
	struct buffer *buffer = NULL;
	if (!content->prime) {
		return NULL;
	}
	pixman_region32_t all;
	pixman_region32_init_rect(&all, 0, 0, (unsigned)box.width, (unsigned)box.height);
	int n = staging_parts(content->prime->ring, &all, parts);
	if (n == 1 && pixman_region32_equal(&parts[0].region, &all)) {
		buffer = parts[0].buffer;
	}
	staging_parts_finish(parts, n);
	pixman_region32_fini(&all);
	return buffer;
}

/* The texture of a staging buffer, which the pass being recorded reads; NULL if the import failed. */
static struct texture *get_texture(struct content *content, const struct staging_part *part)
{
	struct prime *prime = content->prime;
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
	content_mark_read(content);
	return *texture;
}

static int find_parts(struct content *content, const pixman_region32_t *needed,
	struct content_part parts[static CONTENT_PARTS_MAX])
{
	_Static_assert(STAGING_MAX <= CONTENT_PARTS_MAX, "each staging buffer may be a part");
	struct staging_part staging[STAGING_MAX];
	int n = 0;
	int n_staging = staging_parts(content->prime->ring, needed, staging);
	for (int i = 0; i < n_staging; i++) {
		struct texture *texture = get_texture(content, &staging[i]);
		if (texture) {
			parts[n].texture = texture;
			pixman_region32_init(&parts[n].region);
			pixman_region32_copy(&parts[n].region, &staging[i].region);
			n++;
		}
	}
	staging_parts_finish(staging, n_staging);
	return n;
}

static void before_pass(struct content *content, const pixman_region32_t *needed)
{
	struct content_part parts[CONTENT_PARTS_MAX];
	content_parts_finish(parts, find_parts(content, needed, parts));
}

static void pass_ended(struct content *content, int fence)
{
	struct prime *prime = content->prime;
	for (int i = 0; i < STAGING_MAX; i++) {
		if (prime->read & 1u << i) {
			staging_read(prime->ring, i, fence);
		}
	}
	prime->read = 0;
}

const struct content_source_impl content_source_prime = {
	.source = SOURCE_COPY,
	.prepare = prepare,
	.applied = applied,
	.before_pass = before_pass,
	.parts = find_parts,
	.pass_ended = pass_ended,
	.plane_buffer = plane_buffer,
	.is_complete = is_complete,
	.leave = leave,
};
