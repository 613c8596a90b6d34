/* SPDX-License-Identifier: MIT */
/* Page flips on emulated CRTCs and their completion events. */

#include "state.h"
#include <assert.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* The kernel drops the events of a file that is closed: drm_events_release(). */
static bool is_closed(const struct fake_file *file)
{
	struct pollfd end = {.fd = file->writer};

	return poll(&end, 1, 0) > 0 && end.revents & POLLERR;
}

static void send_event(const struct fake_object *crtc, int64_t when)
{
	struct drm_event_vblank event = {
		.base = {.type = DRM_EVENT_FLIP_COMPLETE, .length = sizeof(event)},
		.user_data = crtc->user_data,
		.tv_sec = (uint32_t)(when / 1000000000),
		.tv_usec = (uint32_t)(when % 1000000000 / 1000),
		.sequence = crtc->sequence,
		.crtc_id = crtc->id,
	};

	assert(write(crtc->file->writer, &event, sizeof(event)) == sizeof(event));
}

void fake_flip_finish(struct fake_card *card, struct fake_object *crtc, int64_t when, bool send)
{
	crtc->sequence++;
	crtc->last = when;
	if (send && crtc->event && crtc->file && !is_closed(crtc->file)) {
		send_event(crtc, when);
	}
	if (crtc->out_fence) {
		fake_fence_set(crtc->out_fence, 1);
	}
	if (crtc->fence >= 0) {
		close(crtc->fence);
	}
	crtc->fence = -1;
	crtc->out_fence = NULL;
	crtc->flying = crtc->event = crtc->setting = crtc->lost = false;
	crtc->file = NULL;
}

static bool is_ready(const struct fake_object *crtc)
{
	struct fake_fence *fence = crtc->fence >= 0 ? fake_fence_find(crtc->fence) : NULL;

	return !fence || fake_fence_status(fence) != 0;
}

void fake_flip_start(struct fake_card *card, struct fake_object *crtc, bool now)
{
	bool at_once = crtc->setting ? card->modesets == FAKE_MODESETS_AT_ONCE
				     : card->flips == FAKE_FLIPS_AT_ONCE && is_ready(crtc);

	crtc->flying = true;
	if (now || (at_once && !crtc->lost)) {
		fake_flip_finish(card, crtc, now_ns(), true);
	}
}

void fake_card_pass_vblanks(struct fake_card *card, uint32_t n)
{
	for (int i = 0; i < card->n_objects; i++) {
		card->objects[i].sequence += n;
	}
}

int fake_card_vblank(struct fake_card *card, int64_t when)
{
	int n = 0;

	fake_lock();
	for (int i = 0; i < card->n_objects; i++) {
		struct fake_object *crtc = &card->objects[i];

		if (crtc->type == DRM_MODE_OBJECT_CRTC && crtc->flying && !crtc->setting &&
			is_ready(crtc) && !crtc->lost && card->flips != FAKE_FLIPS_LOST) {
			n += crtc->event;
			fake_flip_finish(card, crtc, when, true);
		}
	}
	fake_unlock();
	return n;
}

bool fake_card_has_flips(const struct fake_card *card)
{
	bool has = false;

	fake_lock();
	for (int i = 0; i < card->n_objects; i++) {
		const struct fake_object *crtc = &card->objects[i];
		has |= crtc->type == DRM_MODE_OBJECT_CRTC && crtc->flying && !crtc->setting;
	}
	fake_unlock();
	return has;
}

int fake_card_finish_modesets(struct fake_card *card)
{
	int n = 0;

	fake_lock();
	for (int i = 0; i < card->n_objects; i++) {
		struct fake_object *crtc = &card->objects[i];

		if (crtc->type == DRM_MODE_OBJECT_CRTC && crtc->setting) {
			n++;
			fake_flip_finish(card, crtc, now_ns(), true);
		}
	}
	fake_unlock();
	return n;
}

void fake_card_forget_flips(struct fake_card *card)
{
	fake_lock();
	for (int i = 0; i < card->n_objects; i++) {
		struct fake_object *crtc = &card->objects[i];

		if (crtc->type == DRM_MODE_OBJECT_CRTC && crtc->flying) {
			fake_flip_finish(card, crtc, now_ns(), false);
		}
	}
	fake_unlock();
}
