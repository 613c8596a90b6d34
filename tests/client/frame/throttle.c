/* SPDX-License-Identifier: MIT */
/* Throttling of hidden surfaces, on the test's clock. */

#include "frame/throttle.h"
#include "ext-session-lock-v1-client-protocol.h"
#include "harness/client/pacer.h"
#include "shell/shell.h"
#include "shell/window.h"
#include <stdlib.h>

/* Hidden surfaces get callbacks once a second, all at the same moment; then no timer is armed. */
static void hidden_windows_get_callbacks_once_a_second(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *a = pacer_create(fixture, 10, 10);
	struct pacer *b = pacer_create(fixture, 100, 10);
	pacer_hide(a);
	pacer_hide(b);
	for (int i = 1; i <= 3; i++) {
		int64_t asked = pacer_now(a);
		pacer_ask_callback(a);
		pacer_draw(a);
		fixture_pump(fixture);
		pacing_step(fixture, 300 * MS);
		pacer_ask_callback(b);
		pacer_draw(b);
		fixture_pump(fixture);
		while (a->n_done < i) {
			assert_true(clock_advance_to_next(fixture->clock));
			fixture_pump(fixture);
		}
		assert_int_equal(a->last_done % SECOND, 0);
		assert_true(a->last_done - asked <= SECOND);
		assert_int_equal(b->n_done, i);
		assert_int_equal(b->last_done, a->last_done);
		pacing_step(fixture, 10 * MS);
	}
	assert_false(clock_advance_to_next(fixture->clock));
	/* Hidden content is not uploaded. */
	uint64_t uploaded = pacer_surface(a)->bytes_uploaded;
	pacer_draw(a);
	fixture_sleep(fixture, SECOND);
	assert_int_equal(pacer_surface(a)->bytes_uploaded, uploaded);
	/* A window shown again while it waits gets its callback with the next frame. */
	pacer_ask_callback(a);
	pacer_draw(a);
	fixture_pump(fixture);
	window_set_minimized(peer_window_find(a->window), false);
	fixture_frames(fixture, 3);
	assert_int_equal(a->n_done, 4);
	fixture_settle(fixture);
	assert_false(clock_advance_to_next(fixture->clock));
	fixture_destroy(fixture);
	free(a);
	free(b);
}

/* A covered window gets no callbacks of the output's frames. */
static void covered_window_is_throttled(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create(fixture, 10, 10);
	struct peer_window *cover = peer_window_create(pacer->peer, 0, 0, 200, 200, 0xff0000ff);
	struct peer_buffer *opaque =
		peer_buffer_create(pacer->peer, 200, 200, WL_SHM_FORMAT_XRGB8888);
	peer_surface_show(cover->surface, opaque);
	struct pacer *busy = pacer_create(fixture, 250, 150);
	fixture_settle(fixture);
	pacer_ask_callback(pacer);
	pacer_draw(pacer);
	fixture_pump(fixture);
	uint64_t shown = pacer_surface(pacer)->n_shown;
	for (int i = 0; i < 20; i++) {
		pacer_ask_callback(busy);
		pacer_draw(busy);
		fixture_frames(fixture, 1);
	}
	assert_true(busy->n_done >= 18);
	/* The common callback of hidden surfaces may have been sent. */
	assert_in_range(pacer->n_done, 0, 1);
	assert_int_equal(pacer_surface(pacer)->n_shown, shown);
	fixture_sleep(fixture, SECOND + 20 * MS);
	assert_int_equal(pacer->n_done, 1);
	peer_window_destroy(cover);
	fixture_destroy(fixture);
	free(pacer);
	free(busy);
}

struct own {
	struct frame_callback base;
	int n_done;
};

static void handle_own(struct frame_callback *callback, uint32_t ms)
{
	struct own *own = wl_container_of(callback, own, base);
	own->n_done++;
}

static void drop_own(struct frame_callback *callback)
{
	fail_msg("dropped instead of called");
}

static void rate_of_zero_stops_callbacks(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create(fixture, 10, 10);
	pacer_hide(pacer);
	pacing_set_rates(fixture, 0, 0);
	pacer_ask_callback(pacer);
	pacer_draw(pacer);
	fixture_sleep(fixture, 5 * SECOND);
	assert_int_equal(pacer->n_done, 0);
	assert_false(clock_advance_to_next(fixture->clock));
	/* Internal callbacks are still called. */
	struct own own = {.base = {.done = handle_own, .drop = drop_own}};
	wl_list_insert(&pacer_surface(pacer)->current.frame_callbacks, &own.base.link);
	pacer_draw(pacer);
	fixture_sleep(fixture, SECOND);
	assert_int_equal(own.n_done, 1);
	assert_int_equal(pacer->n_done, 0);
	assert_false(clock_advance_to_next(fixture->clock));
	pacing_set_rates(fixture, 2, 2);
	fixture_sleep(fixture, SECOND / 2);
	assert_int_equal(pacer->n_done, 1);
	fixture_destroy(fixture);
	free(pacer);
}

/* E.g. at the change to mains power. */
static void new_rate_applies_to_windows_that_wait(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create(fixture, 10, 10);
	pacer_hide(pacer);
	pacing_set_rates(fixture, 0.1, 0.1);
	pacer_ask_callback(pacer);
	pacer_draw(pacer);
	fixture_sleep(fixture, SECOND / 10);
	assert_int_equal(pacer->n_done, 0);
	pacing_set_rates(fixture, 10, 10);
	fixture_sleep(fixture, SECOND / 5);
	assert_int_equal(pacer->n_done, 1);
	fixture_destroy(fixture);
	free(pacer);
}

/** Ways to hide a window and to show it again. */
struct way {
	const char *name;
	void (*go)(struct pacer *pacer);
	void (*come_back)(struct pacer *pacer);
};

static void go_minimised(struct pacer *pacer)
{
	window_set_minimized(peer_window_find(pacer->window), true);
}

static void come_back_restored(struct pacer *pacer)
{
	window_set_minimized(peer_window_find(pacer->window), false);
}

static void go_elsewhere(struct pacer *pacer)
{
	shell_switch_workspace(pacer->fixture->server->shell, "2");
}

static void come_back_here(struct pacer *pacer)
{
	shell_switch_workspace(pacer->fixture->server->shell, "1");
}

static void go_outside(struct pacer *pacer)
{
	peer_window_place(pacer->window, 4000, 4000);
}

static void come_back_inside(struct pacer *pacer)
{
	peer_window_place(pacer->window, 10, 10);
}

/* The locker is another client without a lock surface: the window is hidden all the same. */
static void go_locked(struct pacer *pacer)
{
	struct ext_session_lock_manager_v1 *manager =
		peer_bind(pacer->peer, &ext_session_lock_manager_v1_interface, 0);
	struct ext_session_lock_v1 *lock = ext_session_lock_manager_v1_lock(manager);
	pacer->data = lock;
}

static void come_back_unlocked(struct pacer *pacer)
{
	ext_session_lock_v1_unlock_and_destroy(pacer->data);
}

static void go_asleep(struct pacer *pacer)
{
	pacing_set_asleep(pacer->fixture, 0, true);
}

static void come_back_awake(struct pacer *pacer)
{
	pacing_set_asleep(pacer->fixture, 0, false);
}

static void check_hidden_pace(struct pacer *pacer)
{
	struct fixture *fixture = pacer->fixture;
	uint64_t shown = pacer_surface(pacer)->n_shown;
	uint64_t uploaded = pacer_surface(pacer)->bytes_uploaded;
	/* One callback at each full second. */
	for (int i = 0; i < 3; i++) {
		int done = pacer->n_done;
		pacer_ask_callback(pacer);
		pacer_draw(pacer);
		fixture_pump(fixture);
		while (pacer->n_done == done) {
			assert_true(clock_advance_to_next(fixture->clock));
			fixture_pump(fixture);
		}
		assert_int_equal(pacer->last_done % SECOND, 0);
		pacing_step(fixture, 10 * MS);
	}
	assert_false(clock_advance_to_next(fixture->clock));
	/* Thirty barriers in each second. */
	for (int i = 0; i < 16; i++) {
		wp_fifo_v1_set_barrier(pacer->fifo);
		wp_fifo_v1_wait_barrier(pacer->fifo);
		pacer_draw(pacer);
	}
	int64_t began = pacer_now(pacer);
	fixture_pump(fixture);
	while (pacer_surface(pacer)->n_queued > 0) {
		assert_true(clock_advance_to_next(fixture->clock));
		fixture_pump(fixture);
	}
	assert_in_range(pacer_now(pacer) - began, 14 * SECOND / 30, 16 * SECOND / 30);
	fixture_sleep(fixture, SECOND / 10);
	assert_false(clock_advance_to_next(fixture->clock));
	assert_int_equal(pacer_surface(pacer)->n_shown, shown);
	assert_int_equal(pacer_surface(pacer)->bytes_uploaded, uploaded);
}

/* A player of sound and video: it has to draw at the hidden fifo rate to play on. */
static void barriers_do_not_wait_for_callbacks(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create(fixture, 10, 10);
	pacer_hide(pacer);
	/* The next callback is due after almost a second. */
	pacing_run_until(fixture, (pacer_now(pacer) / SECOND + 1) * SECOND + 5 * MS);
	int64_t began = pacer_now(pacer);
	for (int i = 0; i < 16; i++) {
		pacer_ask_callback(pacer);
		wp_fifo_v1_set_barrier(pacer->fifo);
		wp_fifo_v1_wait_barrier(pacer->fifo);
		pacer_draw(pacer);
	}
	fixture_pump(fixture);
	pacing_run_until(fixture, began + 16 * SECOND / 30);
	assert_int_equal(pacer_surface(pacer)->n_queued, 0);
	assert_int_equal(pacer->n_done, 0);
	pacing_run_until(fixture, began + SECOND);
	assert_int_equal(pacer->n_done, 16);
	assert_true(pacer->last_done - began > 16 * SECOND / 30);
	fixture_destroy(fixture);
	free(pacer);
}

/*
 * A window is throttled the same way however it is hidden, and gets the output's callbacks when
 * shown again.
 */
static void every_hidden_state_is_throttled_alike(void **state)
{
	static const struct way ways[] = {
		{"minimised", go_minimised, come_back_restored},
		{"on another workspace", go_elsewhere, come_back_here},
		{"outside of the screen", go_outside, come_back_inside},
		{"behind the lock", go_locked, come_back_unlocked},
		{"on a screen that sleeps", go_asleep, come_back_awake},
	};
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct fixture *fixture = fixture_create(NULL);
		struct pacer *pacer = pacer_create(fixture, 10, 10);
		print_message("%s\n", ways[i].name);
		ways[i].go(pacer);
		fixture_settle(fixture);
		check_hidden_pace(pacer);
		int done = pacer->n_done;
		pacer_ask_callback(pacer);
		pacer_draw(pacer);
		fixture_pump(fixture);
		ways[i].come_back(pacer);
		fixture_frames(fixture, 3);
		assert_int_equal(pacer->n_done, done + 1);
		for (int n = 2; n < 6; n++) {
			pacer_ask_callback(pacer);
			pacer_draw(pacer);
			fixture_pump(fixture);
			pacing_run_until(fixture, pacer_now(pacer) + PERIOD + 2 * MS);
			assert_int_equal(pacer->n_done, done + n);
		}
		fixture_destroy(fixture);
		free(pacer);
	}
}

static int n_released(const struct pacer *pacer)
{
	int n = 0;
	for (int i = 0; i < 3; i++) {
		n += pacer->buffers[i]->n_released;
	}
	return n;
}

/* A client that waits for its callback gets the buffer release together with it. */
static void release_comes_with_the_callback(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create(fixture, 10, 10);
	pacer_draw(pacer);
	fixture_settle(fixture);
	pacer_hide(pacer);
	for (int i = 0; i < 3; i++) {
		int released = n_released(pacer), done = pacer->n_done;
		pacer_ask_callback(pacer);
		pacer_draw(pacer);
		fixture_pump(fixture);
		assert_int_equal(n_released(pacer), released);
		fixture_sleep(fixture, SECOND + 10 * MS);
		assert_int_equal(pacer->n_done, done + 1);
		assert_int_equal(n_released(pacer), released + 1);
	}
	/* A client that draws without waiting may need a buffer: releases are sent at once. */
	int released = n_released(pacer);
	pacer_ask_callback(pacer);
	pacer_draw(pacer);
	pacer_ask_callback(pacer);
	pacer_draw(pacer);
	fixture_pump(fixture);
	assert_int_equal(n_released(pacer), released + 2);
	fixture_sleep(fixture, SECOND + 10 * MS);
	pacer_draw(pacer);
	fixture_pump(fixture);
	assert_int_equal(n_released(pacer), released + 3);
	/* Without callbacks for hidden surfaces, likewise. */
	pacing_set_rates(fixture, 0, 0);
	pacer_ask_callback(pacer);
	pacer_draw(pacer);
	fixture_pump(fixture);
	assert_int_equal(n_released(pacer), released + 4);
	fixture_destroy(fixture);
	free(pacer);
}

/* The moment of the first time has passed when the window is hidden again. */
static void window_hidden_again_waits_anew(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create(fixture, 10, 10);
	pacer_hide(pacer);
	pacer_ask_callback(pacer);
	pacer_draw(pacer);
	fixture_pump(fixture);
	come_back_restored(pacer);
	fixture_frames(fixture, 3);
	assert_int_equal(pacer->n_done, 1);
	pacing_run_until(fixture, (pacer_now(pacer) / SECOND + 1) * SECOND + 50 * MS);
	pacer_hide(pacer);
	fixture_settle(fixture);
	pacer_ask_callback(pacer);
	pacer_draw(pacer);
	fixture_sleep(fixture, SECOND / 2);
	assert_int_equal(pacer->n_done, 1);
	fixture_sleep(fixture, SECOND / 2);
	assert_int_equal(pacer->n_done, 2);
	fixture_destroy(fixture);
	free(pacer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hidden_windows_get_callbacks_once_a_second),
		cmocka_unit_test(covered_window_is_throttled),
		cmocka_unit_test(rate_of_zero_stops_callbacks),
		cmocka_unit_test(new_rate_applies_to_windows_that_wait),
		cmocka_unit_test(barriers_do_not_wait_for_callbacks),
		cmocka_unit_test(every_hidden_state_is_throttled_alike),
		cmocka_unit_test(release_comes_with_the_callback),
		cmocka_unit_test(window_hidden_again_waits_anew),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
