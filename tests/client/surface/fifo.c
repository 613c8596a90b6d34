/* SPDX-License-Identifier: MIT */
/* Commits that wait for a refresh (fifo-v1), for a time (commit-timing-v1), or for both. */

#include "harness/client/pacer.h"
#include "util/clock.h"
#include <stdlib.h>

static void queue_fifo(struct pacer *pacer)
{
	wp_fifo_v1_set_barrier(pacer->fifo);
	wp_fifo_v1_wait_barrier(pacer->fifo);
	pacer_ask_feedback(pacer);
	pacer_draw(pacer);
}

/* Each commit is presented for one refresh cycle: none is skipped, none is repeated. */
static void fifo_presents_each_commit_for_one_cycle(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create(fixture, 10, 10);
	for (int i = 0; i < 12; i++) {
		queue_fifo(pacer);
	}
	fixture_pump(fixture);
	pacing_run_until(fixture, pacer_now(pacer) + 14 * PERIOD);
	assert_int_equal(pacer->n_presented, 12);
	assert_int_equal(pacer->n_discarded, 0);
	for (int i = 1; i < 12; i++) {
		assert_int_equal(pacer->sequence[i], pacer->sequence[i - 1] + 1);
		assert_in_range(pacer->shown[i] - pacer->shown[i - 1], PERIOD - 1, PERIOD + 1);
	}
	fixture_settle(fixture);
	assert_false(clock_advance_to_next(fixture->clock));
	assert_false(pacer_surface(pacer)->barrier);

	/* Commits without damage have the same pace. */
	uint64_t commits = 0;
	for (int i = 0; i < 5; i++) {
		wp_fifo_v1_set_barrier(pacer->fifo);
		wp_fifo_v1_wait_barrier(pacer->fifo);
		wl_surface_commit(pacer->surface);
	}
	int64_t began = pacer_now(pacer);
	fixture_pump(fixture);
	while (pacer_surface(pacer)->n_queued > 0 && commits++ < 1000) {
		pacing_step(fixture, MS);
	}
	assert_in_range(pacer_now(pacer) - began, 3 * PERIOD - 2 * MS, 5 * PERIOD);
	fixture_settle(fixture);
	assert_false(clock_advance_to_next(fixture->clock));
	fixture_destroy(fixture);
	free(pacer);
}

/* A barrier affects only commits that wait for it. */
static void barrier_affects_waiting_commits_only(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create(fixture, 10, 10);
	wp_fifo_v1_set_barrier(pacer->fifo);
	pacer_draw(pacer);
	pacer_draw(pacer);
	fixture_pump(fixture);
	assert_int_equal(pacer_surface(pacer)->n_queued, 0);
	/* Without a barrier, waiting has no effect. */
	fixture_settle(fixture);
	wp_fifo_v1_wait_barrier(pacer->fifo);
	pacer_draw(pacer);
	fixture_pump(fixture);
	assert_int_equal(pacer_surface(pacer)->n_queued, 0);
	/* The state outlives the object. */
	queue_fifo(pacer);
	queue_fifo(pacer);
	wp_fifo_v1_destroy(pacer->fifo);
	fixture_pump(fixture);
	assert_int_equal(pacer_surface(pacer)->n_queued, 1);
	fixture_settle(fixture);
	assert_int_equal(pacer_surface(pacer)->n_queued, 0);
	assert_int_equal(pacer->n_presented, 2);
	fixture_destroy(fixture);
	free(pacer);
}

static void hidden_fifo_runs_at_the_throttled_rate(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create(fixture, 10, 10);
	pacer_hide(pacer);
	for (int i = 0; i < 30; i++) {
		queue_fifo(pacer);
	}
	fixture_pump(fixture);
	int64_t began = pacer_now(pacer);
	while (pacer_surface(pacer)->n_queued > 0) {
		assert_true(clock_advance_to_next(fixture->clock));
		fixture_pump(fixture);
	}
	assert_in_range(pacer_now(pacer) - began, 28 * SECOND / 30, 30 * SECOND / 30);
	/* The last barrier is cleared, and no timer runs. */
	fixture_sleep(fixture, SECOND / 10);
	assert_false(pacer_surface(pacer)->barrier);
	fixture_sleep(fixture, 2 * SECOND); /* pixels of hidden windows are freed */
	assert_false(clock_advance_to_next(fixture->clock));
	fixture_destroy(fixture);
	free(pacer);
}

/* Without a role or a window a surface is never presented, so its commits do not wait. */
static void surface_without_a_window_does_not_wait(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create(fixture, 10, 10);
	struct wp_fifo_manager_v1 *manager =
		peer_bind(pacer->peer, &wp_fifo_manager_v1_interface, 0);
	struct wl_surface *bare = wl_compositor_create_surface(pacer->peer->compositor);
	struct wp_fifo_v1 *fifo = wp_fifo_manager_v1_get_fifo(manager, bare);
	const struct surface *surface = peer_surface_find(pacer->peer, bare);
	for (int i = 0; i < 4; i++) {
		wp_fifo_v1_set_barrier(fifo);
		wp_fifo_v1_wait_barrier(fifo);
		peer_surface_show(bare, pacer->buffers[i % 3]);
	}
	fixture_pump(fixture);
	assert_int_equal(surface->n_commits, 4);
	assert_int_equal(surface->n_queued, 0);

	for (int i = 0; i < 4; i++) {
		queue_fifo(pacer);
	}
	fixture_pump(fixture);
	assert_int_equal(pacer_surface(pacer)->n_queued, 3);
	xdg_toplevel_destroy(pacer->window->toplevel);
	xdg_surface_destroy(pacer->window->xdg_surface);
	fixture_pump(fixture);
	assert_int_equal(pacer_surface(pacer)->n_queued, 0);
	for (int i = 0; i < 4; i++) {
		queue_fifo(pacer);
	}
	fixture_pump(fixture);
	assert_int_equal(pacer_surface(pacer)->n_queued, 0);
	fixture_settle(fixture);
	fixture_sleep(fixture, 2 * SECOND); /* pixels of hidden windows are freed */
	assert_false(clock_advance_to_next(fixture->clock));
	fixture_destroy(fixture);
	free(pacer);
}

/*
 * A barrier set before or with the unmapping commit does not keep the window from being mapped
 * again.
 */
static void barrier_does_not_keep_a_window_unmapped(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create(fixture, 10, 10);
	for (int i = 0; i < 2; i++) {
		fixture_settle(fixture);
		wp_fifo_v1_set_barrier(pacer->fifo);
		if (i == 0) {
			pacer_draw(pacer);
		}
		wl_surface_attach(pacer->surface, NULL, 0, 0);
		wl_surface_commit(pacer->surface);
		wl_surface_commit(pacer->surface);
		fixture_pump(fixture);
		assert_false(pacer_surface(pacer)->mapped);
		queue_fifo(pacer);
		fixture_settle(fixture);
		assert_true(pacer_surface(pacer)->mapped);
	}
	fixture_destroy(fixture);
	free(pacer);
}

/* Presented at the first vblank at or after the given time. */
static void commit_is_presented_at_its_time(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create(fixture, 10, 10);
	uint32_t random = 12345;
	for (int i = 0; i < 40; i++) {
		random = random * 1103515245 + 12345;
		int64_t target = pacer_now(pacer) + 5 * MS + (int64_t)(random >> 8) % (150 * MS);
		wp_commit_timer_v1_set_timestamp(
			pacer->timer, 0, (uint32_t)(target / SECOND), (uint32_t)(target % SECOND));
		pacer_ask_feedback(pacer);
		pacer_draw(pacer);
		fixture_pump(fixture);
		pacing_run_until(fixture, target + PERIOD + 2 * MS);
		assert_int_equal(pacer->n_presented, i + 1);
		assert_true(pacer->shown[i] >= target);
		assert_true(pacer->shown[i] < target + PERIOD);
	}
	/* A past time delays nothing. */
	wp_commit_timer_v1_set_timestamp(pacer->timer, 0, 1, 0);
	pacer_draw(pacer);
	fixture_pump(fixture);
	assert_int_equal(pacer_surface(pacer)->n_queued, 0);
	/* A time beyond the clock's range blocks its own surface only. */
	wp_commit_timer_v1_set_timestamp(pacer->timer, UINT32_MAX, UINT32_MAX, 999999999);
	pacer_draw(pacer);
	pacer_draw(pacer);
	fixture_pump(fixture);
	assert_int_equal(pacer_surface(pacer)->n_queued, 2);
	fixture_destroy(fixture);
	free(pacer);
}

/* Both together: never before its time, and one per refresh cycle. */
static void fifo_and_timing_combine(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create(fixture, 10, 10);
	int64_t first = pacer_now(pacer) + 5 * PERIOD;
	for (int i = 0; i < 6; i++) {
		int64_t target = first + i * PERIOD / 2;
		wp_commit_timer_v1_set_timestamp(
			pacer->timer, 0, (uint32_t)(target / SECOND), (uint32_t)(target % SECOND));
		queue_fifo(pacer);
	}
	fixture_pump(fixture);
	pacing_run_until(fixture, first + 8 * PERIOD);
	assert_int_equal(pacer->n_presented, 6);
	for (int i = 0; i < 6; i++) {
		assert_true(pacer->shown[i] >= first + i * PERIOD / 2);
		if (i > 0) {
			assert_int_equal(pacer->sequence[i], pacer->sequence[i - 1] + 1);
		}
	}
	fixture_destroy(fixture);
	free(pacer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fifo_presents_each_commit_for_one_cycle),
		cmocka_unit_test(barrier_affects_waiting_commits_only),
		cmocka_unit_test(hidden_fifo_runs_at_the_throttled_rate),
		cmocka_unit_test(surface_without_a_window_does_not_wait),
		cmocka_unit_test(barrier_does_not_keep_a_window_unmapped),
		cmocka_unit_test(commit_is_presented_at_its_time),
		cmocka_unit_test(fifo_and_timing_combine),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
