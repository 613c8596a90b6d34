/* SPDX-License-Identifier: MIT */
/* Frames that are drawn during the page flip before, since rendering takes longer than a period. */

#include "frame/output.h"
#include "harness/client/pacer.h"
#include "shell/window.h"
#include <stdlib.h>

static void pretend_gpu(struct frame_output *frame, int64_t ns)
{
	for (int i = 0; i < DURATION_SAMPLES; i++) {
		schedule_add(&frame->schedule, STAGE_GPU, ns);
	}
}

/* Commits twice, with callbacks and feedback: a frame is in flight, and another drawn ahead. */
static void draw_ahead(struct pacer *pacer, struct frame_output *frame)
{
	pretend_gpu(frame, 20 * MS);
	pacer_ask_callback(pacer);
	pacer_ask_feedback(pacer);
	pacer_draw(pacer);
	fixture_pump(pacer->fixture);
	while (frame->state != FRAME_FLIPPING) {
		assert_true(clock_advance_to_next(pacer->fixture->clock));
	}
	pacer_ask_callback(pacer);
	pacer_ask_feedback(pacer);
	pacer_draw(pacer);
	fixture_pump(pacer->fixture);
	timer_arm(&frame->timer, pacer_now(pacer)); /* as if the frame in flight were late */
	pacing_step(pacer->fixture, 0);
	assert_non_null(frame->ahead.buffer);
}

/*
 * While rendering takes longer than a period, the next frame is drawn during a page flip, and only
 * then.
 */
static void next_frame_is_drawn_ahead_of_a_slow_gpu(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create(fixture, 10, 10);
	struct pacer *other = pacer_create(fixture, 100, 10);
	struct frame_output *frame = frame_output_find(fixture->server->scene->outputs[0]);
	int commits = 0;
	for (int i = 0; i < 200; i++) {
		pacer_ask_callback(pacer);
		pacer_ask_feedback(pacer);
		pacer_draw(pacer);
		pacer_draw(other);
		commits++;
		pacing_step(fixture, (i * 7919) % 23 * MS);
	}
	assert_int_equal(frame->stats.ahead, 0);

	for (int i = 0; i < 400; i++) {
		pretend_gpu(frame, 20 * MS);
		pacer_ask_callback(pacer);
		pacer_ask_feedback(pacer);
		pacer_draw(pacer);
		if (i % 3 == 0) {
			pacer_draw(other);
		}
		if (i % 50 == 0) {
			peer_window_place(other->window, 100 + i / 4, 10 + i / 4);
		}
		commits++;
		pacing_step(fixture, (i * 7919) % 23 * MS);
	}
	assert_true(frame->stats.ahead > 100);
	pretend_gpu(frame, MS);
	fixture_settle(fixture);
	fixture_settle(fixture);
	/* Each commit got one callback, and the last frame is presented. */
	assert_int_equal(pacer->n_done, commits);
	assert_int_equal(pacer->n_presented + pacer->n_discarded, commits);
	for (int i = 1; i < pacer->n_presented; i++) {
		assert_true(pacer->sequence[i] > pacer->sequence[i - 1]);
		assert_true(pacer->committed[i] > pacer->committed[i - 1] ||
			    pacer->shown[i] > pacer->shown[i - 1]);
	}
	assert_int_equal(
		fixture_pixel(fixture, 20, 20), (uint32_t)pacer->next * 0x030507 & 0xffffff);
	assert_int_equal(
		fixture_pixel(fixture, 205, 115), (uint32_t)other->next * 0x030507 & 0xffffff);
	assert_false(clock_advance_to_next(fixture->clock));

	uint64_t ahead = frame->stats.ahead;
	for (int i = 0; i < 100; i++) {
		pacer_draw(pacer);
		pacing_step(fixture, (i * 7919) % 23 * MS);
	}
	assert_int_equal(frame->stats.ahead, ahead);

	/* The output goes with one frame in flight and another drawn ahead. */
	draw_ahead(pacer, frame);
	fixture_destroy(fixture);
	free(pacer);
	free(other);
}

/* The frame drawn ahead is dropped, for a modeset or the like; the one in flight is presented. */
static void frame_in_flight_is_presented_without_the_one_ahead(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create(fixture, 10, 10);
	struct frame_output *frame = frame_output_find(fixture->server->scene->outputs[0]);
	struct meter *meter = fixture->server->meter;
	fixture_settle(fixture);
	meter_watch(meter, true);
	draw_ahead(pacer, frame);
	signal_emit(&frame->output->events.needs_frame, NULL);
	assert_null(frame->ahead.buffer);
	struct meter_surface *metered = wl_container_of(meter->surfaces.next, metered, link);
	assert_ptr_equal(metered->frame, frame);
	assert_null(metered->frame_ahead);
	pretend_gpu(frame, MS);
	fixture_settle(fixture);
	assert_int_equal(pacer->n_presented, 1);
	assert_int_equal(pacer->n_discarded, 1);
	assert_int_equal(metered->n_latencies, 1);
	meter_watch(meter, false);
	fixture_destroy(fixture);
	free(pacer);
}

/** Changes after which a frame is due, and whether it has new pixels. */
struct change {
	const char *name;
	void (*make)(struct pacer *pacer);
	bool draws;
};

static void draw(struct pacer *pacer)
{
	pacer_ask_callback(pacer);
	pacer_ask_feedback(pacer);
	pacer_draw(pacer);
}

static void draw_twice(struct pacer *pacer)
{
	draw(pacer);
	fixture_pump(pacer->fixture);
	draw(pacer);
}

static void move(struct pacer *pacer)
{
	peer_window_place(pacer->window, 200, 150);
}

static void minimise(struct pacer *pacer)
{
	window_set_minimized(peer_window_find(pacer->window), true);
}

static void ask_without_pixels(struct pacer *pacer)
{
	pacer_ask_callback(pacer);
	pacer_ask_feedback(pacer);
	wl_surface_commit(pacer->surface);
}

static void expect_answers(const struct pacer *pacer, int n_feedbacks)
{
	assert_int_equal(pacer->n_done, pacer->n_asked);
	assert_int_equal(pacer->n_presented + pacer->n_discarded, n_feedbacks);
}

/* Makes the change while a frame drawn ahead waits, and nothing after it. */
static void change_behind_a_frame_ahead(const struct change *change, bool own, bool stays_slow)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create(fixture, 10, 10);
	struct pacer *other = pacer_create(fixture, 100, 10), *changed = own ? pacer : other;
	struct scene_output *output = fixture->server->scene->outputs[0];
	struct frame_output *frame = frame_output_find(output);
	print_message("%s, %d, %d\n", change->name, own, stays_slow);
	draw_ahead(pacer, frame);
	const uint64_t frames = frame->stats.frames;
	const int asked = changed->n_asked;
	change->make(changed);
	fixture_pump(fixture);
	assert_non_null(frame->ahead.buffer);
	pretend_gpu(frame, stays_slow ? 20 * MS : MS);
	pacing_run_until(fixture, pacer_now(pacer) + 6 * PERIOD);
	assert_int_equal(frame->stats.frames, frames + 1 + change->draws);
	assert_false(output->scene->dirty || scene_output_is_damaged(output));
	expect_answers(pacer, 2 + (own ? changed->n_asked - asked : 0));
	expect_answers(other, own ? 0 : changed->n_asked - asked);
	/* Nothing is left to do. */
	fixture_sleep(fixture, SECOND);
	assert_int_equal(frame->stats.frames, frames + 1 + change->draws);
	assert_int_equal(frame->state, FRAME_IDLE);
	fixture_destroy(fixture);
	free(pacer);
	free(other);
}

/* Of the window in the frames before or of another one, on a GPU that stays slow or does not. */
static void change_behind_a_frame_ahead_is_shown_next(void **state)
{
	static const struct change changes[] = {
		{"a window is drawn", draw, true},
		{"a window is drawn twice", draw_twice, true},
		{"a window moves", move, true},
		{"a window goes", minimise, true},
		{"a commit without pixels", ask_without_pixels, false},
	};
	for (size_t i = 0; i < 4 * (sizeof(changes) / sizeof(changes[0])); i++) {
		change_behind_a_frame_ahead(&changes[i / 4], i & 1, i & 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(next_frame_is_drawn_ahead_of_a_slow_gpu),
		cmocka_unit_test(frame_in_flight_is_presented_without_the_one_ahead),
		cmocka_unit_test(change_behind_a_frame_ahead_is_shown_next),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
