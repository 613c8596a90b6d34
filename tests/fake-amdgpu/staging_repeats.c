/* SPDX-License-Identifier: MIT */
/* Verifications of copies that fail for a reason that may pass, and are repeated. */

#include "copy/gpu_engines.h"
#include "gpu_pair.h"
#include "harness/await.h"
#include "harness/unit.h"
#include "staging/ring.h"
#include "staging/verify.h"
#include "util/task.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>

#define MINUTE (INT64_C(60) * 1000000000)
#define RIGHT 4096 /* bytes that the faulty GPU reads correctly */

static struct gpu_engines *used[2];

static int set_up(void **state)
{
	struct pair *pair = xcalloc(1, sizeof(*pair));
	pair_init(pair, true, false);
	pair->tasks = tasks_create(pair->loop, pair->clock);
	staging_verify_copies(pair->staging, pair->tasks, NULL);
	fake_gpu_misread(pair->fakes[1], RIGHT);
	*state = pair;
	return 0;
}

static void release_engines(void)
{
	for (int i = 0; i < 2; i++) {
		gpu_engines_release(used[i]);
		used[i] = NULL;
	}
}

static int tear_down(void **state)
{
	fake_set_hook(NULL);
	release_engines();
	pair_finish(*state);
	free(*state);
	return 0;
}

/* Waits for threads, which do not follow the clock. */
static void settle(struct pair *pair)
{
	pair_dispatch(pair, 3);
	await(pair->copier->n_opening == 0 && tasks_n_pending(pair->tasks) == 0,
		wl_event_loop_dispatch(pair->loop, 0));
	pair_dispatch(pair, 3);
}

/* Copies for so many seconds, or until all pixels are there. */
static enum staging_status copy_for(struct pair *pair, int seconds)
{
	enum staging_status status = STAGING_ABSENT;
	const char *reason;
	for (int i = 0; i < 10 * seconds && status != STAGING_READY; i++) {
		clock_advance(pair->clock, INT64_C(100000000));
		settle(pair);
		status = staging_copy(pair->ring, &pair->source->base, &pair->all, false, &reason);
		settle(pair);
	}
	return status;
}

static enum allocation_from memory_of(const struct pair *pair)
{
	return pair->ring->crossing_search.allocation.from;
}

static int n_shortages, shortage;

static int fail_contexts(enum fake_call call)
{
	return call == FAKE_CALL_CONTEXT && n_shortages-- > 0 ? shortage : 0;
}

/* The ring's engines are open: only tests create contexts from now on, and some of them fail. */
static void run_short(struct pair *pair, int n, int error)
{
	const char *reason;
	for (int i = 0; i < 2; i++) {
		used[i] = copier_use(pair->copier, &pair->gpus[i]);
		gpu_engines_check(used[i], &pair->source->image.dmabuf, COPY_SOURCE, &reason);
		settle(pair);
	}
	n_shortages = n;
	shortage = error;
	fake_set_hook(fail_contexts);
}

static void expect_verdict(void *data, const char *phrase)
{
	assert_string_equal(phrase, data);
}

/* Copies wait for the repetition: without it, the reader would show wrong pixels. */
static void test_that_failed_for_a_moment_is_repeated(void **state)
{
	struct pair *pair = *state;
	run_short(pair, 3, ENOMEM);
	assert_int_equal(copy_for(pair, 9), STAGING_READY);
	assert_true(n_shortages < 0);
	assert_int_equal(memory_of(pair), ALLOCATION_LOCAL);
	pair_check(pair);
}

/* Drivers answer so while a GPU wakes up. */
static void engine_that_is_absent_for_a_moment_is_tested(void **state)
{
	struct pair *pair = *state;
	run_short(pair, 1, ENODEV);
	assert_int_equal(copy_for(pair, 1), STAGING_READY);
	assert_true(n_shortages < 0);
	assert_int_equal(memory_of(pair), ALLOCATION_LOCAL);
	pair_check(pair);
}

/* Memory that a later test finds wrong is replaced. */
static void test_that_keeps_failing_holds_up_copies_for_seconds(void **state)
{
	struct pair *pair = *state;
	run_short(pair, 1000, ENOMEM);
	assert_int_equal(copy_for(pair, 6), STAGING_ABSENT);
	assert_int_equal(copy_for(pair, 3), STAGING_READY);
	assert_int_equal(memory_of(pair), ALLOCATION_SOURCE);
	char expected[] = "sdma to sdma of /emulated/renderD129 in memory of the source's GPU: "
			  "not tested yet, the test is repeated";
	staging_each_verdict(pair->staging, &pair->gpus[0], expect_verdict, expected);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(memory_of(pair), ALLOCATION_SOURCE);
		n_shortages = i < 2 ? 1 : 0;
		clock_advance(pair->clock, MINUTE << i);
		settle(pair);
		assert_int_equal(n_shortages < 0, i == 2);
		copy_for(pair, 1);
	}
	assert_int_equal(memory_of(pair), ALLOCATION_LOCAL);
	pair_check(pair);
}

/*
 * Rings have copied by wrong memory while the test failed: each of them gets other memory, but not
 * the ring of another reader.
 */
static void wrong_memory_of_every_ring_is_replaced(void **state)
{
	struct pair *pair = *state;
	struct staging_ring *rings[4], *first = pair->ring;
	run_short(pair, 1000, ENOMEM);
	pair_create_ring(pair, NULL);
	struct staging_ring *other = pair->ring;
	assert_int_equal(copy_for(pair, 1), STAGING_READY);
	const struct buffer *memory = other->slots[0].buffer;
	pair->ring = first;
	for (int i = 0; i < 4; i++) {
		rings[i] = pair->ring;
		assert_int_equal(copy_for(pair, 9), STAGING_READY);
		assert_int_equal(memory_of(pair), ALLOCATION_SOURCE);
		if (i < 3) {
			pair_create_ring(pair, &pair->gpus[1]);
		}
	}
	n_shortages = 0;
	for (int i = 0; i < 20 && n_shortages == 0; i++) {
		clock_advance(pair->clock, MINUTE / 4);
		settle(pair);
	}
	for (int i = 0; i < 4; i++) {
		pair->ring = rings[i];
		copy_for(pair, 1);
		assert_int_equal(memory_of(pair), ALLOCATION_LOCAL);
		pair_check(pair);
	}
	assert_ptr_equal(other->slots[0].buffer, memory);
	staging_ring_destroy(other);
	for (int i = 0; i < 3; i++) {
		staging_ring_destroy(rings[i]);
	}
}

/* A session without windows of these GPUs is not woken. */
static void unused_pair_is_not_tested_again(void **state)
{
	struct pair *pair = *state;
	run_short(pair, 1000, ENOMEM);
	assert_int_equal(copy_for(pair, 9), STAGING_READY);
	staging_ring_destroy(pair->ring);
	release_engines();
	int before = n_shortages;
	clock_advance(pair->clock, 600 * MINUTE);
	settle(pair);
	assert_int_equal(n_shortages, before);
	assert_false(clock_advance_to_next(pair->clock));
	n_shortages = 0;
	pair_create_ring(pair, &pair->gpus[1]);
	assert_int_equal(copy_for(pair, 1), STAGING_READY);
	assert_int_equal(copy_for(pair, 1), STAGING_READY);
	assert_int_equal(memory_of(pair), ALLOCATION_LOCAL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_that_failed_for_a_moment_is_repeated),
		TEST(engine_that_is_absent_for_a_moment_is_tested),
		TEST(test_that_keeps_failing_holds_up_copies_for_seconds),
		TEST(wrong_memory_of_every_ring_is_replaced),
		TEST(unused_pair_is_not_tested_again),
	};

	return cmocka_run_group_tests_name("staging repeats", tests, NULL, NULL);
}
