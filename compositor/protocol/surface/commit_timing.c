/* SPDX-License-Identifier: MIT */
/* wp_commit_timing: updates with a timestamp are presented at that time at the earliest. */

#include "commit-timing-v1-protocol.h"
#include "frame/frame.h"
#include "surface/transaction.h"
#include "surface_object.h"
#include "util/xalloc.h"
#include <stdlib.h>

#define NS_PER_S INT64_C(1000000000)

/** State of a surface that had a commit timer: timestamps stay in effect after the timer's end. */
struct commit_timing {
	struct surface *surface;
	struct clock *clock;
	struct scene *scene;
	struct wl_listener ready, destroy;
};

struct time_blocker {
	struct blocker base;
	struct timer timer;
};

static void destroy_blocker(struct blocker *base)
{
	struct time_blocker *blocker = wl_container_of(base, blocker, base);
	timer_finish(&blocker->timer);
	free(blocker);
}

static const struct blocker_impl blocker_impl = {.destroy = destroy_blocker};

static void handle_timer(struct timer *timer, int64_t now)
{
	struct time_blocker *blocker = wl_container_of(timer, blocker, timer);
	blocker_clear(&blocker->base);
}

/*
 * Handles an update that waits only for its timestamp. The frames of the output that shows the
 * surface decide when it is due.
 */
static void handle_ready(struct wl_listener *listener, void *data)
{
	struct commit_timing *timing = wl_container_of(listener, timing, ready);
	struct update *update = data;
	if (!(update->state.fields & SURFACE_NOT_BEFORE)) {
		return;
	}
	update->state.fields &= ~(uint32_t)SURFACE_NOT_BEFORE;
	int64_t when = frame_apply_time(timing->scene, timing->surface, update->state.not_before);
	if (when <= clock_now(timing->clock)) {
		return;
	}
	struct time_blocker *blocker = xcalloc(1, sizeof(*blocker));
	timer_init(&blocker->timer, timing->clock, handle_timer);
	blocker_init(&blocker->base, &blocker_impl, update, 0);
	timer_arm(&blocker->timer, when);
}

static void handle_set_timestamp(struct wl_client *client, struct wl_resource *resource,
	uint32_t seconds_high, uint32_t seconds_low, uint32_t nanoseconds)
{
	struct surface *surface = surface_object_surface(resource);
	uint64_t seconds = (uint64_t)seconds_high << 32 | seconds_low;
	if (!surface) {
		return;
	}
	if (nanoseconds >= NS_PER_S) {
		wl_resource_post_error(resource, WP_COMMIT_TIMER_V1_ERROR_INVALID_TIMESTAMP,
			"invalid timestamp: %u nanoseconds are a second or more", nanoseconds);
		return;
	}
	struct surface_state *pending = &surface->pending;
	if (pending->fields & SURFACE_NOT_BEFORE) {
		wl_resource_post_error(resource, WP_COMMIT_TIMER_V1_ERROR_TIMESTAMP_EXISTS,
			"the next commit already has a timestamp");
		return;
	}
	/* Limit values to the range of the clock. */
	uint64_t most = INT64_MAX / NS_PER_S - 1;
	seconds = seconds < most ? seconds : most;
	pending->not_before = (int64_t)seconds * NS_PER_S + nanoseconds;
	pending->fields |= SURFACE_NOT_BEFORE;
}

static const struct wp_commit_timer_v1_interface requests = {
	.set_timestamp = handle_set_timestamp,
	.destroy = resource_handle_destroy,
};

static void handle_surface_destroy(struct wl_listener *listener, void *data)
{
	struct commit_timing *timing = wl_container_of(listener, timing, destroy);
	wl_list_remove(&timing->ready.link);
	wl_list_remove(&timing->destroy.link);
	free(timing);
}

static void init(struct surface_object *object)
{
	struct surface *surface = object->surface;
	if (wl_signal_get(&surface->events.destroy, handle_surface_destroy)) {
		return; /* the surface had a timer before */
	}
	const struct server *server =
		client_protocols(wl_resource_get_client(object->resource))->server;
	struct commit_timing *timing = xcalloc(1, sizeof(*timing));
	timing->surface = surface;
	timing->clock = server->clock;
	timing->scene = server->scene;
	signal_add(&surface->events.ready, &timing->ready, handle_ready);
	signal_add(&surface->events.destroy, &timing->destroy, handle_surface_destroy);
}

static const struct wp_commit_timing_manager_v1_interface manager_requests = {
	.destroy = resource_handle_destroy,
	.get_timer = surface_object_handle_get,
};

static const struct surface_object_kind kind = {
	.interface = &wp_commit_timer_v1_interface,
	.requests = &requests,
	.size = sizeof(struct surface_object),
	.exists_error = WP_COMMIT_TIMING_MANAGER_V1_ERROR_COMMIT_TIMER_EXISTS,
	.inert = SURFACE_OBJECT_POSTS_ERROR,
	.inert_error = WP_COMMIT_TIMER_V1_ERROR_SURFACE_DESTROYED,
	.init = init,
	.manager_interface = &wp_commit_timing_manager_v1_interface,
	.manager_requests = &manager_requests,
	.version = 1,
};

void commit_timing_create(struct protocols *protocols)
{
	surface_objects_add_global(protocols, &kind);
}
