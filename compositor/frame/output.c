/* SPDX-License-Identifier: MIT */
/* Frame loop of an output: its states, from damage to presentation. */

#include "content/content.h"
#include "frame/frame.h"
#include "frame/internal.h"
#include "frame/present.h"
#include "util/fd.h"
#include "util/worker.h"
#include "util/xalloc.h"
#include <assert.h>
#include <stdlib.h>

/*
 * A failed frame is retried after a period, REFUSALS_AT_ONCE times; then after delays that double.
 */
#define REFUSALS_AT_ONCE 4
#define RETRY_DELAY INT64_C(30000000)
#define RETRY_DELAY_MAX INT64_C(900000000)

static void destroy_addon(struct addon *addon)
{
	addon_finish(addon);
}

static const struct addon_impl addon_impl = {.name = "frame_output", .destroy = destroy_addon};

struct frame_output *frame_output_find(const struct scene_output *scene_output)
{
	struct addon *addon = addon_find(&scene_output->output->addons, scene_output, &addon_impl);
	struct frame_output *frame;
	return addon ? wl_container_of(addon, frame, addon) : NULL;
}

static int64_t find_spare(const struct scene_output *output)
{
	return schedule_spare(&frame_output_find(output)->schedule);
}

void frame_output_set_scanout(struct frame_output *frame, bool enabled)
{
	uint32_t bit = 1u << frame->scene_output->index;
	uint32_t *outputs = &frame->device->scanout_outputs;
	*outputs = enabled ? *outputs | bit : *outputs & ~bit;
}

struct route_choice frame_route(const struct scene_output *output, const struct surface *surface)
{
	const struct frame_output *frame = frame_output_find(output);
	if (!frame) {
		return (struct route_choice){.reason = REASON_HIDDEN};
	}
	const struct scene_surface *content = scene_surface_find(surface);
	return content_explain_route(frame->device, output, surface,
		content ? scanout_reason(frame->scanout, &content->node) : REASON_HIDDEN);
}

/*
 * Schedules the queued frame, with the backend's current capabilities, which may change with each
 * commit.
 */
static void decide(struct frame_output *frame)
{
	struct schedule *schedule = &frame->schedule;
	int64_t now = clock_turn(frame->clock);
	schedule->variable = frame->output->adaptive_sync;
	schedule->copies = frame->device->copies_due;
	struct schedule_decision decision = schedule_decide(schedule, now, frame->cause);
	frame->vblank = decision.vblank;
	frame->asked = now;
	frame->open_until = decision.vblank - schedule_lead(schedule);
	if (decision.start > now) {
		timer_arm(&frame->timer, decision.start);
	} else {
		timer_arm_soon(&frame->timer, now);
	}
}

/*
 * Tells the scheduler about content that arrives in a later turn of the loop than the frame's
 * request, and before its latest start.
 */
static void notice_more(struct frame_output *frame)
{
	if (frame->open_until == 0) {
		return;
	}
	int64_t now = clock_turn(frame->clock);
	if (now == frame->asked) {
		return;
	}
	if (now < frame->open_until) {
		schedule_note_late_content(&frame->schedule);
	}
	frame->open_until = 0;
}

/* Returns the reason for the next frame, as far as it is known before the scene is updated. */
static enum schedule_cause find_cause(const struct frame_output *frame)
{
	const struct scene_output *scene_output = frame->scene_output;
	const struct scene *scene = scene_output->scene;
	bool content = scene->dirty || scene_output->animated || !wl_list_empty(&scene->damaged) ||
		       scene_output_is_damaged(scene_output) || !scene->cursor_dirty;
	return !content ? SCHEDULE_CURSOR : frame->hints.tears ? SCHEDULE_TEAR : SCHEDULE_CONTENT;
}

/*
 * Requests a frame after the one in flight, or draws it ahead if frames take longer than a period.
 */
static void schedule_ahead(struct frame_output *frame)
{
	frame->again = true;
	if (frame->ahead.buffer || frame->timer.armed || frame->torn ||
		!schedule_overlaps(&frame->schedule)) {
		return;
	}
	timer_arm(&frame->timer, frame->began + frame->schedule.refresh);
}

/* Requests a frame. Without damage nothing is drawn, but callbacks are sent. */
static void schedule(struct frame_output *frame)
{
	if (frame->frozen || !frame->output->enabled) {
		return;
	}
	if (frame->output->asleep) {
		scene_output_set_awake(frame->scene_output, false);
		return;
	}
	enum schedule_cause cause = find_cause(frame);
	notice_more(frame);
	switch (frame->state) {
	case FRAME_QUEUED:
		if (frame->waits_until) {
			/* A copy has completed. */
			timer_arm_soon(&frame->timer, clock_now(frame->clock));
			return;
		}
		if (frame->cause != SCHEDULE_CURSOR || cause == SCHEDULE_CURSOR) {
			return;
		}
		break;
	case FRAME_FLIPPING: schedule_ahead(frame); return;
	case FRAME_IDLE:
	case FRAME_ESTIMATED: break;
	}
	frame->cause = cause;
	frame->state = FRAME_QUEUED;
	decide(frame);
}

void frame_output_set_meter(struct frame_output *frame, struct meter *meter)
{
	frame->meter = meter;
}

struct frame_events *frame_output_events(struct frame_output *frame)
{
	return &frame->events;
}

const struct frame_stats *frame_output_stats(const struct frame_output *frame)
{
	return &frame->stats;
}

const struct schedule *frame_output_timing(const struct frame_output *frame)
{
	return &frame->schedule;
}

struct render_device *frame_output_device(const struct frame_output *frame)
{
	return frame->device;
}

int frame_output_fence(const struct frame_output *frame)
{
	return frame->fence;
}

void frame_output_configure(struct frame_output *frame, const struct schedule_settings *settings,
	const struct frame_display *display)
{
	frame->schedule.settings = *settings;
	frame->display = *display;
	frame->cpu_composer.refused = false;
	if (!display->cpu_composition) {
		cpu_composer_end(frame);
	}
}

bool frame_output_economise(struct frame_output *frame, enum frame_economy economy)
{
	bool overlays = scanout_reconsider(frame->scanout) &&
			frame->economy < FRAME_ECONOMY_OVERLAYS &&
			economy >= FRAME_ECONOMY_OVERLAYS;
	bool gives_up = overlays || frame_target_gives_up(frame, economy);
	frame->economy = economy;
	if (gives_up || frame_target_is_stale(frame)) {
		scene_output_damage_all(frame->scene_output);
	}
	return gives_up;
}

/*
 * Listeners to the scene update may have changed the scene again while the frame was prepared, and
 * animations need another frame.
 */
static void reschedule_if_dirty(struct frame_output *frame)
{
	const struct scene_output *output = frame->scene_output;
	if (output->dirty || output->cursor_dirty || output->animated) {
		schedule(frame);
	}
}

/* Nothing changed: send callbacks that are due at the next vblank, without a frame. */
static void wait_or_idle(struct frame_output *frame)
{
	frame->state = FRAME_IDLE;
	if (!wl_list_empty(&frame->scene_output->waiting)) {
		frame->state = FRAME_ESTIMATED;
		present_estimate(frame, frame->vblank);
	}
}

/* An animation changed no pixel: continues it at the next vblank. */
static void skip_vblank(struct frame_output *frame, int64_t now)
{
	const int64_t vblank = frame->vblank;
	if (frame->due.armed && frame->due.when <= now) {
		present_end_estimate(frame, now);
	}
	timer_arm(&frame->timer, vblank);
	frame->vblank = schedule_next_vblank(&frame->schedule, vblank);
	if (!wl_list_empty(&frame->scene_output->waiting)) {
		present_estimate(frame, vblank);
	}
}

/* Waits for presentation after a commit. */
static void wait_for_presentation(struct frame_output *frame)
{
	if (!frame->torn) {
		schedule_started(&frame->schedule, frame->vblank);
	}
	int64_t callback = schedule_callback_time(&frame->schedule, frame->vblank);
	if (callback < frame->vblank && !wl_list_empty(&frame->callbacks)) {
		timer_arm(&frame->due, callback);
	}
}

/*
 * Waits at most one refresh period for pending copies between GPUs; then the previous content is
 * shown. A copy already pending for a full period is not waited for again.
 */
static bool waits_for_copies(struct frame_output *frame, int64_t now)
{
	struct scene *scene = frame->scene_output->scene;
	int64_t since = frame->device->renderer
				? content_gather_output(frame->device, frame->scene_output)
				: 0;
	if (!wl_list_empty(&scene->damaged)) {
		scene_update(scene); /* late pixels, whose copies have ended at once */
	}
	if (since == 0) {
		return false;
	}
	int64_t refresh = frame->schedule.refresh ? frame->schedule.refresh : INT64_C(16666667);
	int64_t until = (since < frame->began ? since : frame->began) + refresh;
	if (now >= until) {
		return false;
	}
	frame->waits_until = until;
	timer_arm(&frame->timer, until);
	return true;
}

/* Records the time from the frame's start until its copies had completed. */
static void measure_copies(struct frame_output *frame, int64_t asked)
{
	schedule_add_copies(&frame->schedule, frame->began - asked);
	if (frame->began > asked) {
		frame_trace(frame, STAGE_COPY, asked, frame->began);
	}
}

static void start(struct frame_output *frame, int64_t now)
{
	struct scene_output *scene_output = frame->scene_output;
	if (frame->waits_until == 0) {
		frame->began = now;
	}
	frame->waits_until = 0;
	if (frame->vblank <= now) {
		/* The event loop was late. */
		frame->vblank = schedule_next_vblank(&frame->schedule, now);
	}
	scene_output_begin_frame(scene_output, frame->vblank);
	scene_update(scene_output->scene);
	if (!scene_output_is_damaged(scene_output) &&
		!pixman_region32_not_empty(&frame->debug_damage_due)) {
		if (scene_output->animated) {
			skip_vblank(frame, now);
			return;
		}
		wait_or_idle(frame);
		reschedule_if_dirty(frame);
		return;
	}
	present_end_estimate(frame, now);
	if (waits_for_copies(frame, now)) {
		return;
	}
	int64_t asked = frame->began;
	frame->began = now;
	if (frame_submit(frame)) {
		struct wl_list barriers;
		measure_copies(frame, asked);
		frame->refusals = 0;
		present_take(frame, &barriers);
		wait_for_presentation(frame);
		present_latch(frame, &barriers);
		reschedule_if_dirty(frame);
		return;
	}
	if (frame->state == FRAME_QUEUED) {
		/*
		 * No buffer is free, or the device refused: keep the damage and retry a period
		 * later, then at growing intervals (e.g. DRM master was lost).
		 */
		int64_t delay = frame->refusals < REFUSALS_AT_ONCE
					? 0
					: RETRY_DELAY << (frame->refusals - REFUSALS_AT_ONCE);
		frame->refusals += delay < RETRY_DELAY_MAX;
		frame->vblank = schedule_next_vblank(&frame->schedule, frame->vblank + delay);
		timer_arm(&frame->timer, frame->vblank);
	}
}

static void handle_timer(struct timer *timer, int64_t now)
{
	struct frame_output *frame = wl_container_of(timer, frame, timer);
	if (frame->state == FRAME_FLIPPING && !frame->frozen && !frame->output->asleep) {
		if (frame->ahead.buffer) {
			return; /* requested while it was drawn */
		}
		frame->again = false;
		frame_paint_ahead(frame);
		frame->again |= !frame->ahead.buffer || frame->scene_output->animated;
		return;
	}
	if (frame->state != FRAME_QUEUED) {
		return;
	}
	if (frame->output->asleep || !frame->output->enabled) {
		frame->state = FRAME_IDLE;
		scene_output_set_awake(frame->scene_output, false);
	} else {
		start(frame, now);
	}
}

static void handle_due(struct timer *timer, int64_t now)
{
	struct frame_output *frame = wl_container_of(timer, frame, due);
	if (frame->estimated) {
		if (frame->state == FRAME_ESTIMATED) {
			frame->state = FRAME_IDLE;
		}
		present_end_estimate(frame, timer->when);
	} else {
		present_send_callbacks(frame, timer->when);
	}
}

/* More copies between GPUs are due than known when the frame was scheduled: start earlier. */
static void handle_copies_due(struct wl_listener *listener, void *data)
{
	struct frame_output *frame = wl_container_of(listener, frame, copies_due);
	if (frame->state != FRAME_QUEUED || frame->waits_until ||
		frame->device->copies_due <= frame->schedule.copies) {
		return;
	}
	frame->schedule.copies = frame->device->copies_due;
	struct schedule_decision decision =
		schedule_decide(&frame->schedule, clock_turn(frame->clock), frame->cause);
	if (decision.vblank <= frame->vblank && decision.start < frame->timer.when) {
		frame->vblank = decision.vblank;
		timer_arm(&frame->timer, decision.start);
	}
}

static void handle_present(struct wl_listener *listener, void *data)
{
	struct frame_output *frame = wl_container_of(listener, frame, present);
	const struct output_present *present = data;
	if (frame->state != FRAME_FLIPPING || present->commit != frame->commit) {
		return;
	}
	frame->state = FRAME_IDLE;
	frame_measure_gpu(frame);
	if (present->presented) {
		frame->stats.presented++;
		if (!frame->torn) {
			schedule_presented(
				&frame->schedule, present->when, present->refresh, frame->cause);
		}
		frame_trace(frame, STAGE_FLIP, frame->handed_over, present->when);
		frame_trace(frame, STAGE_PRESENTED, present->when, present->when);
	} else {
		output_hints_note_dropped(frame);
	}
	meter_presented(frame->meter, frame, present->presented ? present->when : 0);
	timer_disarm(&frame->timer);
	timer_disarm(&frame->due);
	present_done(frame, present);
	if (frame_submit_ahead(frame)) {
		frame->vblank = schedule_next_vblank(&frame->schedule, clock_now(frame->clock));
		wait_for_presentation(frame);
	}
	signal_emit(&frame->events.presented, (void *)present);
	if (frame->again) {
		frame->again = false;
		schedule(frame);
	}
}

static void handle_needs_frame(struct wl_listener *listener, void *data)
{
	struct frame_output *frame = wl_container_of(listener, frame, needs_frame);
	schedule(frame);
}

static bool can_show(const struct frame_output *frame)
{
	return !frame->frozen && frame->output->enabled && !frame->output->asleep;
}

static void handle_output_needs_frame(struct wl_listener *listener, void *data)
{
	struct frame_output *frame = wl_container_of(listener, frame, output_needs_frame);
	frame_drop_ahead(frame);
	frame_target_check(frame);
	scene_output_set_awake(frame->scene_output, can_show(frame));
	scene_output_damage_all(frame->scene_output);
}

static void handle_destroy(struct wl_listener *listener, void *data)
{
	struct frame_output *frame = wl_container_of(listener, frame, destroy);
	frame_output_destroy(frame);
}

struct frame_output *frame_output_create(
	struct scene_output *scene_output, struct render_device *device, struct clock *clock)
{
	static const struct schedule_settings usual = {
		.margin = SCHEDULE_DEFAULT_MARGIN,
		.max_render_time = SCHEDULE_AUTO,
	};
	struct frame_output *frame = xcalloc(1, sizeof(*frame));
	struct output *output = scene_output->output;
	frame->scene_output = scene_output;
	frame->output = output;
	frame->device = device;
	device->clock = clock;
	frame->clock = clock;
	frame->frozen = !device->renderer;
	frame->scanout = scanout_create(scene_output, device, clock);
	device->outputs |= 1u << scene_output->index;
	device->spare = find_spare;
	cpu_composer_init(frame);
	frame->fence = -1;
	schedule_init(&frame->schedule, &usual);
	frame->schedule.refresh = output->mode.refresh ? 1000000000000 / output->mode.refresh : 0;
	/*
	 * With a known vblank, clients get callbacks before the first frame, and may be part of it.
	 */
	frame->schedule.last_present = output->vblank;
	frame->schedule.host_paced = output->host_paced;
	frame->schedule.longest = output->longest_interval;
	for (int i = 0; i < FRAME_DAMAGE_HISTORY; i++) {
		pixman_region32_init(&frame->history[i]);
	}
	pixman_region32_init(&frame->debug_damage_due);
	pixman_region32_init(&frame->scene_damage);
	wl_list_init(&frame->feedbacks);
	wl_list_init(&frame->callbacks);
	wl_list_init(&frame->ahead_feedbacks);
	wl_list_init(&frame->ahead_callbacks);
	timer_init(&frame->timer, clock, handle_timer);
	timer_init(&frame->due, clock, handle_due);
	output_hints_init(frame);
	addon_init(&frame->addon, &output->addons, scene_output, &addon_impl);
	signals_init(&frame->events, sizeof(frame->events));

	signal_add(&scene_output->events.needs_frame, &frame->needs_frame, handle_needs_frame);
	signal_add(&scene_output->events.destroy, &frame->destroy, handle_destroy);
	signal_add(&output->events.present, &frame->present, handle_present);
	signal_add(
		&output->events.needs_frame, &frame->output_needs_frame, handle_output_needs_frame);
	signal_add(&device->events.copies_due, &frame->copies_due, handle_copies_due);
	scene_output_set_awake(scene_output, can_show(frame));
	schedule(frame);
	return frame;
}

void frame_output_destroy(struct frame_output *frame)
{
	if (!frame) {
		return;
	}
	signal_emit(&frame->events.destroy, frame);
	assert(signals_are_unused(&frame->events, sizeof(frame->events)));
	scene_output_set_awake(frame->scene_output, false);
	frame->frozen = true; /* prevents further frames */
	frame_drop_ahead(frame);
	cpu_composer_end(frame);
	present_discard(frame);
	timer_finish(&frame->timer);
	timer_finish(&frame->due);
	output_hints_finish(frame);
	fd_close(&frame->fence);
	addon_finish(&frame->addon);
	wl_list_remove(&frame->needs_frame.link);
	wl_list_remove(&frame->destroy.link);
	wl_list_remove(&frame->present.link);
	wl_list_remove(&frame->output_needs_frame.link);
	wl_list_remove(&frame->copies_due.link);
	swapchain_destroy(frame->swapchain);
	buffer_replace(&frame->composed, NULL);
	scanout_destroy(frame->scanout);
	uint32_t bit = 1u << frame->scene_output->index;
	frame->device->outputs &= ~bit;
	frame->device->scanout_outputs &= ~bit;
	frame->device->cpu_outputs &= ~bit;
	for (int i = 0; i < FRAME_DAMAGE_HISTORY; i++) {
		pixman_region32_fini(&frame->history[i]);
	}
	pixman_region32_fini(&frame->debug_damage_due);
	pixman_region32_fini(&frame->scene_damage);
	free(frame);
}

int64_t frame_apply_time(const struct scene *scene, const struct surface *surface, int64_t target)
{
	const struct scene_surface *content = scene_surface_find(surface);
	const struct frame_output *frame =
		content && content->primary_output >= 0
			? frame_output_find(scene->outputs[content->primary_output])
			: NULL;
	return frame ? schedule_apply_time(&frame->schedule, target) : target;
}

void frame_output_freeze(struct frame_output *frame)
{
	frame->frozen = true;
	frame->waits_until = 0;
	frame_drop_ahead(frame);
	timer_disarm(&frame->timer);
	present_end_estimate(frame, clock_now(frame->clock));
	if (frame->state == FRAME_QUEUED || frame->state == FRAME_ESTIMATED) {
		frame->state = FRAME_IDLE;
	}
	scene_output_set_awake(frame->scene_output, false);
	/*
	 * The allocator is destroyed with the device; the backend keeps the presented buffer
	 * locked.
	 */
	swapchain_destroy(frame->swapchain);
	frame->swapchain = NULL;
	frame_target_forget(frame);
	cpu_composer_set_shared(frame, false);
	frame->cpu_composer.refused = false;
	frame->cpu_composer.streak = 0;
}

void frame_output_thaw(struct frame_output *frame)
{
	frame->frozen = false;
	scene_output_set_awake(frame->scene_output, can_show(frame));
	scene_output_damage_all(frame->scene_output);
}
