/* SPDX-License-Identifier: MIT */
/* Descriptor watches: readiness is reported even while the event loop is out of descriptors. */

#include "util/fd_watch.h"
#include "harness/unit.h"
#include "util/fd.h"
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#define MS INT64_C(1000000)

struct test {
	struct wl_event_loop *loop;
	struct clock *clock;
	int ends[2];
	struct fd_watch watch;
	int n;
	struct rlimit limit;
};

static void handle_ready(void *data)
{
	struct test *test = data;
	if (++test->n == 2) {
		fd_watch_stop(&test->watch);
	}
}

static void start(struct test *test)
{
	*test = (struct test){
		.loop = wl_event_loop_create(),
		.clock = clock_create_test(1000),
	};
	assert_int_equal(pipe2(test->ends, O_CLOEXEC), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &test->limit), 0);
}

static void finish(struct test *test)
{
	fd_watch_stop(&test->watch);
	fd_watch_stop(&test->watch);
	assert_false(clock_advance_to_next(test->clock)); /* no timer is left */
	clock_destroy(test->clock);
	wl_event_loop_destroy(test->loop);
	close(test->ends[0]);
	close(test->ends[1]);
}

static void exhaust_descriptors(const struct test *test)
{
	int lowest = fd_dup(test->ends[0]);
	struct rlimit limit = {.rlim_cur = (rlim_t)lowest, .rlim_max = test->limit.rlim_max};
	assert_true(lowest >= 0);
	close(lowest);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static void restore_limit(const struct test *test)
{
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &test->limit), 0);
}

static void watch(struct test *test)
{
	fd_watch_start(&test->watch, test->loop, test->clock, test->ends[0], handle_ready, test);
}

static void watch_reports_until_stopped(void **state)
{
	struct test test;
	start(&test);
	watch(&test);
	wl_event_loop_dispatch(test.loop, 0);
	assert_int_equal(test.n, 0);
	assert_int_equal(write(test.ends[1], "", 1), 1);
	for (int i = 1; i <= 3; i++) {
		wl_event_loop_dispatch(test.loop, 0);
		assert_int_equal(test.n, i < 2 ? i : 2);
	}
	finish(&test);
}

static void watch_polls_by_timer_without_descriptors(void **state)
{
	struct test test;
	start(&test);
	exhaust_descriptors(&test);
	watch(&test);
	clock_advance(test.clock, 100 * MS);
	assert_int_equal(test.n, 0);
	assert_int_equal(write(test.ends[1], "", 1), 1);
	for (int i = 0; i < 4; i++) {
		clock_advance(test.clock, 20 * MS);
	}
	assert_int_equal(test.n, 2);
	restore_limit(&test);
	finish(&test);
}

/* Once descriptors are available again, the loop polls the descriptor and no timer is armed. */
static void watch_returns_to_the_loop_with_descriptors(void **state)
{
	struct test test;
	start(&test);
	exhaust_descriptors(&test);
	watch(&test);
	clock_advance(test.clock, 100 * MS);
	restore_limit(&test);
	clock_advance(test.clock, 20 * MS);
	assert_false(clock_advance_to_next(test.clock));
	assert_int_equal(write(test.ends[1], "", 1), 1);
	wl_event_loop_dispatch(test.loop, 0);
	assert_int_equal(test.n, 1);
	finish(&test);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(watch_reports_until_stopped),
		cmocka_unit_test(watch_polls_by_timer_without_descriptors),
		cmocka_unit_test(watch_returns_to_the_loop_with_descriptors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
