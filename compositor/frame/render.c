/* SPDX-License-Identifier: MIT */
/* Rendering of a frame: plans planes, composes, commits and measures. */

#include "content/compose.h"
#include "content/content.h"
#include "frame/internal.h"
#include "frame/present.h"
#include "util/fd.h"
#include "util/fence.h"
#include "util/region.h"
#include <errno.h>

/* Bytes per pixel of a pass: one pixel of a texture is read, and one of the target written. */
#define PASS_BYTES 8

/* Damage listeners must also see frames without composition. */
static void emit_drawn(struct frame_output *frame, const struct output_state *state,
	const pixman_region32_t *damage)
{
	frame->stats.pixels_damaged += (uint64_t)region_area(damage);
	struct frame_drawn drawn = {.frame = frame, .commit = frame->commit, .damage = damage};
	for (int i = 0; i < state->n_planes; i++) {
		if (state->planes[i].plane->type == PLANE_PRIMARY) {
			drawn.buffer = state->planes[i].state.buffer;
		}
	}
	signal_emit(&frame->events.drawn, &drawn);
}

void frame_trace(struct frame_output *frame, enum frame_stage stage, int64_t start, int64_t end)
{
	meter_span(frame->meter, stage, (uint32_t)frame->scene_output->index, frame->stats.frames,
		start, end);
}

/* Decides which entries are composed and which go on planes. */
static struct scanout_plan plan_frame(struct frame_output *frame)
{
	if (!frame_output_uses_planes(frame) || scene_output_is_magnified(frame->scene_output)) {
		return scanout_disable(frame->scanout);
	}
	bool overlays = frame->economy < FRAME_ECONOMY_OVERLAYS;
	struct scanout_plan plan =
		scanout_decide(frame->scanout, frame_target_sample(frame), overlays);
	frame->stats.tests += (uint64_t)plan.n_tests;
	frame->stats.cursors_drawn += plan.cursor_drawn;
	return plan;
}

static bool submit(struct frame_output *frame, struct output_state *state,
	const pixman_region32_t *damage, int64_t began)
{
	output_hints_apply(frame, state);
	frame->commit = output_commit(frame->output, state);
	if (frame->commit == 0) {
		output_hints_note_failure(frame, state);
		frame->stats.missed++;
		scanout_forget(frame->scanout);
		return false;
	}
	frame->handed_over = clock_now(frame->clock);
	schedule_add(&frame->schedule, STAGE_SUBMIT, frame->handed_over - began);
	frame->torn = state->fields & OUTPUT_TEARING;
	frame->stats.frames++;
	frame_trace(frame, STAGE_SUBMIT, began, frame->handed_over);
	emit_drawn(frame, state, damage);
	frame->state = FRAME_FLIPPING;
	return true;
}

/*
 * Counts surfaces whose pixels the frame shows, by visibility, because a client may draw once
 * without asking for callback or feedback.
 */
static void count_shown(struct frame_output *frame, bool ahead)
{
	struct scene_surface *content, *next;
	wl_list_for_each_safe (content, next, &frame->scene_output->unshown, unshown_link) {
		if (content_shown(frame->device, frame->scene_output, content) != CONTENT_READY) {
			continue;
		}
		wl_list_remove(&content->unshown_link);
		wl_list_init(&content->unshown_link);
		content->surface->n_shown++;
		meter_latch(frame->meter, frame, content->surface, ahead);
	}
}

/*
 * Records the CPU's stages; the GPU's part is known when the frame is presented. Takes ownership of
 * the fence.
 */
static void measure(struct frame_output *frame, struct frame_painted *painted)
{
	const struct compose_times *times = &painted->times;
	schedule_add(&frame->schedule, STAGE_UPLOAD, times->uploaded - times->begun);
	if (!painted->first) {
		/* Work done once per buffer does not predict later frames. */
		schedule_add(&frame->schedule, STAGE_RENDER,
			times->begun - painted->began + times->submitted - times->uploaded);
	}
	frame_trace(frame, STAGE_UPLOAD, times->begun, times->uploaded);
	frame_trace(frame, STAGE_RENDER, times->uploaded, times->submitted);
	frame->submitted = times->submitted;
	frame->drawn = times->pixels;
	frame->pass = times->pass;
	route_learn(frame->device, COST_UPLOAD, times->bytes, times->uploaded - times->begun);
	fd_close(&frame->fence);
	frame->fence = painted->fence;
	painted->fence = -1;
}

/* Passes that were not measured take as long as the last one that was. */
static void add_gpu_time(struct frame_output *frame, int64_t start, int64_t done)
{
	/* Without a fence, the CPU waited for the pass, which is part of the render stage. */
	struct renderer *renderer = done > 0 ? frame->device->renderer : NULL;
	int64_t own = renderer ? renderer_pass_time(renderer, frame->pass) : -1;
	int64_t taken = done > start ? done - start : 0;
	if (own >= 0) {
		frame->gpu_timed = true;
		frame->gpu_own = own;
	}
	if (own >= 0 || !frame->gpu_timed) {
		route_learn(frame->device, COST_DRAW, frame->drawn * PASS_BYTES,
			own >= 0 ? own : done - start);
	} else if (renderer) {
		own = frame->gpu_own < taken ? frame->gpu_own : taken;
	}
	schedule_add_gpu(&frame->schedule, taken, own);
}

void frame_measure_gpu(struct frame_output *frame)
{
	if (frame->submitted && !clock_is_test(frame->clock)) {
		int64_t done = fence_time(frame->fence);
		/* The pass may have waited for the previous one. */
		int64_t start =
			frame->submitted > frame->gpu_done ? frame->submitted : frame->gpu_done;
		add_gpu_time(frame, start, done);
		frame_trace(frame, STAGE_GPU, start, done);
		frame->gpu_done = done;
	}
	frame->submitted = 0;
	fd_close(&frame->fence);
}

void frame_output_magnify(struct frame_output *frame, double factor, struct coord_global at)
{
	if (scene_output_set_lens(frame->scene_output, factor, at)) {
		frame_repaint(frame);
	}
}

/*
 * Draws the part of the output under its lens. The debug overlay, which follows the scene, is left
 * out.
 */
static bool draw_magnified(struct frame_output *frame, struct buffer *buffer,
	pixman_region32_t *damage, int *fence, struct compose_times *times)
{
	const struct scene_output *scene_output = frame->scene_output;
	struct scene_snapshot seen;
	scene_lens_damage(scene_output, damage, damage);
	scene_snapshot_magnify(&seen, scene_output, damage);
	const struct compose_list list = {
		.entries = seen.entries,
		.n_entries = seen.n_entries,
		.uncovered = &seen.uncovered,
		.background = scene_output->scene->background,
	};
	bool done = compose_draw(frame->device, &list, buffer, damage, fence, times);
	scene_snapshot_finish(&seen);
	return done;
}

/* Repaints the buffer's damage, given its age. */
static bool draw(struct frame_output *frame, struct buffer *buffer, int age, int *fence,
	struct compose_times *times)
{
	struct scene_output *scene_output = frame->scene_output;
	pixman_region32_t damage;
	pixman_region32_init(&damage);
	frame_target_damage(frame, age, &damage);
	if (scene_output_is_magnified(scene_output)) {
		bool done = draw_magnified(frame, buffer, &damage, fence, times);
		pixman_region32_fini(&damage);
		return done;
	}
	struct compose_list list = {
		.entries = scene_output->entries,
		.n_entries = scene_output->n_entries,
		.uncovered = &scene_output->uncovered,
		.background = scene_output->scene->background,
		.overlay = frame->debug_overlay != FRAME_OVERLAY_OFF ? frame_overlay_draw : NULL,
		.data = frame,
	};
	struct render_device *device = cpu_composer_choose(frame, age, &damage);
	bool done = compose_draw(device, &list, buffer, &damage, fence, times);
	frame->stats.by_cpu += done && device != frame->device;
	pixman_region32_fini(&damage);
	return done;
}

static void set_composed(struct plane_state *plane, struct buffer *buffer, int fence,
	const pixman_region32_t *damage)
{
	plane->buffer = buffer;
	plane->src = (struct fbox){0, 0, buffer->width, buffer->height};
	plane->dst = (struct box){0, 0, buffer->width, buffer->height};
	plane->damage = damage;
	plane->acquire_fence = fence;
}

static void finish_painted(struct frame_painted *painted)
{
	fd_close(&painted->fence);
	buffer_unlock(painted->buffer);
	painted->buffer = NULL;
}

/* Composes into the next buffer. Returns false if none is free or the device was lost. */
static bool paint(struct frame_output *frame, struct frame_painted *painted)
{
	if (!frame_target_ensure(frame)) {
		return false;
	}
	int age;
	*painted = (struct frame_painted){
		.began = frame->began, .fence = -1, .times = {.clock = frame->clock}};
	int n_made = frame->swapchain->n_made;
	painted->buffer = swapchain_acquire(frame->swapchain, &age);
	if (!painted->buffer) {
		if (frame->shared && errno != EBUSY) {
			cpu_composer_refuse(frame);
		}
		frame->stats.missed++;
		return false;
	}
	painted->first = frame->swapchain->n_made != n_made;
	if (!draw(frame, painted->buffer, age, &painted->fence, &painted->times)) {
		finish_painted(painted);
		if (frame->shared) {
			cpu_composer_refuse(frame);
		}
		return false;
	}
	return true;
}

/* Notes that the buffer holds all damage so far. */
static void push_painted(struct frame_output *frame, const struct frame_painted *painted)
{
	swapchain_submitted(frame->swapchain, painted->buffer);
	frame_target_push(frame);
}

/* Composes and commits a frame. On failure returns false and keeps the damage. */
static bool compose(
	struct frame_output *frame, struct output_state *state, const pixman_region32_t *changed)
{
	struct frame_painted painted;
	const struct scene_output *output = frame->scene_output;
	const pixman_region32_t *damage = &output->damage;
	pixman_region32_t magnified;
	if (!paint(frame, &painted)) {
		return false;
	}
	pixman_region32_init(&magnified);
	if (scene_output_is_magnified(output)) {
		scene_lens_damage(output, &magnified, damage);
		damage = &magnified;
	}
	set_composed(&state->planes[0].state, painted.buffer, painted.fence, damage);
	bool done = submit(frame, state, changed, painted.times.submitted);
	if (done) {
		measure(frame, &painted);
		push_painted(frame, &painted);
		buffer_replace(&frame->composed, painted.buffer);
	}
	finish_painted(&painted);
	pixman_region32_fini(&magnified);
	return done;
}

/* Commits a change of planes only; the composed buffer, if any, stays. */
static bool submit_directly(struct frame_output *frame, const struct scanout_plan *plan,
	const pixman_region32_t *changed)
{
	int64_t planned = clock_now(frame->clock);
	if (plan->composes) {
		set_composed(&plan->state->planes[0].state, frame->composed, -1,
			&frame->scene_output->damage);
	}
	if (!submit(frame, plan->state, changed, planned)) {
		return false;
	}
	if (!plan->composes) {
		frame_target_forget(frame);
	}
	schedule_add(&frame->schedule, STAGE_UPLOAD, 0);
	schedule_add(&frame->schedule, STAGE_RENDER, planned - frame->began);
	schedule_add_gpu(&frame->schedule, 0, -1);
	frame->stats.scanouts++;
	return true;
}

static void clear_damage(struct scene_output *output)
{
	pixman_region32_clear(&output->damage);
	pixman_region32_clear(&output->direct);
}

bool frame_submit(struct frame_output *frame)
{
	struct scene_output *scene_output = frame->scene_output;
	struct scanout_plan plan = plan_frame(frame);
	bool overlaid = frame_overlay_is_due(frame);
	const pixman_region32_t *changed = &scene_output->damage;
	pixman_region32_t both;
	pixman_region32_init(&both);
	if (overlaid || pixman_region32_not_empty(&scene_output->direct)) {
		pixman_region32_union(&both, &scene_output->damage, &scene_output->direct);
		changed = &both;
	}
	if (overlaid) {
		/* Overlay repaints are not reported as damage. */
		frame_overlay_begin(frame, &plan);
	}
	bool composed = frame->composed && !pixman_region32_not_empty(&scene_output->damage);
	bool done = composed || !plan.composes ? submit_directly(frame, &plan, changed)
					       : compose(frame, plan.state, changed);
	pixman_region32_fini(&both);
	if (overlaid) {
		frame_overlay_end(frame, done);
	}
	if (done) {
		clear_damage(scene_output);
		count_shown(frame, false);
	}
	return done;
}

/*
 * Takes callbacks and feedback for the frame drawn ahead, apart from those of the frame in flight.
 */
static void take_ahead(struct frame_output *frame)
{
	struct wl_list callbacks, feedbacks, barriers;
	wl_list_init(&callbacks);
	wl_list_init(&feedbacks);
	wl_list_insert_list(&callbacks, &frame->callbacks);
	wl_list_insert_list(&feedbacks, &frame->feedbacks);
	wl_list_init(&frame->callbacks);
	wl_list_init(&frame->feedbacks);
	present_take(frame, &barriers);
	wl_list_insert_list(&frame->ahead_callbacks, &frame->callbacks);
	wl_list_insert_list(&frame->ahead_feedbacks, &frame->feedbacks);
	wl_list_init(&frame->callbacks);
	wl_list_init(&frame->feedbacks);
	wl_list_insert_list(&frame->callbacks, &callbacks);
	wl_list_insert_list(&frame->feedbacks, &feedbacks);
	present_latch(frame, &barriers);
}

void frame_paint_ahead(struct frame_output *frame)
{
	struct scene_output *output = frame->scene_output;
	frame->began = clock_now(frame->clock);
	scene_output_begin_frame(output, schedule_next_vblank(&frame->schedule, frame->vblank));
	scene_update(output->scene);
	if (!pixman_region32_not_empty(&output->damage) ||
		pixman_region32_not_empty(&output->direct) || frame_overlay_is_due(frame) ||
		scene_output_is_magnified(output)) {
		/*
		 * No damage, or planes, overlay or lens are in use, which depend on the complete
		 * frame.
		 */
		return;
	}
	struct scanout_plan plan = plan_frame(frame);
	if (!plan.composes || plan.state->n_planes > 1 || !paint(frame, &frame->ahead)) {
		return;
	}
	push_painted(frame, &frame->ahead);
	clear_damage(output);
	count_shown(frame, true);
	take_ahead(frame);
}

/* Moves the lists of the frame drawn ahead to those of the frame in flight. */
static void promote(struct frame_output *frame)
{
	wl_list_insert_list(&frame->callbacks, &frame->ahead_callbacks);
	wl_list_insert_list(&frame->feedbacks, &frame->ahead_feedbacks);
	wl_list_init(&frame->ahead_callbacks);
	wl_list_init(&frame->ahead_feedbacks);
	meter_promote(frame->meter, frame);
}

bool frame_submit_ahead(struct frame_output *frame)
{
	struct frame_painted *ahead = &frame->ahead;
	const struct output_mode *mode = &frame->output->mode;
	if (!ahead->buffer) {
		return false;
	}
	struct output_state state;
	output_state_init(&state);
	struct plane_state *plane =
		output_state_add_plane(&state, output_primary_plane(frame->output));
	set_composed(plane, ahead->buffer, ahead->fence, &frame->history[0]);
	int64_t began = clock_now(frame->clock);
	bool fits = ahead->buffer->width == mode->width && ahead->buffer->height == mode->height;
	if (!fits || !submit(frame, &state, &frame->history[0], began)) {
		frame_drop_ahead(frame);
		return false;
	}
	measure(frame, ahead);
	buffer_replace(&frame->composed, ahead->buffer);
	finish_painted(ahead);
	frame->stats.ahead++;
	promote(frame);
	return true;
}

void frame_drop_ahead(struct frame_output *frame)
{
	if (!frame->ahead.buffer) {
		return;
	}
	finish_painted(&frame->ahead);
	present_discard_ahead(frame);
	meter_drop_ahead(frame->meter, frame);
	/* The damage is in the buffers' history, but was never presented. */
	frame_target_forget(frame);
	scene_output_damage_all(frame->scene_output);
}
