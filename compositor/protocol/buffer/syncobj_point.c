/* SPDX-License-Identifier: MIT */
/*
 * Timeline points: updates that wait for an acquire point, and buffers that signal a release point.
 */

#include "syncobj_point.h"
#include "frame/frame.h"
#include "gpu/timeline.h"
#include "scene/output.h"
#include "scene/scene.h"
#include "surface/surface.h"
#include "surface/transaction.h"
#include "util/account.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/fd_watch.h"
#include "util/fence.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void syncobj_point_unset(struct syncobj_point *point)
{
	timeline_unref(point->timeline);
	*point = (struct syncobj_point){0};
}

/* Acquire points */

/** Delay (ns) between attempts while memory or descriptors are short. */
#define RETRY INT64_C(10000000)

/** Waits until a point has a fence, which then becomes a blocker of its own. */
struct acquire {
	struct blocker base;
	struct syncobj_point point;
	int event; /* readable once the point has a fence; -1: not requested */
	struct fd_watch watch;
	struct timer retry;
	struct wl_listener moved;
	struct account *account; /* charged for the event's descriptor */
};

static void stop_watch(struct acquire *acquire)
{
	fd_watch_stop(&acquire->watch);
	fd_close(&acquire->event);
}

static void destroy_acquire(struct blocker *base)
{
	struct acquire *acquire = wl_container_of(base, acquire, base);
	stop_watch(acquire);
	timer_finish(&acquire->retry);
	wl_list_remove(&acquire->moved.link);
	account_uncharge(acquire->account, ACCOUNT_DESCRIPTORS, 1);
	syncobj_point_unset(&acquire->point);
	free(acquire);
}

static const struct blocker_impl acquire_impl = {.destroy = destroy_acquire};

static bool is_temporary(int error)
{
	return error_may_pass(error);
}

/*
 * Adds the point's fence as a blocker; removes the buffer from the update if the fence is unusable
 * or cannot come.
 * Returns 0, -EINVAL while the point has no fence, or a temporary error while memory or descriptors
 * are short.
 */
static int wait_for_fence(struct update *update, const struct syncobj_point *point)
{
	if (timeline_is_lost(point->timeline)) {
		update_lose_buffer(update, "the GPU of its acquire point is gone");
		return 0;
	}
	int fence = timeline_export_point(point->timeline, point->value);
	if (fence >= 0) {
		update_wait_fd(update, fence);
	} else if (fence == -EINVAL || is_temporary(fence)) {
		return fence;
	} else {
		update_lose_buffer(update, "its acquire point has no usable fence");
	}
	return 0;
}

static void advance(struct acquire *acquire);

static void handle_available(void *data)
{
	struct acquire *acquire = data;
	stop_watch(acquire);
	advance(acquire);
}

static void handle_retry(struct timer *timer, int64_t now)
{
	struct acquire *acquire = wl_container_of(timer, acquire, retry);
	advance(acquire);
}

/* Nothing can signal the point any more, or another device gives access to it. */
static void handle_moved(struct wl_listener *listener, void *data)
{
	struct acquire *acquire = wl_container_of(listener, acquire, moved);
	stop_watch(acquire);
	advance(acquire);
}

static void retry_later(struct acquire *acquire)
{
	timer_arm(&acquire->retry, clock_now(acquire->retry.clock) + RETRY);
}

/* Waits for the point's fence, or until the point has one. May free `acquire`. */
static void advance(struct acquire *acquire)
{
	struct update *update = acquire->base.update;
	const struct syncobj_point *point = &acquire->point;
	int error = wait_for_fence(update, point);
	if (error == -EINVAL) {
		error = acquire->event = timeline_watch_point(point->timeline, point->value);
		if (error >= 0) {
			fd_watch_start(&acquire->watch, update->surface->loop, acquire->retry.clock,
				acquire->event, handle_available, acquire);
			return;
		}
		if (!is_temporary(error)) {
			update_lose_buffer(update, "cannot watch its acquire point");
			error = 0;
		}
	}
	if (error < 0) {
		retry_later(acquire);
	} else {
		blocker_clear(&acquire->base);
	}
}

void syncobj_point_await(struct update *update, struct syncobj_point *point)
{
	if (wait_for_fence(update, point) == 0) {
		syncobj_point_unset(point);
		return;
	}
	struct acquire *acquire = xcalloc(1, sizeof(*acquire));
	acquire->point = *point;
	acquire->event = -1;
	*point = (struct syncobj_point){0};
	timer_init(&acquire->retry, update->surface->clock, handle_retry);
	signal_add(timeline_moved_signal(acquire->point.timeline), &acquire->moved, handle_moved);
	acquire->account = surface_account(update->surface);
	account_charge(acquire->account, ACCOUNT_DESCRIPTORS, 1);
	blocker_init(&acquire->base, &acquire_impl, update, SURFACE_BUFFER);
	advance(acquire);
}

/* Release points */

/**
 * Signals a point when all locks of the buffer are released and the GPU work that reads it has
 * ended.
 */
struct release {
	struct protocols *protocols; /* NULL once destroyed */
	struct buffer *buffer;
	struct account *account; /* charged for this object */
	struct syncobj_point point;
	struct wl_listener buffer_release, buffer_leaving, buffer_destroy, protocols_destroy;
};

/* Merges the fences and takes over both. */
static int join(int a, int b)
{
	if (a < 0 || b < 0) {
		return a < 0 ? b : a;
	}
	int both = fence_merge(a, b);
	fd_close(&b);
	if (both < 0) {
		return a;
	}
	fd_close(&a);
	return both;
}

/*
 * Returns a fence of the frames in progress, for drivers that attach no fence of our reads to the
 * buffer.
 */
static int find_frames(const struct protocols *protocols)
{
	int fence = -1;
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		struct scene_output *output = protocols->server->scene->outputs[i];
		const struct frame_output *frame = output ? frame_output_find(output) : NULL;
		int pass = frame ? frame_output_fence(frame) : -1;
		if (pass >= 0 && fence_status(pass) == 0) {
			fence = join(fence, fd_dup(pass));
		}
	}
	return fence;
}

/* Returns a fence that the buffer's next writer must wait for, or -1. */
static int find_readers(const struct release *release)
{
	const struct dmabuf *dmabuf = buffer_dmabuf(release->buffer);
	int fence = release->protocols ? find_frames(release->protocols) : -1;
	for (int i = 0; dmabuf && i < dmabuf->n_planes; i++) {
		fence = join(fence, fence_export_dmabuf(dmabuf->fd[i], true));
	}
	return fence;
}

/* Signals the point. `screen`: a fence for the end of scan-out, owned by the caller, or -1. */
static void finish(struct release *release, int screen)
{
	int fence = find_readers(release);
	if (screen >= 0) {
		fence = join(fence, fd_dup(screen));
	}
	int error = timeline_signal_point(release->point.timeline, release->point.value, fence);
	if (error < 0) {
		log_debug(LOG_SURFACE, "cannot signal a release point: %s", strerror(-error));
	}
	fd_close(&fence);
	wl_list_remove(&release->buffer_release.link);
	wl_list_remove(&release->buffer_leaving.link);
	wl_list_remove(&release->buffer_destroy.link);
	wl_list_remove(&release->protocols_destroy.link);
	syncobj_point_unset(&release->point);
	account_uncharge(release->account, ACCOUNT_BYTES, sizeof(*release));
	account_unref(release->account);
	free(release);
}

static void handle_buffer_release(struct wl_listener *listener, void *data)
{
	struct release *release = wl_container_of(listener, release, buffer_release);
	finish(release, -1);
}

/*
 * The buffer leaves the screen at the next vblank: the point gets that fence early, and the
 * client's GPU waits for it.
 */
static void handle_buffer_leaving(struct wl_listener *listener, void *data)
{
	struct release *release = wl_container_of(listener, release, buffer_leaving);
	finish(release, *(const int *)data);
}

/* The client destroyed its wl_buffer: there will be no release. */
static void handle_buffer_destroy(struct wl_listener *listener, void *data)
{
	struct release *release = wl_container_of(listener, release, buffer_destroy);
	finish(release, -1);
}

static void handle_protocols_gone(struct wl_listener *listener, void *data)
{
	struct release *release = wl_container_of(listener, release, protocols_destroy);
	release->protocols = NULL;
	wl_list_remove(&release->protocols_destroy.link);
	wl_list_init(&release->protocols_destroy.link);
}

/*
 * Returns the pending release of the buffer on this timeline. A buffer that is committed again
 * before its release signals both points together.
 */
static struct release *find_release(struct buffer *buffer, const struct timeline *timeline)
{
	struct wl_listener *listener;
	wl_list_for_each (listener, &buffer->events.release.listener_list, link) {
		struct release *release = wl_container_of(listener, release, buffer_release);
		if (listener->notify == handle_buffer_release &&
			release->point.timeline == timeline) {
			return release;
		}
	}
	return NULL;
}

void syncobj_point_signal_released(
	struct protocols *protocols, struct buffer *buffer, struct syncobj_point *point)
{
	struct release *release = find_release(buffer, point->timeline);
	if (release) {
		if (release->point.value < point->value) {
			release->point.value = point->value;
		}
		syncobj_point_unset(point);
		return;
	}
	release = xcalloc(1, sizeof(*release));
	release->protocols = protocols;
	release->buffer = buffer;
	release->account = account_ref(buffer->account);
	account_charge(release->account, ACCOUNT_BYTES, sizeof(*release));
	release->point = *point;
	*point = (struct syncobj_point){0};
	signal_add(&buffer->events.release, &release->buffer_release, handle_buffer_release);
	signal_add(&buffer->events.leaving, &release->buffer_leaving, handle_buffer_leaving);
	signal_add(&buffer->events.destroy, &release->buffer_destroy, handle_buffer_destroy);
	signal_add(&protocols->events.destroy, &release->protocols_destroy, handle_protocols_gone);
}
