/* SPDX-License-Identifier: MIT */
/*
 * Recovery of outputs whose commit the kernel never completes. The state is unknown then: the CRTC
 * is disabled first, since setting the same mode would change nothing.
 *
 * While a flip is lost, drivers refuse non-blocking commits with -EBUSY, and block other ones for
 * up to ten seconds (drm_atomic_helper_setup_commit()) or three (nvidia-drm, "Flip event timeout on
 * head"); amdgpu blocks both in its check (do_aquire_global_lock()). A thread waits for such a
 * commit. Its locks are those of the CRTC and the connectors, so that page flips of other outputs
 * go on; tests of this output would wait, and fail instead.
 */

#include "drm.h"
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

/* Data of the task. */
struct recovery {
	int fd;
	drmModeAtomicReq *request;
	int error;
};

static int64_t flip_timeout(const struct drm_output *output)
{
	int64_t timeout = DRM_FLIP_TIMEOUT;
	for (int i = 0; i < output->n_lost && timeout < DRM_MODESET_TIMEOUT; i++) {
		timeout *= 2;
	}
	return timeout < DRM_MODESET_TIMEOUT ? timeout : DRM_MODESET_TIMEOUT;
}

void drm_recovery_watch(struct drm_output *output, bool modeset)
{
	int64_t now = clock_now(output->card->backend->clock);
	output->pending.since = now;
	timer_arm(&output->watchdog, now + (modeset ? DRM_MODESET_TIMEOUT : flip_timeout(output)));
}

/* Sets the mode again as soon as the kernel is free. */
static void finish(struct drm_output *output, int error)
{
	if (error < 0) {
		log_warn("%s: cannot disable it: %s", output->base.name, strerror(-error));
	}
	output->recovering = output->active = false;
	output->due = true;
	drm_card_proceed(output->card);
}

static void run(void *data)
{
	struct recovery *recovery = data;
	recovery->error = drmModeAtomicCommit(
		recovery->fd, recovery->request, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL);
}

static void handle_done(void *owner, void *data, int error)
{
	const struct recovery *recovery = data;
	struct drm_output *output = owner;
	output->recovery = NULL;
	finish(output, recovery->error);
}

static void free_recovery(void *data)
{
	struct recovery *recovery = data;
	fd_close(&recovery->fd);
	drmModeAtomicFree(recovery->request);
	free(recovery);
}

static const struct task_impl task_impl = {
	.run = run,
	.done = handle_done,
	.free = free_recovery,
};

static void disable(struct drm_output *output)
{
	struct drm_card *card = output->card;
	struct recovery *recovery = xcalloc(1, sizeof(*recovery));
	recovery->fd = fd_dup(card->fd);
	recovery->request = drm_output_make_off(output);
	int error =
		drm_card_has_quirk(card, DRM_QUIRK_CHECK_WAITS)
			? -EBUSY
			: drmModeAtomicCommit(card->fd, recovery->request,
				  DRM_MODE_ATOMIC_ALLOW_MODESET | DRM_MODE_ATOMIC_NONBLOCK, NULL);
	if (error == 0) {
		free_recovery(recovery);
		finish(output, 0);
	} else {
		output->recovery =
			task_start(card->backend->tasks, NULL, &task_impl, recovery, output, 0);
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
		timer_arm(&output->watchdog, now + flip_timeout(output));
		return;
	}
	if (output->pending.kernel_fence >= 0) {
		/* The fence has signalled since the last look, perhaps just now. */
		bool done = fence_status(output->pending.kernel_fence) != 0;
		fd_close(&output->pending.kernel_fence);
		if (done) {
			timer_arm(&output->watchdog, now + flip_timeout(output));
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
	output->recovering = output->due = true;
	drm_page_flip_drop(output);
	disable(output);
}

void drm_recovery_abandon(struct drm_output *output)
{
	task_abandon(output->recovery);
	output->recovery = NULL;
	output->recovering = false;
}
