/* SPDX-License-Identifier: MIT */
/*
 * Backing stores: copies of surfaces for clients that draw into their only buffer again, and wait
 * until it is released.
 *
 * Without one, a buffer stays locked while a device misses pixels of it that it does not show, or
 * while a renderer reads it in place. If the client has no other buffer and does not commit for a
 * while, the missing pixels are copied, and the buffer is released. If the client then draws at
 * once, it was waiting: its later updates are copied in the frame that shows them. The CPU copies
 * shm (cpu_copy.c). Buffers of GPUs are copied by a device that reads them in place (gpu_copy.c),
 * or to the staging buffers of all devices.
 */

#include "buffer/shm.h"
#include "content/device.h"
#include "internal.h"
#include "util/account.h"
#include "util/xalloc.h"
#include <stdlib.h>

/* Time (ns) without commits after which the client may wait for its buffer. */
#define QUIET INT64_C(200000000)
/* Time (ns) after the release within which a client that has waited draws. */
#define ANSWER INT64_C(400000000)
/* Time (ns) after which the buffer of a client known to wait is released without a frame. */
#define UNSEEN INT64_C(33333333)
/* Bytes that one turn of the event loop, and one frame, copies at most. */
#define TURN_BYTES ((int64_t)2 << 20)
#define FRAME_BYTES ((int64_t)8 << 20)
/* Time (ns) before another try if memory was short, doubled by each failure up to LATEST_RETRY. */
#define RETRY INT64_C(1000000000)
#define LATEST_RETRY INT64_C(30000000000)

static void destroy_store(struct addon *addon)
{
	struct backing_store *store = wl_container_of(addon, store, addon);
	struct content *content, *next;
	wl_list_for_each_safe (content, next, &store->contents, store_link) {
		wl_list_remove(&content->store_link);
		wl_list_init(&content->store_link);
		content->store = NULL;
	}
	addon_finish(addon);
	frame_wait_finish(&store->called);
	wl_list_remove(&store->applied.link);
	for (int i = 0; i < 2; i++) {
		wl_list_remove(&store->buffers[i].destroyed.link);
	}
	if (store->timer.clock) {
		timer_finish(&store->timer);
	}
	gpu_copy_drop(store);
	cpu_copy_drop(store);
	account_unref(store->account);
	pixman_region32_fini(&store->missing);
	free(store);
}

static const struct addon_impl addon_impl = {.name = "backing store", .destroy = destroy_store};

/* Returns whether the CPU copies the pixels to system memory. */
static bool can_copy(const struct buffer *buffer)
{
	return buffer_is_shm(buffer);
}

/* Returns whether the client can draw the next update without `current`. */
static bool has_other(const struct backing_store *store, const struct buffer *current)
{
	const struct buffer *other = store->other->buffer;
	return other && other->width == current->width && other->height == current->height;
}

/* Continues with the rest, or tries again later. */
static void go_on(struct backing_store *store, enum saved saved, int64_t now)
{
	switch (saved) {
	case SAVED_ALL: store->retry = 0; break;
	case SAVED_PART: timer_arm_soon(&store->timer, now); break;
	case SAVED_NONE:
		if (!store->timer.armed) {
			store->retry = store->retry ? store->retry * 2 : RETRY;
			store->retry = store->retry < LATEST_RETRY ? store->retry : LATEST_RETRY;
			timer_arm(&store->timer, now + store->retry);
		}
		break;
	}
}

/* The devices take the copy as they would take another buffer of the client. */
static void handle_replaced(struct backing_store *store)
{
	struct scene_surface *node = scene_surface_find(store->surface);
	const struct buffer *buffer = store->surface->current.buffer;
	struct content *content;
	wl_list_for_each (content, &store->contents, store_link) {
		if (content->held) {
			content->stale = true;
			buffer_replace(&content->held, NULL);
		}
	}
	store->released = clock_now(store->timer.clock);
	if (node && !store->eager) {
		/* A plane may show the client's buffer. */
		pixman_region32_t all;
		pixman_region32_init_rect(
			&all, 0, 0, (unsigned)buffer->width, (unsigned)buffer->height);
		scene_surface_damage(node, &all);
		pixman_region32_fini(&all);
	}
}

static enum saved prepare_on(struct backing_store *store, struct render_device *device)
{
	if (!device->renderer) {
		return SAVED_ALL;
	}
	struct content *content = store->get_content(store->surface, device);
	if (content->held) {
		return SAVED_ALL;
	}
	enum content_status status = store->prepare(content, NULL);
	content->unneeded = status == CONTENT_NONE && !content->source;
	return status == CONTENT_READY || content->unneeded ? SAVED_ALL
	       : status == CONTENT_PENDING                  ? SAVED_PART
							    : SAVED_NONE;
}

/* Copies all pixels to the textures and staging buffers of all devices. */
static enum saved prepare_all(struct backing_store *store)
{
	struct content_device *peer, *self = content_device_from(store->device);
	enum saved saved = prepare_on(store, store->device);
	wl_list_for_each (peer, &self->peers, peers) {
		enum saved own = prepare_on(store, &peer->base);
		saved = own > saved ? own : saved;
	}
	struct content *content = content_find(store->surface, store->device);
	if (saved == SAVED_ALL && content && store->surface->current.buffer) {
		content_release_if_complete(content);
	}
	return saved;
}

static enum gpu_copy_status copy_on_gpu(struct backing_store *store, struct buffer *buffer)
{
	return gpu_copy_is_possible(store, buffer) ? gpu_copy_begin(store) : GPU_COPY_IMPOSSIBLE;
}

/* Saves a buffer of a GPU: by a copy there, or in all devices that need it. */
static void save_on_gpus(struct backing_store *store, struct buffer *buffer, int64_t now)
{
	/* Preparing contents must not start another wait. */
	store->tried = true;
	enum gpu_copy_status status = copy_on_gpu(store, buffer);
	enum saved saved = SAVED_ALL;
	if (status == GPU_COPY_IMPOSSIBLE) {
		store->released = now;
		saved = store->device ? prepare_all(store) : SAVED_ALL;
		if (saved == SAVED_ALL && store->surface->current.buffer == buffer) {
			/* A device may have begun to read the buffer in place. */
			status = copy_on_gpu(store, buffer);
		}
	}
	saved = status == GPU_COPY_FAILED ? SAVED_NONE : saved;
	store->tried = saved == SAVED_ALL;
	if (saved == SAVED_PART) {
		timer_arm(&store->timer, now + UNSEEN);
	} else {
		go_on(store, saved, now);
	}
}

/* Returns whether the end of an upload, or of a udmabuf's use, will soon release the buffer. */
static bool is_busy(const struct backing_store *store)
{
	const struct content *content;
	wl_list_for_each (content, &store->contents, store_link) {
		if (content->pool.buffer || content->deferred.upload) {
			return true;
		}
	}
	return false;
}

/*
 * Returns whether buffers of another GPU may be copied as a whole: the memory of copies that are
 * not seen is needed elsewhere.
 */
static bool is_worth_copies(const struct backing_store *store, struct buffer *buffer)
{
	return store->surface->visible || store->eager || gpu_copy_is_possible(store, buffer);
}

static void handle_timer(struct timer *timer, int64_t now)
{
	struct backing_store *store = wl_container_of(timer, store, timer);
	struct buffer *buffer = store->surface->current.buffer;
	if (!buffer || has_other(store, buffer) || gpu_copy_is_shown(store) ||
		store->surface->n_queued > 0) {
		return; /* queued updates have another buffer, or will wait for this one */
	}
	if (!store->eager && now - store->changed < QUIET) {
		timer_arm(timer, store->changed + QUIET);
	} else if (is_busy(store)) {
		timer_arm(timer, now + QUIET);
	} else if (can_copy(buffer)) {
		go_on(store, cpu_copy_save(store, TURN_BYTES), now);
	} else if (is_worth_copies(store, buffer)) {
		save_on_gpus(store, buffer, now);
	}
}

/* Starts to wait for a pause, unless the wait has begun. */
static void wait(struct backing_store *store, struct buffer *buffer)
{
	const int64_t when = store->changed + (store->eager ? UNSEEN : QUIET);
	if (store->tried || has_other(store, buffer) || !store->surface->in_scene ||
		(frame_wait_is_active(&store->called) && !store->eager) ||
		gpu_copy_is_shown(store) || !(can_copy(buffer) || is_worth_copies(store, buffer))) {
		timer_disarm(&store->timer);
	} else if (!store->timer.armed || when < store->timer.when) {
		timer_arm(&store->timer, when);
	}
}

/* Notes the buffer of an update, and whether the client has waited for it. */
static void note_buffer(struct backing_store *store, struct buffer *buffer)
{
	if (buffer == store->last->buffer) {
		if (store->released && !has_other(store, buffer) &&
			clock_now(store->timer.clock) - store->released <= ANSWER) {
			store->eager = true;
		}
		return;
	}
	struct client_buffer *latest = store->other;
	store->other = store->last;
	store->last = latest;
	/* A client that resizes its window replaces its only buffer by another one. */
	store->eager = store->eager && !latest->buffer;
	if (buffer != latest->buffer) {
		wl_list_remove(&latest->destroyed.link);
		latest->buffer = buffer;
		signal_add(&buffer->events.destroy, &latest->destroyed, latest->destroyed.notify);
	}
}

static void follow_damage(struct backing_store *store)
{
	const struct surface_state *state = &store->surface->current;
	const struct buffer *copy = store->copy;
	if (!copy || !store->eager || copy->format != state->buffer->format ||
		copy->width != state->buffer_width || copy->height != state->buffer_height) {
		cpu_copy_drop(store);
		return;
	}
	pixman_region32_union(
		&store->missing, &store->missing, (pixman_region32_t *)&state->buffer_damage);
}

static void handle_called(struct frame_wait *called)
{
	struct backing_store *store = wl_container_of(called, store, called);
	struct buffer *buffer = store->surface->current.buffer;
	store->changed = clock_now(store->timer.clock);
	if (buffer) {
		wait(store, buffer);
	}
}

/*
 * Until it has its frame callback, which comes rarely to hidden clients, the client waits for that,
 * and may then draw into a buffer that it has yet to create.
 */
static void await_callback(struct backing_store *store)
{
	struct surface_state *state = &store->surface->current;
	if (!wl_list_empty(&state->frame_callbacks)) {
		frame_wait_begin(&store->called, state);
	}
}

/* Drops the copy, which the client does not need, and ends the wait. */
static void rest(struct backing_store *store)
{
	if (store->copy) {
		cpu_copy_drop(store);
	}
	if (store->timer.armed) {
		timer_disarm(&store->timer);
	}
}

/* Returns whether the buffer has pixels of its own. All buffers of `buffers` have. */
static bool has_pixels(const struct backing_store *store, struct buffer *buffer)
{
	float color[4];
	return buffer && (buffer == store->other->buffer || buffer == store->last->buffer ||
				 !buffer_color(buffer, color));
}

void backing_store_applied(struct backing_store *store)
{
	const struct surface_state *state = &store->surface->current;
	const bool attached = state->fields & SURFACE_BUFFER;
	if (!store->timer.clock) {
		return;
	}
	if (attached && (store->gpu.of || store->gpu.buffer)) {
		gpu_copy_end(&store->gpu);
	}
	if (attached) {
		store->gpu.shown = NULL;
	}
	if (!has_pixels(store, state->buffer)) {
		if (attached) {
			gpu_copy_drop(store);
			store->eager = false;
			rest(store);
		}
		return;
	}
	if (attached) {
		note_buffer(store, state->buffer);
		store->released = 0;
		store->retry = 0;
		if (!store->eager) {
			gpu_copy_drop(store);
		}
	}
	store->tried = !store->eager && has_other(store, state->buffer);
	if (store->tried) {
		rest(store);
		return;
	}
	if (attached) {
		store->changed = clock_now(store->timer.clock);
	}
	follow_damage(store);
	await_callback(store);
	wait(store, state->buffer);
}

/* While no device has a content. */
static void handle_applied(struct wl_listener *listener, void *data)
{
	struct backing_store *store = wl_container_of(listener, store, applied);
	backing_store_applied(store);
}

static void handle_destroyed(struct wl_listener *listener, void *data)
{
	struct client_buffer *gone = wl_container_of(listener, gone, destroyed);
	struct backing_store *store = gone->store;
	struct buffer *buffer = store->surface->current.buffer;
	const bool had_other = buffer && has_other(store, buffer);
	wl_list_remove(&listener->link);
	wl_list_init(&listener->link);
	gone->buffer = NULL;
	if (had_other && !has_other(store, buffer)) {
		/* The client is left with one buffer. */
		store->tried = false;
		store->changed = clock_now(store->timer.clock);
		await_callback(store);
		wait(store, buffer);
	}
}

static struct backing_store *create_store(struct surface *surface)
{
	struct backing_store *store = xcalloc(1, sizeof(*store));
	store->surface = surface;
	store->account = account_ref(surface_account(surface));
	wl_list_init(&store->contents);
	frame_wait_init(&store->called, handle_called);
	wl_list_init(&store->applied.link);
	store->last = &store->buffers[0];
	store->other = &store->buffers[1];
	for (int i = 0; i < 2; i++) {
		store->buffers[i] = (struct client_buffer){
			.store = store, .destroyed.notify = handle_destroyed};
		wl_list_init(&store->buffers[i].destroyed.link);
	}
	pixman_region32_init(&store->missing);
	gpu_copy_init(store);
	store->replaced = handle_replaced;
	addon_init(&store->addon, &surface->addons, NULL, &addon_impl);
	if (surface->clock) {
		timer_init(&store->timer, surface->clock, handle_timer);
		signal_add(&surface->events.applied, &store->applied, handle_applied);
	}
	return store;
}

struct backing_store *backing_store_get(struct surface *surface)
{
	struct addon *addon = addon_find(&surface->addons, NULL, &addon_impl);
	struct backing_store *store;
	return addon ? wl_container_of(addon, store, addon) : create_store(surface);
}

void backing_store_join(struct content *content)
{
	struct backing_store *store = backing_store_get(content->surface);
	content->store = store;
	wl_list_insert(&store->contents, &content->store_link);
	wl_list_remove(&store->applied.link);
	wl_list_init(&store->applied.link);
}

void backing_store_leave(struct content *content)
{
	struct backing_store *store = content->store;
	wl_list_remove(&content->store_link);
	if (store && store->timer.clock && wl_list_empty(&store->contents)) {
		signal_add(&content->surface->events.applied, &store->applied, handle_applied);
	}
}

bool backing_store_takes_all(const struct content *content)
{
	const struct buffer *buffer = content->surface->current.buffer;
	return content->store->eager && buffer && !can_copy(buffer);
}

bool backing_store_reads_in_place(const struct content *content)
{
	struct buffer *buffer = content->surface->current.buffer;
	return content->store->eager && content->source == &content_source_texture &&
	       gpu_copy_is_possible(content->store, buffer);
}

bool backing_store_update(struct content *content)
{
	struct backing_store *store = content->store;
	struct buffer *buffer = content->surface->current.buffer;
	if (!buffer || !store->timer.clock) {
		return false;
	}
	if (store->eager && !store->tried && content->held == buffer && buffer_dmabuf(buffer)) {
		/* The GPU copies after the pass that reads the buffer. */
		timer_arm_soon(&store->timer, clock_now(store->timer.clock));
		return false;
	}
	if (!store->eager || !can_copy(buffer) || is_busy(store)) {
		if (!store->timer.armed && !store->tried) {
			wait(store, buffer);
		}
		return false;
	}
	go_on(store, cpu_copy_save(store, FRAME_BYTES), clock_now(store->timer.clock));
	return !content->surface->current.buffer;
}

struct buffer *backing_store_buffer(const struct content *content, const pixman_region32_t *needed)
{
	struct backing_store *store = content->store;
	if (!store->copy || !pixman_region32_not_empty(&store->missing)) {
		return store->copy;
	}
	pixman_region32_t due;
	pixman_region32_init(&due);
	pixman_region32_copy(&due, &store->missing);
	if (content_fits(content, store->copy)) {
		pixman_region32_intersect(&due, &due, (pixman_region32_t *)&content->missing);
		if (needed) {
			pixman_region32_intersect(&due, &due, (pixman_region32_t *)needed);
		}
	}
	bool has_all = !pixman_region32_not_empty(&due);
	pixman_region32_fini(&due);
	return has_all ? store->copy : NULL;
}
