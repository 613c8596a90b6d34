/* SPDX-License-Identifier: MIT */
/*
 * Recovery of outputs whose commit the kernel never completes. The state is unknown then: the CRTC
 * is disabled first, since setting the same mode would change nothing.
 *
 * While a flip is lost, drivers refuse non-blocking commits with -EBUSY, and block other ones for
 * up to ten seconds (drm_atomic_helper_setup_commit()) or three (nvidia-drm, "Flip event timeout on
 * head"); amdgpu blocks both in its check (do_aquire_global_lock()). A thread waits for such a
 * commit. The commit's locks are those of the CRTC and of all connectors, so that page flips of
 * other outputs go on, and modesets wait; on amdgpu, they are those of all CRTCs. A probe holds the
 * lock of the connectors, so that even a non-blocking commit waits for it. The recovery
 * belongs to the card, since its commit goes on without the output.
 */

#include "commit.h"
#include "util/fd.h"
#include "util/fence.h"
#include "util/log.h"
#include "util/task.h"
#include "util/xalloc.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

/* Time (ns) for the loop to read an event of the card; a loop that is later has been stopped. */
#define READ_TIME INT64_C(10000000)

struct drm_recovery {
	struct wl_list link; /* drm_card.recoveries */
	struct drm_card *card;
	struct drm_output *output; /* NULL: destroyed, or asleep since */
	struct task *task; /* NULL: the commit was done at once */
};

/* Data of the task. */
struct disabling {
	int fd;
	drmModeAtomicReq *request;
	int error;
};

static void forget(struct drm_recovery *recovery)
{
	if (recovery->output) {
		recovery->output->recovery = NULL;
	}
	wl_list_remove(&recovery->link);
	free(recovery);
}

/* Sets the mode again as soon as the kernel is free. */
static void finish(struct drm_recovery *recovery, int error)
{
	struct drm_card *card = recovery->card;
	struct drm_output *output = recovery->output;
	if (output && error < 0) {
		log_warn("%s: cannot disable it: %s", output->base.name, strerror(-error));
	}
	if (output) {
		output->active = false;
		output->due = true;
	}
	forget(recovery);
	if (card->rescan) {
		drm_card_rescan(card, 0);
	}
	card->proceed(card);
	drm_card_request_deferred(card);
	drm_card_reconsider(card);
}

static void run(void *data)
{
	struct disabling *disabling = data;
	disabling->error = drmModeAtomicCommit(
		disabling->fd, disabling->request, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL);
}

static void handle_done(void *owner, void *data, int error)
{
	const struct disabling *disabling = data;
	finish(owner, disabling->error);
}

static void free_disabling(void *data)
{
	struct disabling *disabling = data;
	fd_close(&disabling->fd);
	drmModeAtomicFree(disabling->request);
	free(disabling);
}

static const struct task_impl task_impl = {
	.run = run,
	.done = handle_done,
	.free = free_disabling,
};

static struct drm_recovery *create(struct drm_output *output)
{
	struct drm_recovery *recovery = xcalloc(1, sizeof(*recovery));
	recovery->card = output->card;
	recovery->output = output;
	output->recovery = recovery;
	wl_list_insert(&output->card->recoveries, &recovery->link);
	return recovery;
}

static void disable(struct drm_recovery *recovery, bool alone)
{
	struct drm_card *card = recovery->card;
	struct disabling *disabling = xcalloc(1, sizeof(*disabling));
	disabling->fd = fd_dup(card->fd);
	disabling->request = drm_output_make_off(recovery->output);
	int error =
		!alone || card->probe || drm_card_has_quirk(card, DRM_QUIRK_CHECK_WAITS)
			? -EBUSY
			: drmModeAtomicCommit(card->fd, disabling->request,
				  DRM_MODE_ATOMIC_ALLOW_MODESET | DRM_MODE_ATOMIC_NONBLOCK, NULL);
	if (error == 0) {
		free_disabling(disabling);
		finish(recovery, 0);
	} else {
		recovery->task =
			task_start(card->backend->tasks, NULL, &task_impl, disabling, recovery, 0);
	}
}

/* Returns true if an event of the card waits to be read, perhaps the flip that seems lost. */
static bool has_event(const struct drm_card *card)
{
	struct pollfd event = {.fd = card->fd, .events = POLLIN};
	return poll(&event, 1, 0) > 0 && event.revents & POLLIN;
}

/* Returns true if the kernel may still wait for a fence of the frame, as for a GPU under load. */
static bool waits_for_fence(const struct drm_output *output, int64_t now)
{
	return output->pending.kernel_fence >= 0 && !fence_status(output->pending.kernel_fence) &&
	       now - output->pending.since < DRM_MODESET_TIMEOUT;
}

void drm_recovery_handle_watchdog(struct timer *timer, int64_t now)
{
	struct drm_output *output = wl_container_of(timer, output, watchdog);
	if (now - timer->when > READ_TIME && has_event(output->card)) {
		timer_arm(&output->watchdog, now + READ_TIME);
		return;
	}
	if (waits_for_fence(output, now)) {
		timer_arm(&output->watchdog, now + drm_flip_timeout(output));
		return;
	}
	if (output->pending.kernel_fence >= 0) {
		/* The fence has signalled since the last look, perhaps just now. */
		bool done = fence_status(output->pending.kernel_fence) != 0;
		fd_close(&output->pending.kernel_fence);
		if (done) {
			timer_arm(&output->watchdog, now + drm_flip_timeout(output));
			return;
		}
	}
	if (!output->lost_logged) {
		log_warn("%s: the kernel did not complete a commit within %d ms: disabling and "
			 "enabling it again",
			output->base.name, (int)((now - output->pending.since) / 1000000));
	}
	output->lost_logged = true;
	output->n_lost++;
	output->due = true;
	bool alone = !drm_card_is_recovering(output->card);
	struct drm_recovery *recovery = create(output);
	drm_page_flip_drop(output);
	disable(recovery, alone);
}

void drm_recovery_abandon(struct drm_output *output)
{
	if (output->recovery) {
		output->recovery->output = NULL;
		output->recovery = NULL;
	}
}

void drm_recoveries_drop(struct drm_card *card)
{
	struct drm_recovery *recovery, *next;
	wl_list_for_each_safe (recovery, next, &card->recoveries, link) {
		task_abandon(recovery->task);
		forget(recovery);
	}
}
