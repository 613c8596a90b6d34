/*
 * Changes of what outputs are set to, which take the kernel long: it is told of them without waiting, and says
 * when they are done. While it is not done with what it has, it refuses what comes next with EBUSY, for all
 * outputs that the driver has to touch; what it refused so is due, and handed over when it is done.
 */

#include "backend/session.h"
#include "drm.h"
#include "gpu/gpu.h"
#include "util/log.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ns; where the kernel is busy with something that it will not tell us of. */
#define RETRY INT64_C(10000000)

bool drm_card_flies(const struct drm_card *card)
{
	const struct drm_output *output;
	wl_list_for_each (output, &card->outputs, link) {
		if (output->flight.serial) {
			return true;
		}
	}
	return false;
}

void drm_card_await(struct drm_card *card)
{
	int64_t now = clock_now(card->backend->clock);
	if (card->busy_since == 0) {
		card->busy_since = now;
	}
	if (!drm_card_flies(card)) {
		timer_arm(&card->retry, now + RETRY);
	}
}

/* Some drivers never say that they are done after they lost a flip: only who waits goes on then. */
bool drm_card_is_overdue(const struct drm_card *card)
{
	int64_t now = clock_now(card->backend->clock);
	return card->busy_since && now - card->busy_since >= DRM_FLIP_TIMEOUT;
}

/*
 * What drivers answer that change modes for those alone who wait. To have a thread wait would not free the loop:
 * the kernel keeps the locks that tests and scans of the card take until the change is done
 * (drm_mode_atomic_ioctl() drops them at its end).
 */
static bool is_for_waiting(int error)
{
	return error == -EINVAL || error == -EOPNOTSUPP || error == -ENOSYS;
}

int drm_card_change(
	struct drm_card *card, bool wait, int (*ask)(void *data, uint32_t flags), void *data)
{
	bool waits = wait || card->waits || drm_card_is_overdue(card);
	int error = ask(data, waits ? 0 : DRM_MODE_ATOMIC_NONBLOCK);
	if (!waits && is_for_waiting(error) && ask(data, 0) == 0) {
		log_info("%s: %s changes modes only while the session waits", card->gpu->bus_id,
			card->gpu->driver);
		card->waits = true;
		error = 0;
	}
	return error;
}

static void stall(struct drm_card *card)
{
	card->stalled = true;
	drm_card_await(card);
}

static bool is_free(const struct drm_commit *commits, size_t n)
{
	const struct drm_card *card = commits[0].output->card;
	bool free = !card->stalled && !card->unclean;
	for (size_t i = 0; i < n; i++) {
		free = free && !commits[i].output->flight.serial && !commits[i].output->due;
	}
	return free;
}

/* The next frame brings it, and may have no other reason to come. */
static void leave_to_frame(struct drm_commit *commit)
{
	struct drm_output *output = commit->output;
	uint32_t fields = commit->state->fields & DRM_WITH_FRAME;
	output->stale |= fields;
	drm_commit_keep(commit, false);
	if (fields && commit->enabled && !output->base.asleep) {
		signal_emit(&output->base.events.needs_frame, NULL);
	}
}

static void keep(struct drm_commit *commit, bool done)
{
	struct drm_output *output = commit->output;
	output->due |= !done;
	output->flight.outdated |= output->flight.held;
	drm_commit_keep(commit, done);
}

/* To the front; gives their number. */
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

/* The kernel may refuse it. What goes back to how it was is always taken. */
static bool is_bold(const struct drm_commit *commit)
{
	uint32_t others = DRM_WITH_FRAME & ~(uint32_t)DRM_COLORS;
	return commit->modeset || (commit->enabled && !commit->output->base.asleep &&
					  (commit->gamma_blob || commit->matrix_blob ||
						  commit->state->fields & others));
}

static int test(struct drm_commit *commits, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (is_bold(&commits[i])) {
			return drm_commits_run(commits, n, DRM_MODE_ATOMIC_TEST_ONLY, 0);
		}
	}
	return 0;
}

bool drm_changes_start(struct drm_commit *commits, size_t n)
{
	size_t n_modesets = sort_modesets(commits, n);
	bool now = n_modesets > 0 && is_free(commits, n_modesets);
	/* Who does it judges first, and says only after that that it is not done. */
	int error = now && n_modesets == n ? 0 : test(commits, n);
	if (error == 0 && now) {
		error = drm_flight_launch(commits, n_modesets);
	}
	if (error == -EBUSY) {
		stall(commits[0].output->card);
	}
	if (error < 0 && error != -EBUSY) {
		log_debug(LOG_BACKEND, "%s: it cannot be set so: %s", commits[0].output->base.name,
			strerror(-error));
		return false;
	}
	for (size_t i = 0; i < n_modesets; i++) {
		keep(&commits[i], error == 0 && now);
	}
	for (size_t i = n_modesets; i < n; i++) {
		leave_to_frame(&commits[i]);
	}
	return true;
}

static int launch(struct drm_output *const *outputs, size_t n)
{
	struct output_state state;
	struct drm_commit *commits = xcalloc(n, sizeof(*commits));
	output_state_init(&state);
	bool possible = true;
	for (size_t i = 0; i < n; i++) {
		possible = drm_commit_init(&commits[i], outputs[i], &state) && possible;
	}
	int error = possible ? drm_flight_launch(commits, n) : -EINVAL;
	for (size_t i = 0; i < n; i++) {
		if (error == 0) {
			drm_commit_keep(&commits[i], true);
		}
		drm_commit_finish(&commits[i]);
	}
	free(commits);
	return error;
}

/*
 * It was possible, and is not any more: off with it, be it in the mode that it had before. -EBUSY: as soon as
 * the kernel can do that.
 */
static int give_up(struct drm_output *output, int error)
{
	bool told = !output->base.enabled;
	if (!told) {
		log_warn("%s: its mode cannot be set: %s", output->base.name, strerror(-error));
		output->base.enabled = false;
	}
	error = !told && output->lit ? launch(&output, 1) : 0;
	output->due = error == -EBUSY;
	output->refused = !told;
	return output->due ? error : 0;
}

/* Those that are due, but for those whose flight has to end first. */
static size_t find_due(struct drm_card *card, struct drm_output **outputs, bool *all)
{
	struct drm_output *output;
	size_t n = 0;
	*all = true;
	wl_list_for_each (output, &card->outputs, link) {
		if (output->due && !output->base.enabled && !output->lit) {
			/* It never was on, or somebody else has left it so. */
			output->due = false;
			card->unclean = true;
		} else if (output->due && output->flight.serial) {
			*all = false;
		} else if (output->due) {
			output->refused = false;
			outputs[n++] = output;
		}
	}
	return n;
}

/* Together, since one may need what another gives up; else one by one. 0, -EBUSY or -EACCES. */
static int set_due(struct drm_card *card, struct drm_output **outputs, size_t n, bool all)
{
	int error = n > 0 ? launch(outputs, n) : 0;
	if (error == 0 || error == -EBUSY || error == -EACCES || error == -EPERM || !all) {
		return error == -EPERM ? -EACCES : error;
	}
	int busy = 0;
	for (size_t i = 0; i < n; i++) {
		error = n > 1 ? launch(&outputs[i], 1) : error;
		if (error < 0 && error != -EBUSY) {
			error = give_up(outputs[i], error);
		}
		busy = error < 0 ? error : busy;
	}
	return busy;
}

/* What was on the screen is gone, be it that it is off now. */
static void tell(struct drm_output *output)
{
	if (output->refused) {
		signal_emit(&output->base.events.changed, NULL);
	}
	signal_emit(&output->base.events.needs_frame, NULL);
}

static bool has_waiting(const struct drm_card *card)
{
	const struct drm_output *output;
	wl_list_for_each (output, &card->outputs, link) {
		if (output->due || output->flight.held) {
			return true;
		}
	}
	return card->stalled || card->unclean;
}

void drm_card_forget_flight(struct drm_card *card)
{
	if (has_waiting(card) && !drm_card_flies(card)) {
		timer_arm(&card->retry, clock_now(card->backend->clock) + RETRY);
	}
}

static void proceed_with_due(struct drm_card *card)
{
	struct drm_output **due =
		xcalloc((size_t)wl_list_length(&card->outputs) + 1, sizeof(struct drm_output *));
	bool all;
	size_t n = find_due(card, due, &all);
	bool waits = card->unclean && drm_card_clean(card, false) == -EBUSY;
	n = waits ? 0 : n;
	int error = set_due(card, due, n, all);
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
			/* Away again already, before it was said: the next return is near. */
			due[i]->base.asleep = true;
		} else if (!due[i]->due || due[i]->refused) {
			tell(due[i]);
		}
	}
	free(due);
}

void drm_card_proceed(struct drm_card *card)
{
	struct drm_output *output, *next;
	if (card->fd < 0 || !card->backend->session->active || !has_waiting(card)) {
		return;
	}
	proceed_with_due(card);
	wl_list_for_each_safe (output, next, &card->outputs, link) {
		drm_flight_proceed(output);
	}
}
