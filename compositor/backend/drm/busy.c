/* SPDX-License-Identifier: MIT */
/* Work of a card that the kernel has not taken: questions about it, and the timer of its retry. */

#include "commit.h"
#include "gpu/gpu.h"
#include "util/log.h"
#include <errno.h>

/* Retry interval, ns, while the kernel is busy with work that sends no event. */
#define RETRY INT64_C(10000000)

/* Modesets in a row that blocking commits made after a refusal: a single one may be by chance. */
#define WAITED_MAX 2

bool drm_card_is_recovering(const struct drm_card *card)
{
	return !wl_list_empty(&card->recoveries);
}

bool drm_output_is_blocked(const struct drm_output *output)
{
	return output->recovery || (drm_card_is_recovering(output->card) &&
					   drm_card_has_quirk(output->card, DRM_QUIRK_CHECK_WAITS));
}

bool drm_card_holds_connectors(const struct drm_card *card)
{
	return card->probe || drm_card_is_recovering(card);
}

bool drm_card_has_pending(const struct drm_card *card)
{
	const struct drm_output *output;
	wl_list_for_each (output, &card->outputs, link) {
		if (output->pending.serial) {
			return true;
		}
	}
	return false;
}

bool drm_card_has_waiting(const struct drm_card *card)
{
	const struct drm_output *output;
	wl_list_for_each (output, &card->outputs, link) {
		if (output->due || output->pending.held) {
			return true;
		}
	}
	return card->stalled || card->unclean;
}

bool drm_card_tries_again(const struct drm_card *card)
{
	return drm_card_has_pending(card) || card->unclean;
}

void drm_card_await(struct drm_card *card)
{
	int64_t now = clock_now(card->backend->clock);
	if (card->busy_since == 0) {
		card->busy_since = now;
	}
	if (!drm_card_has_pending(card)) {
		timer_arm(&card->retry, now + RETRY);
	}
}

void drm_card_forget_pending(struct drm_card *card)
{
	if (drm_card_has_waiting(card) && !drm_card_has_pending(card)) {
		timer_arm(&card->retry, clock_now(card->backend->clock) + RETRY);
	}
}

void drm_card_rescan(struct drm_card *card, int64_t pause)
{
	card->rescan = true;
	timer_arm(&card->retry, clock_now(card->backend->clock) + pause);
}

/*
 * Some drivers lose a flip and report -EBUSY forever; only a blocking commit succeeds after that.
 */
static bool is_overdue(const struct drm_card *card)
{
	int64_t now = clock_now(card->backend->clock);
	return card->busy_since && now - card->busy_since >= DRM_MODESET_TIMEOUT;
}

/*
 * Returns true for the errors of drivers that refuse a modeset with DRM_MODE_ATOMIC_NONBLOCK. A
 * thread for the blocking commit would not help: the kernel holds the locks that tests and
 * connector scans need until the commit is done (drm_mode_atomic_ioctl() drops them at its end).
 */
static bool needs_blocking(int error)
{
	return error == -EINVAL || error == -EOPNOTSUPP || error == -ENOSYS;
}

int drm_card_run_modeset(
	struct drm_card *card, bool wait, int (*ask)(void *data, uint32_t flags), void *data)
{
	bool waits = wait || card->n_waited == WAITED_MAX || is_overdue(card);
	int error = ask(data, waits ? 0 : DRM_MODE_ATOMIC_NONBLOCK);
	if (!waits && error == 0) {
		card->n_waited = 0;
	} else if (!waits && needs_blocking(error) && ask(data, 0) == 0) {
		card->n_waited++;
		error = 0;
		if (card->n_waited == WAITED_MAX) {
			log_info("%s: %s sets modes only with blocking commits", card->gpu->bus_id,
				card->gpu->driver);
		}
	}
	return error;
}

void drm_card_request_deferred(struct drm_card *card)
{
	struct drm_output *output, *next;
	wl_list_for_each_safe (output, next, &card->outputs, link) {
		if (output->stale && output->base.enabled && !output->base.asleep) {
			signal_emit(&output->base.events.needs_frame, NULL);
		}
	}
}

void drm_card_reconsider(struct drm_card *card)
{
	struct drm_output *output, *next;
	wl_list_for_each_safe (output, next, &card->outputs, link) {
		signal_emit(&output->base.events.reconsider, NULL);
	}
}
