/* SPDX-License-Identifier: MIT */
/*
 * Frame callbacks and presentation feedback: sent once per frame, by the surface's primary output.
 * handle_present() in frame/output.c calls present_done() when a page flip has completed.
 */

#include "frame/present.h"
#include "content/content.h"
#include "frame/internal.h"
#include "util/list.h"

/*
 * Moves the surface's feedback to the frame being prepared, which determines whether the client's
 * own buffer is scanned out.
 */
static void take_feedbacks(struct frame_output *frame, struct surface *surface)
{
	struct wl_list *feedbacks = &surface->current.feedbacks;
	struct presentation_feedback *feedback;
	bool direct = content_is_scanned_out(frame->device, frame->scene_output, surface);
	wl_list_for_each (feedback, feedbacks, link) {
		feedback->direct = direct;
	}
	wl_list_insert_list(frame->feedbacks.prev, feedbacks);
	list_init(feedbacks);
}

/*
 * Stops waiting for frames of the output. The feedback of a covered surface stays: its update is
 * not presented, unless the surface becomes visible before the next one.
 */
static void stop_waiting(struct scene_surface *content)
{
	const struct surface *surface = content->surface;
	wl_list_remove(&content->waiting_link);
	list_init(&content->waiting_link);
	if (content->primary_output < 0 && !list_is_empty(&surface->current.feedbacks)) {
		wl_list_insert(content->node.scene->hidden.prev, &content->waiting_link);
	}
}

void present_take(struct frame_output *frame, struct wl_list *barriers)
{
	struct scene_surface *content, *next;
	list_init(barriers);
	wl_list_for_each_safe (content, next, &frame->scene_output->waiting, waiting_link) {
		struct surface_state *state = &content->surface->current;
		wl_list_insert_list(frame->callbacks.prev, &state->frame_callbacks);
		list_init(&state->frame_callbacks);
		const bool covered = content->primary_output < 0;
		if (!content->surface->barrier && (covered || list_is_empty(&state->feedbacks))) {
			stop_waiting(content);
			continue;
		}
		enum content_status shown =
			content_shown(frame->device, frame->scene_output, content);
		if (shown == CONTENT_READY && !covered && !list_is_empty(&state->feedbacks)) {
			take_feedbacks(frame, content->surface);
		}
		if (content->surface->barrier) {
			if (shown != CONTENT_PENDING) {
				wl_list_remove(&content->waiting_link);
				wl_list_insert(barriers->prev, &content->waiting_link);
			}
		} else if (list_is_empty(&state->feedbacks)) {
			wl_list_remove(&content->waiting_link);
			list_init(&content->waiting_link);
		}
	}
}

void present_latch(struct frame_output *frame, struct wl_list *barriers)
{
	/* Updates that apply now may wait again, on the output's list. */
	while (!list_is_empty(barriers)) {
		struct scene_surface *content =
			wl_container_of(barriers->next, content, waiting_link);
		wl_list_remove(&content->waiting_link);
		list_init(&content->waiting_link);
		surface_latch(content->surface);
		if (list_is_empty(&content->waiting_link)) {
			scene_surface_wait(content);
		}
	}
}

void present_send_callbacks(struct frame_output *frame, int64_t now)
{
	frame_callbacks_send(&frame->callbacks, clock_ms(now));
}

/* `present` NULL: discards the feedback. */
static void send_feedback(struct wl_list *feedbacks, const struct frame_output *frame,
	const struct output_present *present)
{
	while (!list_is_empty(feedbacks)) {
		struct presentation_feedback *feedback =
			wl_container_of(feedbacks->next, feedback, link);
		wl_list_remove(&feedback->link);
		list_init(&feedback->link);
		if (present) {
			struct output_present sent = *present;
			sent.flags &= feedback->direct ? ~0u : ~(uint32_t)PRESENT_ZERO_COPY;
			feedback->presented(feedback, frame->output, &sent);
		} else {
			feedback->discarded(feedback);
		}
	}
}

void present_done(struct frame_output *frame, const struct output_present *present)
{
	send_feedback(&frame->feedbacks, frame, present->presented ? present : NULL);
	present_send_callbacks(frame, present->when);
}

static void send_estimated(struct frame_output *frame, int64_t now)
{
	/* An update without damage leaves the screen unchanged and counts as presented. */
	struct output_present present = {
		.presented = true,
		.when = now,
		.refresh = frame->output->adaptive_sync ? 0 : (uint32_t)frame->schedule.refresh,
	};
	send_feedback(&frame->feedbacks, frame, &present);
	present_send_callbacks(frame, now);
}

void present_estimate(struct frame_output *frame, int64_t vblank)
{
	struct wl_list barriers;
	if (!frame->due.armed) {
		vblank = schedule_estimate(&frame->schedule, vblank);
		timer_arm(&frame->due, vblank);
	}
	frame->estimated = true;
	present_take(frame, &barriers);
	if (!list_is_empty(&barriers)) {
		/* The next request is for the vblank after this one. */
		schedule_started(&frame->schedule, vblank);
	}
	present_latch(frame, &barriers);
}

void present_end_estimate(struct frame_output *frame, int64_t now)
{
	timer_disarm(&frame->due);
	if (frame->estimated) {
		frame->estimated = false;
		send_estimated(frame, now);
	}
}

void present_discard(struct frame_output *frame)
{
	send_feedback(&frame->feedbacks, frame, NULL);
	present_send_callbacks(frame, clock_now(frame->clock));
}

void present_discard_ahead(struct frame_output *frame)
{
	send_feedback(&frame->ahead_feedbacks, frame, NULL);
	frame_callbacks_send(&frame->ahead_callbacks, clock_ms(clock_now(frame->clock)));
}
