/* SPDX-License-Identifier: MIT */
/*
 * Pending KMS commits: the frame or modeset in flight until its completion event, and the frame
 * held back until its fences signal and the kernel accepts it.
 */

#include "commit.h"
#include "gpu/gpu.h"
#include "util/error.h"
#include "util/event_source.h"
#include "util/fd.h"
#include "util/fence.h"
#include "util/log.h"
#include <errno.h>
#include <string.h>

static void stop_waiting(struct drm_output *output)
{
	event_source_remove(&output->pending.fence);
	fd_close(&output->pending.fence_fd);
}

static void release_held(struct drm_output *output)
{
	stop_waiting(output);
	for (int i = 0; output->pending.held && i < output->pending.state.n_planes; i++) {
		buffer_unlock(output->pending.state.planes[i].state.buffer);
	}
	output->pending.held = output->pending.outdated = false;
}

/* The new buffers are or will be scanned out: unlocks the previous ones. */
static void complete(struct drm_output *output)
{
	output->pending.serial = 0;
	timer_disarm(&output->watchdog);
	fd_close(&output->pending.kernel_fence);
	for (int i = 0; i < output->base.n_planes; i++) {
		struct drm_plane *plane = drm_plane_from_base(output->base.planes[i]);
		struct buffer *landed = plane->pending;
		plane->pending = NULL;
		buffer_replace(&plane->shown, landed);
		buffer_unlock(landed);
	}
	if (!output->active) {
		drm_blank_finish(output->card, &output->blank);
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
		.commit = output->pending.commit,
		.presented = presented,
		.when = when,
		.refresh = period(output),
		.sequence = presented ? output->sequence : 0,
		.flags = presented ? (output->pending.tearing ? 0 : PRESENT_VSYNC) |
					     PRESENT_HW_CLOCK | PRESENT_HW_COMPLETION |
					     PRESENT_ZERO_COPY
				   : 0,
	};
	output->pending.commit = 0;
	signal_emit(&output->base.events.present, &present);
}

static void drop_held(struct drm_output *output)
{
	release_held(output);
	finish_frame(output, false, clock_now(output->card->backend->clock));
}

void drm_page_flip_drop(struct drm_output *output)
{
	bool asleep = output->base.asleep;
	/*
	 * Listeners of `present` must not commit the next frame: it would be dropped without an
	 * event.
	 */
	output->base.asleep = true;
	if (output->pending.serial) {
		complete(output);
	}
	release_held(output);
	if (output->pending.commit) {
		finish_frame(output, false, clock_now(output->card->backend->clock));
	}
	output->base.asleep = asleep;
}

void drm_output_handle_flip(
	struct drm_output *output, uint32_t serial, uint32_t sequence, int64_t when)
{
	if (output->pending.serial == 0 || output->pending.serial != serial) {
		return; /* the commit was dropped */
	}
	output->sequence += (uint32_t)(sequence - (uint32_t)output->sequence);
	complete(output);
	bool frame = output->pending.commit && !output->pending.held;
	if (frame) {
		drm_blank_finish(output->card, &output->blank);
		output->n_lost = 0;
		output->shown = true;
		finish_frame(output, true, when);
	}
}

/* A card that is being unplugged: outputs stay asleep until udev removes it. */
static int drm_output_note_unplugged(struct drm_output *output, int error)
{
	if (error == -ENODEV) {
		output->base.asleep = true;
	}
	return error;
}

/* Returns one fence for all planes' pending fences; -1: none; -2: failure. */
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

int64_t drm_flip_timeout(const struct drm_output *output)
{
	int64_t timeout = DRM_FLIP_TIMEOUT;
	for (int i = 0; i < output->n_lost && timeout < DRM_MODESET_TIMEOUT; i++) {
		timeout *= 2;
	}
	return timeout < DRM_MODESET_TIMEOUT ? timeout : DRM_MODESET_TIMEOUT;
}

/* Arms the watchdog for the commit in flight. */
static void watch(struct drm_output *output, bool modeset)
{
	int64_t now = clock_now(output->card->backend->clock);
	output->pending.since = now;
	timer_arm(&output->watchdog,
		now + (modeset ? DRM_MODESET_TIMEOUT : drm_flip_timeout(output)));
}

/*
 * Records an accepted commit: the buffers on screen stay locked beside the new ones until it
 * completes.
 */
static void record(struct drm_commit *commit, uint32_t serial, bool tearing)
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
		buffer_replace(&plane->pending, state->planes[i].state.buffer);
	}
	/* The event of an output without a CRTC goes to the one that has its CRTC. */
	output->pending.serial = output->crtc ? serial : 0;
	if (!output->crtc) {
		drm_blank_finish(output->card, &output->blank);
	}
	output->pending.tearing = tearing;
	output->active = commit->enabled;
	drm_commit_forget_hints(commit);
	output->left = NULL;
	if (!(output->stale & OUTPUT_ADAPTIVE_SYNC)) {
		output->accepted.adaptive_sync = state->fields & OUTPUT_ADAPTIVE_SYNC
							 ? state->adaptive_sync
							 : output->base.adaptive_sync;
	}
	if (!(output->stale & OUTPUT_CONTENT)) {
		output->accepted.content =
			state->fields & OUTPUT_CONTENT ? state->content : output->base.content;
	}
	output->due = output->refused = false;
	fd_close(&output->pending.kernel_fence);
	output->pending.kernel_fence = frame ? merge_fences(state) : -1;
	if (output->pending.serial) {
		watch(output, commit->modeset);
	}
}

/* Commits of one request. */
struct submission {
	struct drm_commit *commits;
	size_t n;
	uint32_t serial;
};

static int submit(void *data, uint32_t flags)
{
	const struct submission *submission = data;
	return drm_commits_run(submission->commits, submission->n, flags | DRM_MODE_PAGE_FLIP_EVENT,
		submission->serial);
}

static int run(struct drm_commit *commits, size_t n, uint32_t serial)
{
	struct submission submission = {commits, n, serial};
	return commits[0].modeset
		       ? drm_card_run_modeset(commits[0].output->card, false, submit, &submission)
		       : submit(&submission, DRM_MODE_ATOMIC_NONBLOCK);
}

static bool has_buffer(const struct drm_commit *commit, const struct buffer *buffer)
{
	const struct output_state *state = commit->state;
	for (int i = 0; i < state->n_planes; i++) {
		if (state->planes[i].state.buffer == buffer) {
			return true;
		}
	}
	return false;
}

/* Returns true if this frame removes the plane's buffer and a listener wants its release fence. */
static bool is_leaving(const struct drm_commit *commit, const struct drm_plane *plane)
{
	const struct buffer *shown = plane->shown;
	return shown && shown->n_locks == 1 &&
	       !wl_list_empty(&shown->events.leaving.listener_list) && !has_buffer(commit, shown);
}

/* Requests an out-fence if a buffer is about to be released. */
static void request_fence(struct drm_commit *commit, int32_t *fence)
{
	const struct drm_output *output = commit->output;
	bool frame = commit->state->fields & OUTPUT_PLANES;
	bool has = output->crtc && output->crtc->properties[CRTC_OUT_FENCE_PTR].id;
	for (int i = 0; frame && has && i < output->base.n_planes; i++) {
		if (is_leaving(commit, drm_plane_from_base(output->base.planes[i]))) {
			commit->out_fence = fence;
		}
	}
}

/* Hands the out-fence to the listeners of the buffers that this frame removes. */
static void emit_leaving(struct drm_commit *commit, int fence)
{
	const struct drm_output *output = commit->output;
	for (int i = 0; fence >= 0 && i < output->base.n_planes; i++) {
		const struct drm_plane *plane = drm_plane_from_base(output->base.planes[i]);
		if (is_leaving(commit, plane)) {
			signal_emit(&plane->shown->events.leaving, &fence);
		}
	}
}

int drm_commits_submit(struct drm_commit *commits, size_t n)
{
	struct drm_card *card = commits[0].output->card;
	uint32_t serial = card->serial = card->serial + 1 ? card->serial + 1 : 1;
	uint32_t flags = DRM_MODE_PAGE_FLIP_EVENT | DRM_MODE_ATOMIC_NONBLOCK;
	bool tears = n == 1 && commits[0].state->fields & OUTPUT_TEARING &&
		     drm_commit_run_async(&commits[0], flags, serial) == 0;
	int32_t fence = -1;
	if (!tears && n == 1) {
		request_fence(&commits[0], &fence);
	}
	int error = tears ? 0 : run(commits, n, serial);
	if (error == 0 && fence >= 0) {
		emit_leaving(&commits[0], fence);
	}
	commits[0].out_fence = NULL;
	fd_close(&fence);
	for (size_t i = 0; i < n; i++) {
		if (error == 0) {
			record(&commits[i], serial, tears);
		}
		drm_output_note_unplugged(commits[i].output, error);
	}
	return error;
}

void drm_output_return_hints(struct drm_output *output)
{
	output->base.adaptive_sync = output->accepted.adaptive_sync;
	output->base.content = output->accepted.content;
}

bool drm_refusal_may_pass(int error)
{
	return error_may_pass(error) || error == -EACCES || error == -EPERM || error == -ENODEV;
}

/*
 * The kernel did not take a frame. Changes that earlier frames have left to it may be untested: if
 * it was refused, the next frame goes without them.
 */
static void handle_failure(struct drm_output *output, int error)
{
	if (!drm_refusal_may_pass(error)) {
		output->stale &= DRM_COLORS;
		drm_output_return_hints(output);
	}
}

void drm_page_flip_proceed(struct drm_output *output)
{
	struct drm_commit commit;
	if (!output->pending.held) {
		return;
	}
	if (output->pending.outdated || !output->base.enabled) {
		drop_held(output);
		return;
	}
	if (output->pending.fence || output->pending.serial || output->due ||
		output->card->stalled) {
		return;
	}
	int error = -EINVAL;
	bool blocked = false;
	if (drm_commit_init(&commit, output, &output->pending.state)) {
		blocked = drm_commit_is_blocked(&commit);
		error = blocked ? 0 : drm_commits_submit(&commit, 1);
	}
	if (error == 0 && !blocked) {
		drm_commit_keep(&commit, true);
	}
	drm_commit_finish(&commit);
	if (blocked) {
		return;
	}
	if (error == 0) {
		release_held(output);
	} else if (error != -EBUSY || !drm_card_tries_again(output->card)) {
		log_warn("%s: dropping a held frame: %s", output->base.name, strerror(-error));
		handle_failure(output, error);
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
		output->card->proceed(output->card);
	} else {
		log_warn("%s: dropping a frame whose fence failed", output->base.name);
		drop_held(output);
		signal_emit(&output->base.events.needs_frame, NULL);
	}
	return 0;
}

/* Returns true if a fence is pending that the kernel does not wait for. */
static bool must_wait(const struct drm_card *card, const struct output_state *state)
{
	for (int i = 0; i < state->n_planes; i++) {
		const struct drm_plane *plane = drm_plane_from_base(state->planes[i].plane);
		int fence = state->planes[i].state.acquire_fence;
		if (fence >= 0 && !drm_plane_takes_fence(card, plane) && !fence_status(fence)) {
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
		output->pending.fence = wl_event_loop_add_fd(output->card->backend->loop, fence,
			WL_EVENT_READABLE, handle_fence, output);
		if (!output->pending.fence) {
			fd_close(&fence);
			return false;
		}
	}
	struct output_state *state = &output->pending.state;
	output->pending.fence_fd = fence;
	output->pending.commit = number;
	output->pending.held = true;
	*state = *commit->state;
	for (int i = 0; i < state->n_planes; i++) {
		buffer_lock(state->planes[i].state.buffer);
		state->planes[i].state.damage = NULL;
		state->planes[i].state.acquire_fence = -1;
	}
	/*
	 * Only the planes are held: all other state belongs to the output, and may change until
	 * then.
	 */
	output->stale |= state->fields & DRM_WITH_FRAME;
	state->fields &= OUTPUT_PLANES | OUTPUT_TEARING;
	if (commit->modeset) {
		drm_modeset_note_untested(commit);
		output->due = true;
	}
	drm_commit_keep(commit, false);
	return true;
}

bool drm_page_flip_start(struct drm_output *output, struct drm_commit *commit, uint32_t number)
{
	if (output->pending.serial || output->due || output->card->stalled ||
		drm_commit_is_blocked(commit) || must_wait(output->card, commit->state)) {
		return hold(output, commit, number);
	}
	int error = drm_commits_submit(commit, 1);
	if (error == -EAGAIN && must_wait(output->card, commit->state)) {
		return hold(output, commit, number);
	}
	error = error == -EAGAIN ? drm_commits_submit(commit, 1) : error;
	if (error == 0) {
		output->pending.commit = number;
		drm_commit_keep(commit, true);
		return true;
	}
	/* A modeset of one output may keep the driver busy for all outputs of the card. */
	if (error == -EBUSY && drm_card_tries_again(output->card)) {
		return hold(output, commit, number);
	}
	log_debug(LOG_BACKEND, "%s: commit: %s", output->base.name, strerror(-error));
	handle_failure(output, error);
	return false;
}
