/* SPDX-License-Identifier: MIT */
/* Clocks and timers: test clocks and CLOCK_MONOTONIC. */

#include "util/clock.h"
#include "harness/unit.h"

#include "harness/growth.h"
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define MS INT64_C(1000000)

/* A timer that appends its letter to a log and then calls `then`. */
struct probe {
	struct timer timer;
	char letter;
	int n_fired;
	int64_t at;
	char *log;
	void (*then)(struct probe *probe, int64_t now);
	struct probe *other;
};

static void handle_fire(struct timer *timer, int64_t now)
{
	struct probe *probe = wl_container_of(timer, probe, timer);
	size_t length = strlen(probe->log);

	assert_false(timer->armed);
	probe->n_fired++;
	probe->at = now;
	probe->log[length] = probe->letter;
	probe->log[length + 1] = '\0';
	if (probe->then) {
		probe->then(probe, now);
	}
}

static void init_probe(struct probe *probe, struct clock *clock, char letter, char *log)
{
	*probe = (struct probe){.letter = letter, .log = log};
	timer_init(&probe->timer, clock, handle_fire);
}

static void timers_fire_in_order_of_deadline(void **state)
{
	struct clock *clock = clock_create_test(1000);
	struct probe probes[4];
	char log[64] = "";

	for (int i = 0; i < 4; i++) {
		init_probe(&probes[i], clock, (char)('a' + i), log);
	}
	timer_arm(&probes[0].timer, 1030);
	timer_arm(&probes[1].timer, 1010);
	timer_arm(&probes[2].timer, 1010);
	timer_arm(&probes[3].timer, 1020);
	clock_advance(clock, 9);
	assert_string_equal(log, "");
	clock_advance(clock, 1);
	assert_string_equal(log, "bc");
	timer_disarm(&probes[3].timer);
	timer_arm(&probes[1].timer, 1025);
	clock_advance(clock, 100);
	assert_string_equal(log, "bcba");
	assert_int_equal(probes[1].at, 1025); /* its deadline, not the end of the advance */
	assert_int_equal(probes[0].at, 1030);
	assert_int_equal(clock_now(clock), 1110);
	assert_false(clock_advance_to_next(clock));

	timer_arm(&probes[2].timer, 2000);
	timer_arm(&probes[2].timer, 1500); /* moves, does not double */
	assert_true(clock_advance_to_next(clock));
	assert_int_equal(clock_now(clock), 1500);
	assert_int_equal(probes[2].n_fired, 2);
	assert_false(clock_advance_to_next(clock));
	clock_destroy(clock);
}

static void arm_in_past(struct probe *probe, int64_t now)
{
	if (probe->n_fired < 3) {
		timer_arm(&probe->timer, now - 5);
	}
}

static void disarm_other(struct probe *probe, int64_t now)
{
	timer_disarm(&probe->other->timer);
}

static void arm_every_ten(struct probe *probe, int64_t now)
{
	timer_arm(&probe->timer, now + 10);
}

static void handlers_may_arm_and_disarm_timers(void **state)
{
	struct clock *clock = clock_create_test(0);
	struct probe a, b, c;
	char log[64] = "";

	init_probe(&a, clock, 'a', log);
	init_probe(&b, clock, 'b', log);
	init_probe(&c, clock, 'c', log);
	a.then = arm_in_past;
	timer_arm(&a.timer, 10);
	timer_arm(&b.timer, 10);
	clock_advance(clock, 10);
	/* A timer armed for the past fires after the timers that were already due. */
	assert_string_equal(log, "abaa");

	log[0] = '\0';
	b.then = disarm_other;
	b.other = &c;
	timer_arm(&b.timer, 20);
	timer_arm(&c.timer, 20);
	clock_advance(clock, 50);
	assert_string_equal(log, "b");

	c.then = arm_every_ten;
	timer_arm(&c.timer, 100);
	clock_advance(clock, 85); /* 60 + 85: fires at 100, 110, 120, 130, 140 */
	assert_int_equal(c.n_fired, 5);
	timer_finish(&c.timer);
	clock_destroy(clock);
}

static int find_timerfd(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	int found = -1;

	assert_non_null(dir);
	while ((entry = readdir(dir)) != NULL) {
		char target[PATH_MAX] = "";

		if (readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1) > 0 &&
			strcmp(target, "anon_inode:[timerfd]") == 0) {
			found = atoi(entry->d_name);
		}
	}
	closedir(dir);
	return found;
}

static bool is_armed(int timerfd)
{
	struct itimerspec spec;

	assert_int_equal(timerfd_gettime(timerfd, &spec), 0);
	return spec.it_value.tv_sec != 0 || spec.it_value.tv_nsec != 0;
}

static void real_clock_arms_one_timerfd(void **state)
{
	struct wl_event_loop *loop = wl_event_loop_create();
	struct clock *clock = clock_create(loop);
	struct probe a, b;
	char log[64] = "";
	int64_t start;
	int timerfd = find_timerfd();

	assert_non_null(clock);
	assert_true(timerfd >= 0);
	init_probe(&a, clock, 'a', log);
	init_probe(&b, clock, 'b', log);
	assert_false(is_armed(timerfd));

	start = clock_now(clock);
	timer_arm(&b.timer, start + 3600000 * MS);
	assert_true(is_armed(timerfd));
	timer_arm(&b.timer, start + 4 * MS);
	timer_arm(&a.timer, start + 2 * MS);
	while (b.n_fired == 0) {
		assert_int_equal(wl_event_loop_dispatch(loop, -1), 0);
	}
	assert_string_equal(log, "ab");
	assert_true(a.at >= start + 2 * MS);
	assert_true(b.at >= start + 4 * MS);
	assert_false(is_armed(timerfd));

	timer_arm(&a.timer, start); /* the past */
	assert_int_equal(wl_event_loop_dispatch(loop, -1), 0);
	assert_int_equal(a.n_fired, 2);
	timer_arm(&a.timer, 0);
	assert_int_equal(wl_event_loop_dispatch(loop, -1), 0);
	assert_int_equal(a.n_fired, 3);

	timer_arm(&a.timer, start + 3600000 * MS);
	assert_true(is_armed(timerfd));
	timer_finish(&a.timer);
	assert_false(is_armed(timerfd));
	clock_destroy(clock);
	wl_event_loop_destroy(loop);
}

static void arm_soon(struct probe *probe, int64_t now)
{
	if (probe->n_fired < 4) {
		timer_arm_soon(&probe->timer, now);
	}
}

/*
 * timer_arm_soon() fires at the end of the current turn without the timerfd, a bounded number of
 * times.
 */
static void timer_armed_soon_fires_at_the_end_of_the_turn(void **state)
{
	struct wl_event_loop *loop = wl_event_loop_create();
	struct clock *clock = clock_create(loop);
	struct probe a, b;
	char log[64] = "";
	int timerfd = find_timerfd();

	assert_non_null(clock);
	init_probe(&a, clock, 'a', log);
	init_probe(&b, clock, 'b', log);
	/* Before the first clock_end_turn(), the timerfd fires it. */
	timer_arm_soon(&a.timer, clock_now(clock));
	assert_int_equal(wl_event_loop_dispatch(loop, -1), 0);
	assert_int_equal(a.n_fired, 1);

	clock_end_turn(clock);
	int64_t turn = clock_turn(clock);
	while (clock_now(clock) == turn) {
	}
	assert_int_equal(clock_turn(clock), turn);
	assert_false(clock_is_pending(clock));
	timer_arm_soon(&b.timer, turn);
	timer_arm_soon(&a.timer, turn);
	assert_false(is_armed(timerfd));
	assert_true(clock_is_pending(clock));
	clock_end_turn(clock);
	assert_false(clock_is_pending(clock));
	assert_string_equal(log, "aba");
	assert_true(clock_turn(clock) > turn);

	/* A timer that rearms itself leaves the loop time for other sources. */
	a.then = arm_soon;
	timer_arm_soon(&a.timer, turn);
	clock_end_turn(clock);
	assert_int_equal(a.n_fired, 3);
	assert_true(a.timer.armed);
	assert_int_equal(wl_event_loop_dispatch(loop, -1), 0);
	assert_int_equal(a.n_fired, 4);
	assert_false(is_armed(timerfd));

	/* Disarming it, or arming it for later, cancels the request. */
	timer_arm_soon(&a.timer, turn);
	timer_disarm(&a.timer);
	timer_arm_soon(&b.timer, turn);
	timer_arm(&b.timer, clock_now(clock) + 3600000 * MS);
	clock_end_turn(clock);
	assert_int_equal(a.n_fired, 4);
	assert_int_equal(b.n_fired, 1);
	timer_arm_soon(&b.timer, turn);
	assert_false(is_armed(timerfd));
	timer_finish(&b.timer);
	clock_destroy(clock);
	wl_event_loop_destroy(loop);
}

static void test_clock_moves_only_by_advance(void **state)
{
	struct clock *clock = clock_create_test(1000);
	struct probe a;
	char log[64] = "";

	init_probe(&a, clock, 'a', log);
	assert_int_equal(clock_turn(clock), 1000);
	timer_arm_soon(&a.timer, 1000);
	assert_int_equal(a.n_fired, 0);
	clock_advance(clock, 0);
	assert_int_equal(a.n_fired, 1);
	clock_destroy(clock);
}

static void count_firing(struct timer *timer, int64_t now)
{
	(void)timer;
	(void)now;
}

/*
 * Arms n timers, as clients with idle notifications do, and rearms 16 of them n times, as frame
 * scheduling does.
 */
static int64_t measure_timers(void *data, int n)
{
	(void)data;
	struct clock *clock = clock_create_test(0);
	struct timer *timers = calloc((size_t)n, sizeof(*timers));
	int64_t begun = growth_clock();
	for (int i = 0; i < n; i++) {
		timer_init(&timers[i], clock, count_firing);
		timer_arm(&timers[i], i % 2 ? 1000000 + i : 1000000 - i);
	}
	for (int i = 0; i < n; i++) {
		timer_arm(&timers[i % 16], 500000 + i);
	}
	clock_advance(clock, 1000000);
	for (int i = 0; i < n; i++) {
		timer_finish(&timers[i]);
	}
	int64_t time = growth_clock() - begun;
	clock_destroy(clock);
	free(timers);
	return time;
}

static void arming_time_is_independent_of_other_timers(void **state)
{
	(void)state;
	assert_true(growth_is_linear(measure_timers, NULL, 5000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arming_time_is_independent_of_other_timers),
		cmocka_unit_test(timers_fire_in_order_of_deadline),
		cmocka_unit_test(handlers_may_arm_and_disarm_timers),
		cmocka_unit_test(real_clock_arms_one_timerfd),
		cmocka_unit_test(timer_armed_soon_fires_at_the_end_of_the_turn),
		cmocka_unit_test(test_clock_moves_only_by_advance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
