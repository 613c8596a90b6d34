/* SPDX-License-Identifier: MIT */
/* Staging rings in long sessions: rare resets, idle engines, hidden windows, ended passes. */

#include "copy/gpu_engines.h"
#include "gpu_pair.h"
#include "harness/unit.h"
#include "staging/ring.h"
#include <errno.h>
#include <unistd.h>

/* Sessions last for weeks. */
static void engine_survives_any_number_of_rare_resets(void **state)
{
	struct pair pair;

	pair_init(&pair, true, false);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	for (int i = 0; i < 8; i++) {
		clock_advance(pair.clock, INT64_C(11000000000));
		pair_damage(&pair);
		fake_gpu_reset(pair.fakes[0]);
		pair.n_arrived = 0;
		pair_copy(&pair);
		pair.n_arrived = 0;
		assert_int_equal(pair_copy(&pair), STAGING_READY);
	}
	assert_int_equal(pair.copier->totals.lost, 0);
	pair_check(&pair);
	pair_finish(&pair);
}

/* An engine without copies, which others may have opened, has no deadline. */
static void hung_copy_is_noticed_beside_an_idle_engine(void **state)
{
	struct pair pair;
	size_t n, opened = 0;

	pair_init(&pair, true, true);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	const struct engine_type *types = engine_types(&n);
	for (size_t i = 0; i < n; i++) {
		int error;
		bool quick = types[i].quick && types[i].kind != COST_SDMA;
		opened += quick && engine_instance_open(pair.ring->source, i, &error);
	}
	assert_int_equal(opened, 1);
	pair_damage(&pair);
	fake_gpu_hold(pair.fakes[0]);
	assert_int_equal(pair_copy(&pair), STAGING_LATE);
	clock_advance(pair.clock, COPY_DEADLINE - 1);
	assert_int_equal(pair.copier->totals.lost, 0);
	clock_advance(pair.clock, 1);
	pair_dispatch(&pair, 4);
	assert_int_equal(pair.copier->totals.lost, 1);
	pair_finish(&pair);
}

/* Windows that were minimized one after the other. */
static void unseen_rings_are_freed_in_their_order(void **state)
{
	const uint64_t one = PAIR_SIDE * PAIR_SIDE * 4;
	struct staging_ring *rings[2];
	struct pair pair;

	pair_init(&pair, false, true);
	for (int i = 0; i < 2; i++) {
		rings[i] = pair.ring;
		for (int j = 0; j < 2; j++) {
			pair_damage(&pair);
			assert_int_equal(pair_copy(&pair), STAGING_READY);
		}
		if (i == 0) {
			pair_create_ring(&pair, &pair.gpus[1]);
		}
	}
	assert_int_equal(pair.staging->memory, 4 * one);
	staging_set_seen(rings[0], false);
	clock_advance(pair.clock, INT64_C(1500000000));
	staging_set_seen(rings[1], false);
	clock_advance(pair.clock, INT64_C(500000000));
	assert_int_equal(pair.staging->memory, 3 * one);
	clock_advance(pair.clock, INT64_C(1499999999));
	assert_int_equal(pair.staging->memory, 3 * one);
	clock_advance(pair.clock, 1);
	assert_int_equal(pair.staging->memory, 2 * one);
	staging_ring_destroy(rings[0]);
	pair_finish(&pair);
}

static int count_buffers(const struct staging_ring *ring)
{
	int n = 0;
	for (int i = 0; i < STAGING_MAX; i++) {
		n += ring->slots[i].buffer != NULL;
	}
	return n;
}

/* Fills two buffers, as a window that is seen does. */
static void fill(struct pair *pair, struct staging_ring *ring)
{
	pair->ring = ring;
	for (int i = 0; i < 2; i++) {
		pair_damage(pair);
		assert_int_equal(pair_copy(pair), STAGING_READY);
	}
	assert_int_equal(count_buffers(ring), 2);
}

/* Windows come and go on workspaces: the timer of one frees no other that is seen again. */
static void rings_are_freed_after_two_seconds_out_of_sight(void **state)
{
	struct staging_ring *rings[5];
	struct pair pair;
	int hidden[5] = {0}, n_freed = 0, n_back = 0; /* steps of 100 ms out of sight */

	pair_init(&pair, false, true);
	for (int i = 0; i < 5; i++) {
		rings[i] = pair.ring;
		fill(&pair, rings[i]);
		if (i < 4) {
			pair_create_ring(&pair, &pair.gpus[1]);
		}
	}
	for (int step = 0; step < 1000; step++) {
		const int chosen = random_between(0, 9);
		if (chosen < 5) {
			const bool seen = hidden[chosen] > 0;
			staging_set_seen(rings[chosen], seen);
			if (seen && hidden[chosen] > 20) {
				fill(&pair, rings[chosen]);
			}
			n_back += seen && hidden[chosen] <= 20;
			hidden[chosen] = seen ? 0 : 1;
		}
		clock_advance(pair.clock, INT64_C(100000000));
		for (int i = 0; i < 5; i++) {
			assert_int_equal(count_buffers(rings[i]), hidden[i] >= 20 ? 1 : 2);
			hidden[i] += hidden[i] > 0;
			n_freed += hidden[i] == 21;
		}
	}
	assert_true(n_freed > 10 && n_back > 10);
	for (int i = 0; i < 5; i++) {
		if (rings[i] != pair.ring) {
			staging_ring_destroy(rings[i]);
		}
	}
	pair_finish(&pair);
}

/* Rings in second-best memory wait ever longer, all of them until there may be better memory. */
static void free_memory_ends_the_pauses_of_all_rings(void **state)
{
	enum { HIDDEN, DESTROYED, ENGINE, N_EVENTS };
	for (int event = 0; event < N_EVENTS; event++) {
		struct staging_ring *rings[4];
		struct pair pair;

		pair_init(&pair, false, true);
		for (int i = 0; i < 4; i++) {
			rings[i] = pair.ring;
			fill(&pair, rings[i]);
			if (i < 3) {
				pair_create_ring(&pair, &pair.gpus[1]);
			}
		}
		for (int i = 0; i < 4; i++) {
			rings[i]->n_renewals = 5;
		}
		switch (event) {
		case HIDDEN:
			staging_set_seen(rings[0], false);
			clock_advance(pair.clock, INT64_C(2000000000));
			break;
		case DESTROYED: staging_ring_destroy(rings[0]); break;
		case ENGINE: signal_emit(&pair.copier->events.engines, pair.copier); break;
		}
		for (int i = 1; i < 4; i++) {
			assert_int_equal(rings[i]->n_renewals, 0);
		}
		for (int i = event == DESTROYED; i < 3; i++) {
			staging_ring_destroy(rings[i]);
		}
		pair_finish(&pair);
	}
}

/* The pass after it ended at once, or has no fence since descriptors are exhausted. */
static void pass_without_fence_ends_the_wait_for_its_buffer(void **state)
{
	struct pair pair;

	pair_init(&pair, false, true);
	int fence = fake_fence_create();
	pair_read_all(&pair, fence);
	for (int i = 0; i < STAGING_MAX; i++) {
		staging_read(pair.ring, i, -1);
	}
	pair_dispatch(&pair, 4);
	assert_int_equal(pair.n_arrived, 1);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	pair_check(&pair);
	close(fence);
	pair_finish(&pair);
}

/* A pass that the GPU gave up reads its buffer no longer. */
static void failed_pass_ends_the_wait_for_its_buffer(void **state)
{
	struct pair pair;

	pair_init(&pair, false, true);
	int fence = fake_fence_create();
	pair_read_all(&pair, fence);
	fake_fence_signal(fence, -ECANCELED);
	pair_dispatch(&pair, 4);
	assert_int_equal(pair.n_arrived, 1);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	pair_check(&pair);
	close(fence);
	pair_finish(&pair);
}

/* The copy to the memory of a discrete reader follows the one that crosses. */
static void prediction_includes_both_steps(void **state)
{
	const uint64_t bytes = PAIR_SIDE * PAIR_SIDE * 4;
	for (int i = 0; i < 2; i++) {
		const bool integrated = i == 0;
		struct pair pair;
		pair_init(&pair, false, integrated);
		assert_int_equal(pair_copy(&pair), STAGING_READY);
		const struct staging_ring *ring = pair.ring;
		int64_t needed = cost_estimate(
			gpu_engines_cost(ring->source, ring->pair, COST_OUT), bytes, 1, false);
		if (!integrated) {
			needed += cost_estimate(
				gpu_engines_cost(ring->local, ring->local_pair, COST_IN), bytes, 1,
				false);
		}
		assert_int_equal(staging_predict(ring, &pair.all), 0);
		pair_damage(&pair);
		assert_int_equal(staging_predict(ring, &pair.all), needed);
		pair_finish(&pair);
	}
}

/* A copy that the GPU gave up says nothing about the speed of others. */
static void failed_copies_are_not_measured(void **state)
{
	struct pair pair;

	pair_init(&pair, false, true);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	struct cost_table *costs = &pair.copier->costs;
	/* Each measurement consists of 32 copies. */
	for (int i = 0; i < 33; i++) {
		bool fails = i == 5;
		assert_false(cost_table_knows(costs, pair.ring->pair, COST_SDMA, COST_OUT));
		pair_damage(&pair);
		fake_gpu_hold(pair.fakes[0]);
		assert_int_equal(pair_copy(&pair), STAGING_LATE);
		fake_gpu_fail_jobs(pair.fakes[0], fails);
		fake_gpu_release(pair.fakes[0]);
		pair_dispatch(&pair, 4);
		while (pair.copier->n_opening > 0) {
			wl_event_loop_dispatch(pair.loop, -1);
		}
		pair.n_arrived = 0;
	}
	assert_true(cost_table_knows(costs, pair.ring->pair, COST_SDMA, COST_OUT));
	pair_finish(&pair);
}

static int n_absences;

static int hide_engine(enum fake_call call)
{
	return call == FAKE_CALL_ALLOCATE && n_absences-- > 0 ? ENODEV : 0;
}

/* Two failures in a row mean that there is no engine, and two in a session do not. */
static void engine_that_is_absent_now_and_then_is_opened_again(void **state)
{
	struct pair pair;
	pair_init(&pair, false, true);
	pair.copier->only = "sdma";
	fake_set_hook(hide_engine);
	for (int i = 0; i < 3; i++) {
		if (i > 0) {
			pair.n_arrived = 0;
			fake_gpu_hold(pair.fakes[0]);
			assert_int_equal(pair_copy(&pair), STAGING_LATE);
			clock_advance(pair.clock, COPY_DEADLINE);
			pair_dispatch(&pair, 4);
			fake_gpu_reset(pair.fakes[0]);
			fake_gpu_release(pair.fakes[0]);
			assert_int_equal(pair.copier->totals.lost, i);
		}
		n_absences = 1;
		pair.n_arrived = 0;
		assert_int_not_equal(pair_copy(&pair), STAGING_READY);
		for (int j = 0; j < 400 && staging_status(pair.ring, &pair.all) != STAGING_READY;
			j++) {
			clock_advance(pair.clock, INT64_C(100000000));
			pair_dispatch(&pair, 2);
			if (pair.n_arrived > 0) {
				pair.n_arrived = 0;
				pair_copy(&pair);
			}
		}
		assert_int_equal(staging_status(pair.ring, &pair.all), STAGING_READY);
		pair_check(&pair);
		pair_damage(&pair);
	}
	fake_set_hook(NULL);
	pair_finish(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(engine_survives_any_number_of_rare_resets),
		cmocka_unit_test(hung_copy_is_noticed_beside_an_idle_engine),
		cmocka_unit_test(unseen_rings_are_freed_in_their_order),
		cmocka_unit_test(rings_are_freed_after_two_seconds_out_of_sight),
		cmocka_unit_test(free_memory_ends_the_pauses_of_all_rings),
		cmocka_unit_test(pass_without_fence_ends_the_wait_for_its_buffer),
		cmocka_unit_test(failed_pass_ends_the_wait_for_its_buffer),
		cmocka_unit_test(prediction_includes_both_steps),
		cmocka_unit_test(failed_copies_are_not_measured),
		cmocka_unit_test(engine_that_is_absent_now_and_then_is_opened_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
