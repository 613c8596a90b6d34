/* SPDX-License-Identifier: MIT */
/* wp_commit_timing: updates with a timestamp are presented at that time at the earliest. */

#include "commit-timing-v1-protocol.h"
#include "frame/frame.h"
#include "protocol/protocol.h"
#include "surface/transaction.h"
#include "util/xalloc.h"
#include <stdlib.h>

#define VERSION 1
#define NS_PER_S INT64_C(1000000000)

/**
 * State of a surface that had a commit timer: timestamps stay in effect after the client destroys
 * the timer.
 */
struct commit_timing {
	struct surface *surface;
	struct clock *clock;
	struct scene *scene;
	struct wl_resource *resource; /* NULL: the client has no timer object now */
	struct wl_listener ready, destroy;
};

struct time_blocker {
	struct blocker base;
	struct timer timer;
};

static void handle_destroy(struct wl_client *client, struct wl_resource *resource)
{
	wl_resource_destroy(resource);
}

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
	struct commit_timing *timing = wl_resource_get_user_data(resource);
	uint64_t seconds = (uint64_t)seconds_high << 32 | seconds_low;
	if (!timing) {
		wl_resource_post_error(resource, WP_COMMIT_TIMER_V1_ERROR_SURFACE_DESTROYED,
			"the wl_surface of the commit timer is destroyed");
		return;
	}
	if (nanoseconds >= NS_PER_S) {
		wl_resource_post_error(resource, WP_COMMIT_TIMER_V1_ERROR_INVALID_TIMESTAMP,
			"invalid timestamp: %u nanoseconds are a second or more", nanoseconds);
		return;
	}
	struct surface_state *pending = &timing->surface->pending;
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

static const struct wp_commit_timer_v1_interface timer_implementation = {
	.set_timestamp = handle_set_timestamp,
	.destroy = handle_destroy,
};

static void handle_surface_destroy(struct wl_listener *listener, void *data)
{
	struct commit_timing *timing = wl_container_of(listener, timing, destroy);
	if (timing->resource) {
		wl_resource_set_user_data(timing->resource, NULL);
	}
	wl_list_remove(&timing->ready.link);
	wl_list_remove(&timing->destroy.link);
	free(timing);
}

static void destroy(struct wl_resource *resource)
{
	struct commit_timing *timing = wl_resource_get_user_data(resource);
	if (timing) {
		timing->resource = NULL;
	}
}

static struct commit_timing *get_timing(struct protocols *protocols, struct surface *surface)
{
	struct wl_listener *listener =
		wl_signal_get(&surface->events.destroy, handle_surface_destroy);
	struct commit_timing *timing;
	if (listener) {
		return wl_container_of(listener, timing, destroy);
	}
	timing = xcalloc(1, sizeof(*timing));
	timing->surface = surface;
	timing->clock = protocols->server->clock;
	timing->scene = protocols->server->scene;
	timing->ready.notify = handle_ready;
	wl_signal_add(&surface->events.ready, &timing->ready);
	timing->destroy.notify = handle_surface_destroy;
	wl_signal_add(&surface->events.destroy, &timing->destroy);
	return timing;
}

static void handle_get_timer(struct wl_client *client, struct wl_resource *resource, uint32_t id,
	struct wl_resource *surface_resource)
{
	struct protocols *protocols = wl_resource_get_user_data(resource);
	struct commit_timing *timing =
		get_timing(protocols, surface_from_resource(surface_resource));
	if (timing->resource) {
		wl_resource_post_error(resource,
			WP_COMMIT_TIMING_MANAGER_V1_ERROR_COMMIT_TIMER_EXISTS,
			"wl_surface@%u already has a commit timer",
			wl_resource_get_id(surface_resource));
		return;
	}
	struct wl_resource *created = wl_resource_create(
		client, &wp_commit_timer_v1_interface, wl_resource_get_version(resource), id);
	if (!created) {
		wl_resource_post_no_memory(resource);
		return;
	}
	timing->resource = created;
	wl_resource_set_implementation(created, &timer_implementation, timing, destroy);
}

static const struct wp_commit_timing_manager_v1_interface implementation = {
	.destroy = handle_destroy,
	.get_timer = handle_get_timer,
};

static void bind(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	struct wl_resource *resource = wl_resource_create(
		client, &wp_commit_timing_manager_v1_interface, (int)version, id);
	if (!resource) {
		wl_client_post_no_memory(client);
		return;
	}
	wl_resource_set_implementation(resource, &implementation, data, NULL);
}

void commit_timing_create(struct protocols *protocols)
{
	protocols_add_global(protocols, &wp_commit_timing_manager_v1_interface, VERSION, protocols,
		bind, GLOBAL_PUBLIC);
}
