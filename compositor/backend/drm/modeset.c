/* SPDX-License-Identifier: MIT */
/*
 * KMS modesets: queued while the kernel is busy. Modesets are committed without blocking, and the
 * kernel reports their completion by an event. Until then it refuses the next commit with -EBUSY,
 * for every output that the driver has to touch. A refused change is marked `due` and committed
 * again after the event.
 */

#include "backend/session.h"
#include "commit.h"
#include "crtc.h"
#include "gpu/gpu.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void stall(struct drm_card *card)
{
	card->stalled = true;
	drm_card_await(card);
}

static bool is_free(const struct drm_commit *commits, size_t n)
{
	const struct drm_card *card = commits[0].output->card;
	bool free = !card->stalled && !card->unclean && !drm_card_holds_connectors(card);
	for (size_t i = 0; i < n; i++) {
		free = free && !commits[i].output->pending.serial && !commits[i].output->due;
	}
	return free;
}

/* Leaves the change to the next frame, and requests one. */
static void defer_to_frame(struct drm_commit *commit)
{
	struct drm_output *output = commit->output;
	uint32_t fields = commit->state->fields & DRM_WITH_FRAME;
	output->stale |= fields;
	drm_commit_keep(commit, false);
	if (fields && commit->enabled && !output->base.asleep) {
		signal_emit(&output->base.events.needs_frame, NULL);
	}
}

/* Returns to the mode that the kernel still has. */
static void keep_mode(struct drm_output *output)
{
	output->base.mode = output->untested.mode;
	output->base.bit_depth = output->untested.bit_depth;
	output->pending.outdated |= output->pending.held;
	output->refresh = output->untested.refresh;
	drm_output_return_hints(output);
	if (output->untested.mode_blob) {
		drmModeDestroyPropertyBlob(output->card->fd, output->mode_blob);
		output->mode_blob = output->untested.mode_blob;
		output->untested.mode_blob = 0;
	}
	drm_modeset_forget_untested(output);
}

static void keep_modeset(struct drm_commit *commit, bool done)
{
	struct drm_output *output = commit->output;
	if (!done) {
		drm_modeset_note_untested(commit);
		output->stale |= commit->state->fields & DRM_WITH_FRAME;
	} else {
		drm_modeset_forget_untested(output);
	}
	output->due |= !done;
	output->pending.outdated |= output->pending.held;
	drm_commit_keep(commit, done);
}

/* Moves modesets to the front; returns their number. */
static size_t sort_modesets(struct drm_commit *commits, size_t n)
{
	size_t n_modesets = 0;
	for (size_t i = 0; i < n; i++) {
		if (commits[i].modeset) {
			struct drm_commit modeset = commits[i];
			commits[i] = commits[n_modesets];
			commits[n_modesets++] = modeset;
		}
	}
	return n_modesets;
}

/*
 * Returns true if the kernel may refuse the commit. Disabling, and resetting a property to its
 * default, always succeeds.
 */
static bool may_be_refused(const struct drm_commit *commit)
{
	uint32_t others = DRM_WITH_FRAME & ~(uint32_t)DRM_COLORS;
	return commit->modeset || (commit->enabled && !commit->output->base.asleep &&
					  (commit->gamma_blob || commit->matrix_blob ||
						  commit->state->fields & others));
}

int drm_modesets_test(struct drm_commit *commits, size_t n)
{
	return drm_card_holds_connectors(commits[0].output->card)
		       ? 0
		       : drm_commits_run(commits, n, DRM_MODE_ATOMIC_TEST_ONLY, 0);
}

static int test(struct drm_commit *commits, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (may_be_refused(&commits[i])) {
			return drm_modesets_test(commits, n);
		}
	}
	return 0;
}

bool drm_modesets_start(struct drm_commit *commits, size_t n)
{
	size_t n_modesets = sort_modesets(commits, n);
	bool now = n_modesets > 0 && is_free(commits, n_modesets);
	/*
	 * A modeset without TEST_ONLY is validated before -EBUSY is returned, so that it needs no
	 * test.
	 */
	int error = now && n_modesets == n ? 0 : test(commits, n);
	if (error == 0 && now) {
		error = drm_commits_submit(commits, n_modesets);
	}
	if (error == -EBUSY) {
		stall(commits[0].output->card);
	}
	if (error < 0 && error != -EBUSY) {
		log_debug(LOG_BACKEND, "%s: the driver refused the change: %s",
			commits[0].output->base.name, strerror(-error));
		return false;
	}
	for (size_t i = 0; i < n_modesets; i++) {
		keep_modeset(&commits[i], error == 0 && now);
	}
	for (size_t i = n_modesets; i < n; i++) {
		defer_to_frame(&commits[i]);
	}
	return true;
}

static int submit(struct drm_output *const *outputs, size_t n)
{
	struct output_state state;
	struct drm_commit *commits = xcalloc(n, sizeof(*commits));
	output_state_init(&state);
	bool possible = true;
	for (size_t i = 0; i < n; i++) {
		possible = drm_commit_init(&commits[i], outputs[i], &state) && possible;
	}
	int error = possible ? drm_commits_submit(commits, n) : -EINVAL;
	for (size_t i = 0; i < n; i++) {
		if (error == 0) {
			drm_commit_keep(&commits[i], true);
			drm_modeset_forget_untested(outputs[i]);
		}
		drm_commit_finish(&commits[i]);
	}
	free(commits);
	return error;
}

/*
 * Turns the output off after its modeset failed, which had passed its test, or leaves it in its
 * mode if no test was possible. Returns -EBUSY if the kernel must complete a commit first.
 */
static int give_up(struct drm_output *output, int error)
{
	bool was_disabled = !output->base.enabled;
	if (!was_disabled && output->untested.valid && output->active) {
		log_warn("%s: cannot set the new mode: %s; the output keeps its mode",
			output->base.name, strerror(-error));
		keep_mode(output);
		output->due = false;
		output->refused = true;
		return 0;
	}
	if (!was_disabled) {
		log_warn("%s: cannot set its mode: %s; the output is disabled", output->base.name,
			strerror(-error));
		output->base.enabled = false;
	}
	error = was_disabled ? error : output->active ? submit(&output, 1) : -EINVAL;
	output->due = error == -EBUSY;
	output->refused = !was_disabled;
	if (error < 0 && !output->due) {
		/* The kernel may have it lit still, or all the time after the session's return. */
		output->active = false;
		output->card->unclean = true;
	}
	return output->due ? error : 0;
}

/* Collects the due outputs that have no commit in flight. *all: there are no others. */
static size_t find_due(struct drm_card *card, struct drm_output **outputs, bool *all)
{
	struct drm_output *output;
	size_t n = 0;
	*all = true;
	wl_list_for_each (output, &card->outputs, link) {
		if (output->due && !output->base.enabled && !output->active) {
			/* it was never enabled, or another DRM master left it enabled */
			output->due = false;
			card->unclean = true;
		} else if (output->due && output->pending.serial) {
			*all = false;
		} else if (output->due) {
			output->refused = false;
			outputs[n++] = output;
		}
	}
	return n;
}

/*
 * Sets the outputs in one commit, since one may need bandwidth that another releases; if that
 * fails, one by one. Returns 0, -EBUSY or -EACCES.
 */
static int set_due(struct drm_card *card, struct drm_output **outputs, size_t n, bool all)
{
	int error = n > 0 ? submit(outputs, n) : 0;
	if (error == 0 || error == -EBUSY || error == -EACCES || error == -EPERM || !all) {
		return error == -EPERM ? -EACCES : error;
	}
	if (drm_crtcs_return(card)) {
		log_warn("%s: cannot move outputs to other CRTCs: %s", card->gpu->bus_id,
			strerror(-error));
	}
	int busy = 0;
	for (size_t i = 0; i < n; i++) {
		error = n > 1 ? submit(&outputs[i], 1) : error;
		if (error < 0 && error != -EBUSY) {
			error = give_up(outputs[i], error);
		}
		busy = error < 0 ? error : busy;
	}
	return busy;
}

/* Emits events for the lost contents of the screen, and for other planes or a lost mode. */
static void emit_lost(struct drm_output *output, uint32_t planes_id)
{
	if (output->refused || output->base.planes_id != planes_id) {
		signal_emit(&output->base.events.changed, NULL);
	}
	signal_emit(&output->base.events.needs_frame, NULL);
}

static void proceed_with_due(struct drm_card *card)
{
	struct drm_output **due =
		xcalloc((size_t)wl_list_length(&card->outputs) + 1, sizeof(struct drm_output *));
	uint32_t *planes_ids =
		xcalloc((size_t)wl_list_length(&card->outputs) + 1, sizeof(uint32_t));
	bool all;
	size_t n = find_due(card, due, &all);
	bool waits = card->unclean && drm_card_clean(card, false) == -EBUSY;
	n = waits ? 0 : n;
	for (size_t i = 0; i < n; i++) {
		planes_ids[i] = due[i]->base.planes_id;
	}
	int error = set_due(card, due, n, all);
	waits |= error == 0 && card->unclean && drm_card_clean(card, false) == -EBUSY;
	card->stalled = false;
	if (error == -EBUSY) {
		stall(card);
	} else if (!waits) {
		card->busy_since = 0;
		if (!card->rescan) {
			timer_disarm(&card->retry);
		}
	}
	for (size_t i = 0; i < n; i++) {
		if (error == -EACCES) {
			/*
			 * The session is inactive again, before its signal: the next activation
			 * sets the mode.
			 */
			due[i]->base.asleep = true;
			drm_page_flip_drop(due[i]);
		} else if (!due[i]->due || due[i]->refused) {
			emit_lost(due[i], planes_ids[i]);
		}
	}
	free(due);
	free(planes_ids);
}

void drm_card_proceed(struct drm_card *card)
{
	struct drm_output *output, *next;
	if (card->fd < 0 || !card->backend->session->active || !drm_card_has_waiting(card)) {
		return;
	}
	if (!drm_card_holds_connectors(card)) {
		proceed_with_due(card);
	}
	wl_list_for_each_safe (output, next, &card->outputs, link) {
		drm_page_flip_proceed(output);
	}
	drm_card_proceed_with_probe(card);
}
