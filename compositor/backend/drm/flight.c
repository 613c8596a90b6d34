/*
 * What the kernel has in flight for an output, a frame or a change, until it says that it is done; and the
 * frame that is held here until its fences and the kernel allow it.
 */

#include "drm.h"
#include "gpu/gpu.h"
#include "util/fd.h"
#include "util/fence.h"
#include "util/log.h"
#include "util/signal.h"
#include <errno.h>
#include <string.h>

static void stop_waiting(struct drm_output *output)
{
	if (output->flight.fence) {
		wl_event_source_remove(output->flight.fence);
		output->flight.fence = NULL;
	}
	fd_close(&output->flight.fence_fd);
}

static void release_held(struct drm_output *output)
{
	stop_waiting(output);
	for (int i = 0; output->flight.held && i < output->flight.state.n_planes; i++) {
		buffer_unlock(output->flight.state.planes[i].state.buffer);
	}
	output->flight.held = output->flight.outdated = false;
}

/* What is in flight shows, or will soon: what showed before is free. */
static void land(struct drm_output *output)
{
	output->flight.serial = 0;
	timer_disarm(&output->watchdog);
	for (int i = 0; i < output->base.n_planes; i++) {
		struct drm_plane *plane = drm_plane_from_base(output->base.planes[i]);
		struct buffer *landed = plane->flying;
		plane->flying = NULL;
		buffer_replace(&plane->shown, landed);
		buffer_unlock(landed);
	}
}

static uint32_t period(const struct drm_output *output)
{
	int32_t refresh = output->refresh;
	bool fixed = refresh > 0 && !output->base.adaptive_sync;
	return fixed ? (uint32_t)(INT64_C(1000000000000) / refresh) : 0;
}

static void finish_frame(struct drm_output *output, bool presented, int64_t when)
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
	output->flight.commit = 0;
	signal_emit(&output->base.events.present, &present);
}

static void drop_held(struct drm_output *output)
{
	release_held(output);
	finish_frame(output, false, clock_now(output->card->backend->clock));
}

void drm_flight_drop(struct drm_output *output)
{
	bool asleep = output->base.asleep;
	/* Who hears of it is not to start the next one, which would be dropped with nobody to hear. */
	output->base.asleep = true;
	if (output->flight.serial) {
		land(output);
	}
	release_held(output);
	if (output->flight.commit) {
		finish_frame(output, false, clock_now(output->card->backend->clock));
	}
	output->base.asleep = asleep;
}

void drm_output_handle_flip(
	struct drm_output *output, uint32_t serial, uint32_t sequence, int64_t when)
{
	if (output->flight.serial == 0 || output->flight.serial != serial) {
		return; /* dropped meanwhile */
	}
	output->sequence += (uint32_t)(sequence - (uint32_t)output->sequence);
	land(output);
	bool frame = output->flight.commit && !output->flight.held;
	if (frame || !output->lit) {
		/* A picture has taken its place, or nothing. */
		drm_blank_finish(output->card, &output->blank);
	}
	if (frame) {
		finish_frame(output, true, when);
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

/* The kernel has it: what shows until it is done stays locked beside what shows then. */
static void take_off(struct drm_commit *commit, uint32_t serial, bool tearing)
{
	struct drm_output *output = commit->output;
	const struct output_state *state = commit->state;
	bool frame = state->fields & OUTPUT_PLANES;
	for (int i = 0; i < output->base.n_planes; i++) {
		drm_plane_from_base(output->base.planes[i])->set = (struct plane_state){0};
	}
	for (int i = 0; frame && i < state->n_planes; i++) {
		struct drm_plane *plane = drm_plane_from_base(state->planes[i].plane);
		plane->set = state->planes[i].state;
		buffer_replace(&plane->flying, state->planes[i].state.buffer);
	}
	output->flight.serial = serial;
	output->flight.tearing = tearing;
	output->lit = commit->enabled;
	output->due = output->refused = false;
	timer_arm(&output->watchdog, clock_now(output->card->backend->clock) + DRM_FLIP_TIMEOUT);
}

/* Commits that go in one request. */
struct launch {
	struct drm_commit *commits;
	size_t n;
	uint32_t serial;
};

static int ask(void *data, uint32_t flags)
{
	const struct launch *launch = data;
	return drm_commits_run(
		launch->commits, launch->n, flags | DRM_MODE_PAGE_FLIP_EVENT, launch->serial);
}

static int run(struct drm_commit *commits, size_t n, uint32_t serial)
{
	struct launch launch = {commits, n, serial};
	return commits[0].modeset ? drm_card_change(commits[0].output->card, false, ask, &launch)
				  : ask(&launch, DRM_MODE_ATOMIC_NONBLOCK);
}

static bool names(const struct drm_commit *commit, const struct buffer *buffer)
{
	const struct output_state *state = commit->state;
	for (int i = 0; i < state->n_planes; i++) {
		if (state->planes[i].state.buffer == buffer) {
			return true;
		}
	}
	return false;
}

/* What the plane shows goes with this frame, and somebody wants to know when. */
static bool is_leaving(const struct drm_commit *commit, const struct drm_plane *plane)
{
	const struct buffer *shown = plane->shown;
	return shown && shown->n_locks == 1 &&
	       !wl_list_empty(&shown->events.leaving.listener_list) && !names(commit, shown);
}

/* Asks for the fence of a frame if that is of use. */
static void want_fence(struct drm_commit *commit, int32_t *fence)
{
	const struct drm_output *output = commit->output;
	bool frame = commit->state->fields & OUTPUT_PLANES;
	bool has = output->crtc->properties[CRTC_OUT_FENCE_PTR].id;
	for (int i = 0; frame && has && i < output->base.n_planes; i++) {
		if (is_leaving(commit, drm_plane_from_base(output->base.planes[i]))) {
			commit->out_fence = fence;
		}
	}
}

/* The frame is the kernel's. */
static void tell_leaving(struct drm_commit *commit, int fence)
{
	const struct drm_output *output = commit->output;
	for (int i = 0; fence >= 0 && i < output->base.n_planes; i++) {
		const struct drm_plane *plane = drm_plane_from_base(output->base.planes[i]);
		if (is_leaving(commit, plane)) {
			signal_emit(&plane->shown->events.leaving, &fence);
		}
	}
}

int drm_flight_launch(struct drm_commit *commits, size_t n)
{
	struct drm_card *card = commits[0].output->card;
	uint32_t serial = card->serial = card->serial + 1 ? card->serial + 1 : 1;
	uint32_t flags = DRM_MODE_PAGE_FLIP_EVENT | DRM_MODE_ATOMIC_NONBLOCK;
	bool tears = n == 1 && commits[0].state->fields & OUTPUT_TEARING &&
		     drm_commit_run_async(&commits[0], flags, serial) == 0;
	int32_t fence = -1;
	if (!tears && n == 1) {
		want_fence(&commits[0], &fence);
	}
	int error = tears ? 0 : run(commits, n, serial);
	if (error == 0 && fence >= 0) {
		tell_leaving(&commits[0], fence);
	}
	commits[0].out_fence = NULL;
	fd_close(&fence);
	for (size_t i = 0; i < n; i++) {
		if (error == 0) {
			take_off(&commits[i], serial, tears);
		}
		drm_output_note_unplugged(commits[i].output, error);
	}
	return error;
}

void drm_flight_proceed(struct drm_output *output)
{
	struct drm_commit commit;
	if (!output->flight.held) {
		return;
	}
	if (output->flight.outdated || !output->base.enabled) {
		drop_held(output);
		return;
	}
	if (output->flight.fence || output->flight.serial || output->due || output->card->stalled) {
		return;
	}
	int error = -EINVAL;
	if (drm_commit_init(&commit, output, &output->flight.state)) {
		error = drm_flight_launch(&commit, 1);
	}
	drm_commit_finish(&commit);
	if (error == 0) {
		release_held(output);
	} else if (error != -EBUSY || !drm_card_flies(output->card)) {
		log_warn("%s: a frame that was held is not shown: %s", output->base.name,
			strerror(-error));
		drop_held(output);
		signal_emit(&output->base.events.needs_frame, NULL);
	}
}

static int handle_fence(int fd, uint32_t mask, void *data)
{
	struct drm_output *output = data;
	int status = fence_status(fd);
	if (status == 0 && !(mask & (WL_EVENT_ERROR | WL_EVENT_HANGUP))) {
		return 0;
	}
	stop_waiting(output);
	if (status == 1) {
		drm_card_proceed(output->card);
	} else {
		log_warn("%s: a frame whose fence failed is not shown", output->base.name);
		drop_held(output);
		signal_emit(&output->base.events.needs_frame, NULL);
	}
	return 0;
}

/* Of all planes that have one that has not signalled; -1: none; -2: failure. */
static int merge_fences(const struct output_state *state)
{
	int merged = -1;
	for (int i = 0; i < state->n_planes; i++) {
		int fence = state->planes[i].state.acquire_fence;
		if (fence < 0 || fence_status(fence)) {
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

/* The driver cannot wait for them by itself. */
static bool must_wait(const struct output_state *state)
{
	for (int i = 0; i < state->n_planes; i++) {
		const struct drm_plane *plane = drm_plane_from_base(state->planes[i].plane);
		int fence = state->planes[i].state.acquire_fence;
		if (fence >= 0 && !plane->properties[PLANE_IN_FENCE_FD].id &&
			!fence_status(fence)) {
			return true;
		}
	}
	return false;
}

static bool hold(struct drm_output *output, struct drm_commit *commit, uint32_t number)
{
	int fence = merge_fences(commit->state);
	if (fence == -2) {
		return false;
	}
	if (fence >= 0) {
		output->flight.fence = wl_event_loop_add_fd(output->card->backend->loop, fence,
			WL_EVENT_READABLE, handle_fence, output);
		if (!output->flight.fence) {
			fd_close(&fence);
			return false;
		}
	}
	struct output_state *state = &output->flight.state;
	output->flight.fence_fd = fence;
	output->flight.commit = number;
	output->flight.held = true;
	*state = *commit->state;
	for (int i = 0; i < state->n_planes; i++) {
		buffer_lock(state->planes[i].state.buffer);
		state->planes[i].state.damage = NULL;
		state->planes[i].state.acquire_fence = -1;
	}
	/* All else is the output's by then, and may be another by the time that this goes. */
	output->stale |= state->fields & DRM_WITH_FRAME;
	state->fields &= OUTPUT_PLANES | OUTPUT_TEARING;
	if (commit->modeset) {
		output->due = true;
	}
	drm_commit_keep(commit, false);
	return true;
}

bool drm_flight_start(struct drm_output *output, struct drm_commit *commit, uint32_t number)
{
	if (output->flight.serial || output->due || output->card->stalled ||
		must_wait(commit->state)) {
		return hold(output, commit, number);
	}
	int error = drm_flight_launch(commit, 1);
	if (error == 0) {
		output->flight.commit = number;
		drm_commit_keep(commit, true);
		return true;
	}
	/* A driver that changes the mode of one output may keep all of the card busy for it. */
	if (error == -EBUSY && drm_card_flies(output->card)) {
		return hold(output, commit, number);
	}
	log_debug(LOG_BACKEND, "%s: commit: %s", output->base.name, strerror(-error));
	return false;
}
