/* SPDX-License-Identifier: MIT */
/* The frame loop of an output: starts, callbacks of frames in flight, and outputs that go off. */

#include "frame/output.h"
#include "content/device.h"
#include "frame/internal.h"
#include "harness/client/pacer.h"
#include "util/signal.h"
#include <stdlib.h>

static void pretend_gpu(struct frame_output *frame, int64_t ns)
{
	for (int i = 0; i < DURATION_SAMPLES; i++) {
		schedule_add(&frame->schedule, STAGE_GPU, ns);
	}
}

/* A slow GPU: clients hear before the vblank, in time to draw the frame after the next. */
static void callbacks_of_slow_frames_precede_the_vblank(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create(fixture, 10, 10);
	struct frame_output *frame = frame_output_find(fixture->server->scene->outputs[0]);
	pretend_gpu(frame, 12 * MS);
	pacer_ask_callback(pacer);
	pacer_ask_feedback(pacer);
	pacer_draw(pacer);
	fixture_pump(fixture);
	while (pacer->n_presented == 0) {
		pacing_step(fixture, MS / 4);
	}
	assert_int_equal(pacer->n_done, 1);
	assert_in_range(pacer->shown[0] - pacer->last_done, 5 * MS, 12 * MS);
	fixture_destroy(fixture);
	free(pacer);
}

/* Copies between GPUs that become due after a frame was scheduled make it start earlier. */
static void frame_starts_earlier_for_copies_due_later(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create(fixture, 10, 10);
	struct frame_output *frame = frame_output_find(fixture->server->scene->outputs[0]);
	fixture_settle(fixture);
	pacer_draw(pacer);
	fixture_pump(fixture);
	assert_int_equal(frame->state, FRAME_QUEUED);
	int64_t start = frame->timer.when;
	assert_true(start - pacer_now(pacer) > 5 * MS);
	frame->device->copies_due += 3 * MS;
	signal_emit(&frame->device->events.copies_due, NULL);
	assert_int_equal(frame->timer.when, start - 3 * MS);
	frame->device->copies_due -= 3 * MS;
	/* Copies that are due no more delay nothing. */
	signal_emit(&frame->device->events.copies_due, NULL);
	assert_int_equal(frame->timer.when, start - 3 * MS);
	fixture_destroy(fixture);
	free(pacer);
}

/*
 * An output that goes off between a frame's request and its start, or before, draws nothing. One
 * that sleeps shows no window.
 */
static void output_that_goes_off_draws_nothing(void **state)
{
	for (int i = 0; i < 4; i++) {
		struct fixture *fixture = fixture_create(NULL);
		struct pacer *pacer = pacer_create(fixture, 10, 10);
		struct frame_output *frame = frame_output_find(fixture->server->scene->outputs[0]);
		const bool sleeps = i % 2, queued = i / 2;
		bool *off = sleeps ? &frame->output->asleep : &frame->output->enabled;
		fixture_settle(fixture);
		uint64_t frames = frame->stats.frames;
		*off = queued ? *off : sleeps;
		pacer_draw(pacer);
		fixture_pump(fixture);
		assert_int_equal(frame->state, queued ? FRAME_QUEUED : FRAME_IDLE);
		*off = sleeps;
		pacing_run_until(fixture, pacer_now(pacer) + 3 * PERIOD);
		assert_int_equal(frame->stats.frames, frames);
		assert_int_equal(frame->state, FRAME_IDLE);
		assert_true(!sleeps || !pacer_surface(pacer)->visible);
		*off = !sleeps;
		fixture_destroy(fixture);
		free(pacer);
	}
}

/* The frame that waits for a copy starts at its end, and at the end of the wait otherwise. */
static void frame_starts_when_its_copies_have_ended(void **state)
{
	for (int ends = 0; ends < 2; ends++) {
		struct fixture *fixture = fixture_create(NULL);
		struct pacer *pacer = pacer_create(fixture, 10, 10);
		struct scene_output *shown = fixture->server->scene->outputs[0];
		struct frame_output *frame = frame_output_find(shown);
		fixture_settle(fixture);
		pacer_draw(pacer);
		fixture_pump(fixture);
		assert_int_equal(frame->state, FRAME_QUEUED);
		frame->waits_until = pacer_now(pacer) + PERIOD;
		timer_arm(&frame->timer, frame->waits_until);
		pacing_step(fixture, MS);
		if (ends) {
			signal_emit(&shown->events.needs_frame, NULL);
			pacing_step(fixture, 0);
		}
		assert_int_equal(frame->state, ends ? FRAME_FLIPPING : FRAME_QUEUED);
		pacing_step(fixture, PERIOD);
		assert_int_not_equal(frame->state, FRAME_QUEUED);
		fixture_destroy(fixture);
		free(pacer);
	}
}

/*
 * A renderer is lost while a frame waits for copies: the first frame of the next one starts like
 * any other, and the time in between counts for no stage.
 */
static void wait_for_copies_ends_with_the_renderer(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create(fixture, 10, 10);
	struct scene_output *shown = fixture->server->scene->outputs[0];
	struct frame_output *frame = frame_output_find(shown);
	fixture_settle(fixture);
	pacer_draw(pacer);
	fixture_pump(fixture);
	assert_int_equal(frame->state, FRAME_QUEUED);
	frame->waits_until = pacer_now(pacer) + PERIOD;
	timer_arm(&frame->timer, frame->waits_until);
	frame_output_freeze(frame);
	pacing_step(fixture, SECOND);
	frame_output_thaw(frame);
	fixture_pump(fixture);
	assert_int_equal(frame->state, FRAME_QUEUED);
	const int64_t start = frame->timer.when;
	assert_true(start > pacer_now(pacer));
	signal_emit(&shown->events.needs_frame, NULL);
	assert_int_equal(frame->timer.when, start);
	pacing_run_until(fixture, start + PERIOD);
	assert_true(frame->began >= start);
	assert_true(schedule_lead(&frame->schedule) < PERIOD);
	fixture_destroy(fixture);
	free(pacer);
}

static bool refuse(struct output *output, const struct output_state *state, uint32_t number)
{
	return false;
}

/* The backend refuses a frame that was drawn ahead: its changes are shown by the next one. */
static void refused_frame_drawn_ahead_is_drawn_again(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create(fixture, 10, 10);
	struct frame_output *frame = frame_output_find(fixture->server->scene->outputs[0]);
	const struct output_impl *impl = frame->output->impl;
	struct output_impl refusing = *impl;
	refusing.commit = refuse;
	pretend_gpu(frame, 20 * MS);
	pacer_draw(pacer);
	fixture_pump(fixture);
	while (frame->state != FRAME_FLIPPING) {
		assert_true(clock_advance_to_next(fixture->clock));
	}
	pacer_ask_callback(pacer);
	pacer_ask_feedback(pacer);
	pacer_draw(pacer);
	fixture_pump(fixture);
	timer_arm(&frame->timer, pacer_now(pacer)); /* as if the frame in flight were late */
	pacing_step(fixture, 0);
	assert_non_null(frame->ahead.buffer);
	uint64_t frames = frame->stats.frames;
	frame->output->impl = &refusing;
	while (frame->ahead.buffer) {
		assert_true(clock_advance_to_next(fixture->clock));
	}
	assert_int_equal(frame->stats.frames, frames);
	frame->output->impl = impl;
	fixture_frames(fixture, 4);
	assert_int_equal(frame->stats.frames, frames + 1);
	/* The client need not wait for another update. */
	assert_int_equal(pacer->n_done, 1);
	assert_int_equal(pacer->n_presented + pacer->n_discarded, 1);
	fixture_destroy(fixture);
	free(pacer);
}

/*
 * A request that arrives during a page flip is answered by the next frame, for new content, a
 * callback or both, even if the flip is dropped, as by a modeset.
 */
static void request_during_a_flip_is_answered_after_it(void **state)
{
	for (int i = 0; i < 2 * 3; i++) {
		const bool presented = i % 2, draws = i / 2 != 1, asks = i / 2 != 0;
		struct fixture *fixture = fixture_create(NULL);
		struct pacer *pacer = pacer_create(fixture, 10, 10);
		struct frame_output *frame = frame_output_find(fixture->server->scene->outputs[0]);
		fixture_settle(fixture);
		pacer_draw(pacer);
		fixture_pump(fixture);
		while (frame->state != FRAME_FLIPPING) {
			assert_true(clock_advance_to_next(fixture->clock));
		}
		if (asks) {
			pacer_ask_callback(pacer);
		}
		if (draws) {
			pacer_draw(pacer);
		} else {
			wl_surface_commit(pacer->surface);
		}
		fixture_pump(fixture);
		assert_int_equal(frame->state, FRAME_FLIPPING);
		const uint64_t frames = frame->stats.frames;
		struct output_present present = {.commit = frame->commit,
			.presented = presented,
			.when = pacer_now(pacer),
			.refresh = PERIOD};
		signal_emit(&frame->output->events.present, &present);
		pacing_run_until(fixture, pacer_now(pacer) + 4 * PERIOD);
		if (pacer->n_done != asks || (draws && frame->stats.frames != frames + 1)) {
			fail_msg("case %d: %d callbacks, %d frames", i, pacer->n_done,
				(int)(frame->stats.frames - frames));
		}
		assert_int_equal(frame->state, FRAME_IDLE);
		fixture_destroy(fixture);
		free(pacer);
	}
}

static struct render_pass *begin_nothing(
	struct renderer *renderer, struct buffer *target, int acquire_fence)
{
	return NULL;
}

/* However often a frame cannot be drawn, its target is free again. */
static void frame_is_drawn_after_many_that_could_not_be(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create(fixture, 10, 10);
	struct frame_output *frame = frame_output_find(fixture->server->scene->outputs[0]);
	struct renderer *renderer = frame->device->renderer;
	const struct renderer_impl *impl = renderer->impl;
	struct renderer_impl failing = *impl;
	failing.begin = begin_nothing;
	fixture_settle(fixture);
	const uint64_t frames = frame->stats.frames;
	renderer->impl = &failing;
	for (int i = 0; i < 10; i++) {
		pacer_draw(pacer);
		fixture_frames(fixture, 2);
	}
	assert_int_equal(frame->stats.frames, frames);
	renderer->impl = impl;
	pacer_draw(pacer);
	fixture_frames(fixture, 100);
	assert_int_equal(frame->stats.frames, frames + 1);
	fixture_destroy(fixture);
	free(pacer);
}

/* Advances the clock until the output shows another frame. Returns the time that took. */
static int64_t wait_for_frame(struct fixture *fixture, const struct frame_output *frame)
{
	const uint64_t frames = frame->stats.frames;
	const int64_t began = clock_now(fixture->clock);
	while (frame->stats.frames == frames && clock_now(fixture->clock) < began + 100 * SECOND) {
		pacing_step(fixture, MS);
	}
	return clock_now(fixture->clock) - began;
}

/* Retries after failures have ever longer pauses, of a second at most; a success ends them. */
static void frame_after_failures_is_drawn_soon(void **state)
{
	static const struct {
		int64_t failing, most; /* ns */
	} cases[] = {{PERIOD, 2 * PERIOD}, {SECOND, SECOND}, {PERIOD, 2 * PERIOD},
		{100 * SECOND, SECOND + 2 * PERIOD}, {PERIOD, 2 * PERIOD}};
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create(fixture, 10, 10);
	struct frame_output *frame = frame_output_find(fixture->server->scene->outputs[0]);
	const struct output_impl *impl = frame->output->impl;
	struct output_impl refusing = *impl;
	refusing.commit = refuse;
	fixture_settle(fixture);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const uint64_t missed = frame->stats.missed;
		frame->output->impl = &refusing;
		pacer_draw(pacer);
		fixture_sleep(fixture, cases[i].failing);
		assert_true(frame->stats.missed > missed);
		/* Failures cost ever less. */
		assert_in_range(frame->stats.missed - missed, 1, 10 + cases[i].failing / SECOND);
		frame->output->impl = impl;
		assert_in_range(wait_for_frame(fixture, frame), 0, cases[i].most);
		fixture_settle(fixture);
	}
	fixture_destroy(fixture);
	free(pacer);
}

struct mover {
	struct wl_listener updated;
	struct scene_node *node; /* NULL: it has moved */
};

static void handle_updated(struct wl_listener *listener, void *data)
{
	struct mover *mover = wl_container_of(listener, mover, updated);
	if (mover->node) {
		scene_node_set_position(mover->node, 200, 150);
		mover->node = NULL;
	}
}

/* A listener to the update of a frame moves a window or a cursor: the next frame shows it. */
static void change_during_an_update_is_drawn(void **state)
{
	static const float color[4] = {0, 0, 1, 1};
	for (int i = 0; i < 2; i++) {
		struct fixture *fixture = fixture_create(NULL);
		struct pacer *pacer = pacer_create(fixture, 10, 10);
		struct scene *scene = fixture->server->scene;
		struct scene_tree *tree = scene_tree_create(i ? &scene->cursor : &scene->root);
		scene_rect_create(tree, 20, 20, color);
		fixture_settle(fixture);
		const struct frame_output *frame = frame_output_find(scene->outputs[0]);
		const uint64_t frames = frame->stats.frames;
		struct mover mover = {.updated.notify = handle_updated, .node = &tree->node};
		wl_signal_add(&scene->events.updated, &mover.updated);
		peer_window_place(pacer->window, 30, 30);
		fixture_frames(fixture, 5);
		assert_null(mover.node);
		assert_int_equal(frame->stats.frames, frames + 2);
		assert_false(scene->outputs[0]->dirty || scene->outputs[0]->cursor_dirty);
		wl_list_remove(&mover.updated.link);
		scene_node_destroy(&tree->node);
		fixture_destroy(fixture);
		free(pacer);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(callbacks_of_slow_frames_precede_the_vblank),
		cmocka_unit_test(frame_starts_earlier_for_copies_due_later),
		cmocka_unit_test(output_that_goes_off_draws_nothing),
		cmocka_unit_test(frame_starts_when_its_copies_have_ended),
		cmocka_unit_test(wait_for_copies_ends_with_the_renderer),
		cmocka_unit_test(refused_frame_drawn_ahead_is_drawn_again),
		cmocka_unit_test(request_during_a_flip_is_answered_after_it),
		cmocka_unit_test(frame_is_drawn_after_many_that_could_not_be),
		cmocka_unit_test(frame_after_failures_is_drawn_soon),
		cmocka_unit_test(change_during_an_update_is_drawn),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
