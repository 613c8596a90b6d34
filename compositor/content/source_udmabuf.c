/* SPDX-License-Identifier: MIT */
/*
 * Udmabuf source: shm pools as dma-bufs, read in place by the renderer or a plane.
 *
 * A buffer is released to its client only after the next one was attached and no pass reads the old
 * one. A client with a single buffer would wait forever. Therefore a surface without updates goes
 * back to uploads, and a client that stopped right after the switch is never switched again.
 */

#include "buffer/shm.h"
#include "buffer/udmabuf.h"
#include "content/device.h"
#include "internal.h"
#include "route_facts.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/fd_watch.h"
#include "util/fence.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * A surface is busy after BUSY_STREAK updates, each within BUSY_GAP (ns) of the previous one, that
 * damage at least 1/MUCH of the buffer.
 */
#define BUSY_STREAK 3
#define BUSY_GAP INT64_C(500000000)
#define MUCH 4
/*
 * Time (ns) without updates after which the use ends: more than BUSY_GAP, so that a busy surface
 * stays busy, and little for a client that waits for its only buffer.
 */
#define QUIET INT64_C(600000000)
/* CPU renderers gain only by scan-out, which starts within this number of updates or never. */
#define PLANE_UPDATES 8
/* Refusals of the renderer in succession after which it is not asked again: some may pass. */
#define REFUSALS_MAX 4
/* Number of updates after which the cost is compared again. */
#define WEIGHED_AGAIN 64

/* A udmabuf that is no longer used, but still read by a pass. */
struct pool_left {
	struct wl_list link; /* content_device.udmabufs_left */
	struct buffer *buffer; /* locked */
	int fence;
	struct fd_watch watch;
};

static void free_left(void *data)
{
	struct pool_left *left = data;
	wl_list_remove(&left->link);
	fd_watch_stop(&left->watch);
	fd_close(&left->fence);
	buffer_unlock(left->buffer);
	free(left);
}

static void release_udmabuf(struct content *content)
{
	struct content_pool *pool = &content->pool;
	if (content->held == content->pool.buffer) {
		buffer_replace(&content->held, NULL);
	}
	if (pool->read && fence_status(pool->fence) == 0) {
		struct pool_left *left = xcalloc(1, sizeof(*left));
		left->buffer = buffer_lock(content->pool.buffer);
		left->fence = pool->fence;
		pool->fence = -1;
		wl_list_insert(&content_device_from(content->device)->udmabufs_left, &left->link);
		fd_watch_start(&left->watch, content->surface->loop, content->device->clock,
			left->fence, free_left, left);
	}
	pool->read = false;
	buffer_replace(&content->pool.buffer, NULL);
}

/* Returns whether the client draws large parts of the surface often. */
static bool is_busy(struct content *content)
{
	struct content_pool *pool = &content->pool;
	const struct surface_state *state = &content->surface->current;
	const pixman_box32_t *box =
		pixman_region32_extents((pixman_region32_t *)&state->buffer_damage);
	int64_t changed = (int64_t)(box->x2 - box->x1) * (box->y2 - box->y1);
	if (changed * MUCH < (int64_t)state->buffer_width * state->buffer_height || changed == 0) {
		pool->streak = 0;
		return false;
	}
	int64_t now = clock_now(content->device->clock);
	bool soon = now - pool->changed <= BUSY_GAP;
	pool->streak = !soon ? 1 : pool->streak + (pool->streak <= BUSY_STREAK);
	pool->changed = now;
	return pool->streak >= BUSY_STREAK;
}

/* Decides whether to read the pool in place; `before`: whether it was so far. */
static bool wants(struct content *content, bool before)
{
	struct content_pool *pool = &content->pool;
	struct surface *surface = content->surface;
	struct render_device *device = content->device;
	if (pool->barred || content->store->eager || content_device_from(device)->no_udmabuf ||
		!surface->loop || (!before && content_has_shadow(content))) {
		return false;
	}
	if (before && device->renderer->cpu && pool->updates == PLANE_UPDATES) {
		pool->barred = !route_is_scanned_out(device, surface);
		return !pool->barred;
	}
	if (before) {
		return route_reads_in_place(device, surface->current.buffer) &&
		       (pool->updates % WEIGHED_AGAIN != 0 ||
			       route_udmabuf_pays(device, surface, true));
	}
	/* Compare costs once each time the surface becomes busy. */
	return is_busy(content) && pool->streak == BUSY_STREAK &&
	       route_may_use_udmabuf(device, surface->current.buffer) &&
	       route_udmabuf_pays(device, surface, false);
}

static void handle_quiet(struct timer *timer, int64_t now);

static void wait_for_quiet(struct content *content)
{
	int64_t now = clock_now(content->device->clock);
	struct content_pool *pool = &content->pool;
	if (!pool->quiet.clock) {
		timer_init(&pool->quiet, content->device->clock, handle_quiet);
	}
	timer_arm(&pool->quiet, now + QUIET);
}

static void stop(struct content *content)
{
	if (content->pool.quiet.armed) {
		timer_disarm(&content->pool.quiet);
	}
	content->pool.updates = 0;
	content->pool.streak = 0;
	fd_close(&content->pool.fence);
}

/*
 * Returns the udmabuf, or NULL with errno. Reserves a descriptor first, which the fence of a pass
 * will need.
 */
static struct buffer *find_pool(struct content *content, struct buffer *buffer)
{
	struct content_pool *pool = &content->pool;
	if (pool->fence < 0) {
		pool->fence = fd_reserve();
	}
	if (pool->fence < 0) {
		errno = -pool->fence;
		pool->fence = -1;
		return NULL;
	}
	return udmabuf_lock(buffer);
}

void content_pool_choose(struct content *content)
{
	struct buffer *buffer = content->surface->current.buffer;
	struct render_device *device = content->device;
	bool before = content->pool.buffer;
	if (before) {
		release_udmabuf(content);
	}
	if (!buffer || !device->clock || !buffer_is_shm(buffer)) {
		stop(content);
		return;
	}
	if (!wants(content, before)) {
		if (before) {
			stop(content);
		}
		return;
	}
	content->pool.buffer = find_pool(content, buffer);
	if (!content->pool.buffer) {
		if (errno != EINVAL && errno != EFBIG && !error_may_pass(-errno)) {
			log_debug(LOG_FRAME, "udmabuf disabled: %s", strerror(errno));
			content_device_from(device)->no_udmabuf = true;
		}
		stop(content);
		return;
	}
	udmabuf_written(content->pool.buffer);
	if (!content->deferred.blocker.update) {
		content_drop_upload(content);
	}
	content->pool.updates++;
	wait_for_quiet(content);
}

void content_pool_leave(struct content *content)
{
	release_udmabuf(content);
	stop(content);
}

/* The client may wait for its buffer: upload all of it, and continue with uploads. */
static void handle_quiet(struct timer *timer, int64_t now)
{
	struct content *content = wl_container_of(timer, content, pool.quiet);
	struct scene_surface *node = scene_surface_find(content->surface);
	content->pool.barred |= content->pool.updates == 1;
	/* Try again if the upload is lost; leaving the udmabuf disarms the timer. */
	timer_arm(timer, now + QUIET);
	if (content->deferred.upload || content->pool.upload_all(content)) {
		return;
	}
	const struct surface_state *state = &content->surface->current;
	pixman_region32_t all;
	pixman_region32_init_rect(
		&all, 0, 0, (unsigned)state->buffer_width, (unsigned)state->buffer_height);
	content_pool_leave(content);
	content->stale = true;
	pixman_region32_copy(&content->missing, &all);
	if (node) {
		scene_surface_damage(node, &all);
	}
	pixman_region32_fini(&all);
}

void content_pool_init(struct content *content, bool (*upload_all)(struct content *content))
{
	content->pool.upload_all = upload_all;
	content->pool.fence = -1;
}

void content_pool_finish(struct content *content)
{
	if (content->pool.buffer) {
		release_udmabuf(content);
	}
	stop(content);
}

void content_pools_finish(struct render_device *device)
{
	struct pool_left *left, *next;
	wl_list_for_each_safe (left, next, &content_device_from(device)->udmabufs_left, link) {
		free_left(left);
	}
}

static enum content_status prepare(
	struct content *content, struct buffer *buffer, const pixman_region32_t *needed)
{
	if (content_update_texture(content, content->pool.buffer, needed)) {
		content->pool.n_refused = 0;
		return CONTENT_READY;
	}
	log_debug(LOG_FRAME, "cannot import a udmabuf with a stride of %u bytes",
		buffer_dmabuf(content->pool.buffer)->stride[0]);
	content->pool.barred |= ++content->pool.n_refused == REFUSALS_MAX;
	content_pool_leave(content);
	return CONTENT_REFUSED;
}

static void pass_ended(struct content *content, int fence)
{
	content->pool.read =
		content->pool.buffer && fence >= 0 && fd_dup_into(fence, content->pool.fence);
}

const struct content_source_impl content_source_udmabuf = {
	.prepare = prepare,
	.pass_ended = pass_ended,
};
