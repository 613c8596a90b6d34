/* A frame on its way to light: handed to the kernel when its fences allow, watched, and told of. */

#include "drm.h"
#include "util/fd.h"
#include "util/fence.h"
#include "util/log.h"
#include "util/signal.h"
#include <errno.h>
#include <string.h>
#include <time.h>

static void stop_waiting(struct drm_output *output)
{
	if (output->flight.fence) {
		wl_event_source_remove(output->flight.fence);
		output->flight.fence = NULL;
	}
	fd_close(&output->flight.fence_fd);
}

/* What is in flight shows, or will soon: what showed before is free. */
static void land(struct drm_output *output)
{
	for (int i = 0; i < output->base.n_planes; i++) {
		struct drm_plane *plane = drm_plane_from_base(output->base.planes[i]);
		struct buffer *landed = plane->flying;
		plane->flying = NULL;
		buffer_replace(&plane->shown, landed);
		buffer_unlock(landed);
	}
}

void drm_output_show_nothing(struct drm_output *output)
{
	for (int i = 0; i < output->base.n_planes; i++) {
		struct drm_plane *plane = drm_plane_from_base(output->base.planes[i]);
		buffer_replace(&plane->shown, NULL);
		plane->set = (struct plane_state){0};
	}
}

static uint32_t period(const struct drm_output *output)
{
	int32_t refresh = output->refresh;
	bool fixed = refresh > 0 && !output->base.adaptive_sync;
	return fixed ? (uint32_t)(INT64_C(1000000000000) / refresh) : 0;
}

static int64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void finish_flight(struct drm_output *output, bool presented, int64_t when)
{
	struct output_present present = {
		.commit = output->flight.commit,
		.presented = presented,
		.when = when,
		.refresh = period(output),
		.sequence = presented ? output->sequence : 0,
		.flags = presented
				 ? (output->flight.tearing ? 0 : PRESENT_VSYNC) | PRESENT_HW_CLOCK |
					   PRESENT_HW_COMPLETION | PRESENT_ZERO_COPY
				 : 0,
	};
	stop_waiting(output);
	timer_disarm(&output->watchdog);
	land(output);
	output->flight.commit = 0;
	signal_emit(&output->base.events.present, &present);
}

void drm_flight_drop(struct drm_output *output)
{
	if (output->flight.commit) {
		finish_flight(output, false, now_ns());
	}
}

void drm_output_handle_flip(
	struct drm_output *output, uint32_t commit, uint32_t sequence, int64_t when)
{
	if (output->flight.commit == 0 || output->flight.commit != commit) {
		return; /* dropped meanwhile */
	}
	output->sequence += (uint32_t)(sequence - (uint32_t)output->sequence);
	/* The picture has taken its place. */
	drm_blank_finish(output->card, &output->blank);
	finish_flight(output, true, when);
	if (!output->base.enabled) {
		drm_output_show_nothing(output);
	}
}

/* A card that is being unplugged: nothing more is drawn for it until udev says that it is gone. */
int drm_output_note_unplugged(struct drm_output *output, int error)
{
	if (error == -ENODEV) {
		output->base.asleep = true;
	}
	return error;
}

static void remember_planes(struct drm_output *output, const struct output_state *state)
{
	for (int i = 0; i < output->base.n_planes; i++) {
		drm_plane_from_base(output->base.planes[i])->set = (struct plane_state){0};
	}
	for (int i = 0; i < state->n_planes; i++) {
		drm_plane_from_base(state->planes[i].plane)->set = state->planes[i].state;
	}
}

/* The kernel has the frame. */
static void watch(struct drm_output *output, const struct output_state *state, bool tearing)
{
	output->flight.tearing = tearing;
	remember_planes(output, state);
	timer_arm(&output->watchdog, clock_now(output->card->backend->clock) + DRM_FLIP_TIMEOUT);
}

/* Hands the frame to the kernel, which says when it shows. */
static int queue(struct drm_output *output, struct drm_commit *commit, uint32_t number)
{
	/* A mode change takes its time anyway, and some drivers refuse to do it later. */
	uint32_t flags =
		DRM_MODE_PAGE_FLIP_EVENT | (commit->modeset ? 0 : DRM_MODE_ATOMIC_NONBLOCK);
	bool tears = commit->state->fields & OUTPUT_TEARING &&
		     drm_commit_run_async(commit, flags, number) == 0;
	int error = tears ? 0 : drm_commit_run(commit, flags, number);
	if (error == 0) {
		watch(output, commit->state, tears);
	}
	return drm_output_note_unplugged(output, error);
}

static int handle_fence(int fd, uint32_t mask, void *data)
{
	struct drm_output *output = data;
	int status = fence_status(fd);
	if (status == 0 && !(mask & (WL_EVENT_ERROR | WL_EVENT_HANGUP))) {
		return 0;
	}
	stop_waiting(output);
	struct output_state *state = &output->flight.state;
	for (int i = 0; i < state->n_planes; i++) {
		state->planes[i].state.acquire_fence = -1;
	}
	struct drm_commit commit;
	bool done = status == 1 && drm_commit_init(&commit, output, state, false);
	if (done) {
		done = queue(output, &commit, output->flight.commit) == 0;
		drm_commit_finish(&commit);
	}
	if (!done) {
		log_warn("%s: a frame whose fence was waited for is not shown", output->base.name);
		drm_flight_drop(output);
		signal_emit(&output->base.events.needs_frame, NULL);
	}
	return 0;
}

/* The fence of all planes that the driver cannot wait for by itself; -1: none; -2: failure. */
static int merge_fences(const struct output_state *state)
{
	int merged = -1;
	for (int i = 0; i < state->n_planes; i++) {
		const struct drm_plane *plane = drm_plane_from_base(state->planes[i].plane);
		int fence = state->planes[i].state.acquire_fence;
		if (fence < 0 || plane->properties[PLANE_IN_FENCE_FD].id || fence_status(fence)) {
			continue;
		}
		int both = merged < 0 ? fd_dup(fence) : fence_merge(merged, fence);
		fd_close(&merged);
		if (both < 0) {
			return -2;
		}
		merged = both;
	}
	return merged;
}

static bool wait_for(struct drm_output *output, const struct output_state *state, int fence)
{
	output->flight.fence_fd = fence;
	output->flight.fence = wl_event_loop_add_fd(
		output->card->backend->loop, fence, WL_EVENT_READABLE, handle_fence, output);
	if (!output->flight.fence) {
		fd_close(&output->flight.fence_fd);
		return false;
	}
	output->flight.state = *state;
	if (state->fields & DRM_COLORS) {
		/* They are the output's by then. */
		output->flight.state.fields &= ~(uint32_t)DRM_COLORS;
		output->color_stale = true;
	}
	for (int i = 0; i < state->n_planes; i++) {
		output->flight.state.planes[i].state.damage = NULL;
	}
	return true;
}

/* A frame that changes nothing but planes, and waits for what the driver cannot wait for. */
bool drm_flight_start(struct drm_output *output, struct drm_commit *commit, uint32_t number)
{
	const struct output_state *state = commit->state;
	int fence = commit->modeset ? -1 : merge_fences(state);
	if (fence == -2 || (fence >= 0 && !wait_for(output, state, fence))) {
		return false;
	}
	if (fence < 0) {
		int error = queue(output, commit, number);
		if (error < 0) {
			log_debug(
				LOG_BACKEND, "%s: commit: %s", output->base.name, strerror(-error));
			return false;
		}
	}
	output->flight.commit = number;
	for (int i = 0; i < state->n_planes; i++) {
		struct drm_plane *plane = drm_plane_from_base(state->planes[i].plane);
		buffer_replace(&plane->flying, state->planes[i].state.buffer);
	}
	return true;
}
