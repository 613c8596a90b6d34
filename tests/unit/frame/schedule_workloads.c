/* SPDX-License-Identifier: MIT */
/* Frame scheduling of workloads, compared with an oracle that knows all durations. */

#include "frame/schedule.h"
#include "harness/unit.h"

#define MS INT64_C(1000000)
#define PERIOD INT64_C(16666667)
#define MARGIN SCHEDULE_DEFAULT_MARGIN
#define START (1000 * 1000 * MS)

static struct schedule make(int64_t refresh)
{
	static const struct schedule_settings settings = {
		.margin = MARGIN, .max_render_time = SCHEDULE_AUTO};
	struct schedule schedule;
	schedule_init(&schedule, &settings);
	schedule.refresh = refresh;
	return schedule;
}

/*
 * A workload: an output that presents frames finished by its vblank, and a client that commits on
 * frame callbacks or at an interval.
 */
struct workload {
	const char *what;
	int64_t refresh; /* the output's period, ns */
	int64_t interval; /* ns between commits; 0: on frame callbacks */
	bool random_phase;
	int64_t (*work)(int frame);
	int n_frames;
	int missed_max; /* vblanks missed per 1000 frames, after the first 100 frames */
};

static int64_t steady(int frame)
{
	return 3 * MS;
}

static int64_t noisy(int frame)
{
	return random_between(2000, 3500) * INT64_C(1000);
}

static int64_t bursty(int frame)
{
	return frame / 50 % 2 ? 8 * MS : 2 * MS;
}

static int64_t hiccups(int frame)
{
	return frame % 97 == 96 ? 25 * MS : 2 * MS;
}

static int64_t over_budget(int frame)
{
	return 20 * MS;
}

static int64_t short_work(int frame)
{
	return MS;
}

static void run(const struct workload *load)
{
	struct schedule schedule = make(load->refresh);
	int64_t committed = START, previous_vblank = 0, busy = START, shown = 0;
	int missed = 0;
	schedule_presented(&schedule, START, load->refresh, SCHEDULE_CONTENT);
	for (int i = 0; i < load->n_frames; i++) {
		int64_t asked = committed > shown ? committed : shown;
		struct schedule_decision decision =
			schedule_decide(&schedule, asked, SCHEDULE_CONTENT);
		assert_true(decision.start >= asked);
		assert_true(decision.vblank > asked);
		int64_t work = load->work(i);
		int64_t done = decision.start + work;
		int64_t vblank = schedule_next_vblank(&schedule, done - 1);
		schedule_started(&schedule, decision.vblank);
		schedule_add(&schedule, STAGE_RENDER, work);
		schedule_presented(&schedule, vblank, load->refresh, SCHEDULE_CONTENT);

		/* The oracle starts as late as possible for the first vblank that it can meet. */
		int64_t oracle = schedule_next_vblank(&schedule, asked + work + MARGIN);
		/*
		 * schedule_next_vblank() counts from the last present, which is later than `asked`.
		 */
		oracle -= (oracle - asked - work - MARGIN - 1) / load->refresh * load->refresh;
		if (i >= 100 && vblank > oracle) {
			missed++;
			/* A miss costs at most the work's duration and a period. */
			assert_true(vblank - oracle <= work + load->refresh);
		}
		assert_true(vblank > previous_vblank);
		/* Work of n periods is presented within n + 2 periods. */
		assert_true(vblank - asked <= work + 2 * load->refresh);
		previous_vblank = vblank;
		shown = vblank;
		busy = done;
		if (load->interval == 0) {
			committed = schedule_callback_time(&schedule, vblank);
			committed = committed > busy ? committed : busy;
		} else {
			while (committed <= asked) {
				committed += load->interval;
			}
			if (load->random_phase) {
				committed += random_between(0, (int)(load->interval / 2));
			}
		}
	}
	int64_t allowed = (int64_t)load->missed_max * load->n_frames / 1000;
	if (missed > allowed) {
		fail_msg("%s: %d of %d frames later than necessary", load->what, missed,
			load->n_frames);
	}
}

/*
 * An output of 48 to 144 Hz with adaptive sync, and a game with random frame times. The oracle
 * presents a frame when its work is done, or at the output's shortest interval.
 */
static void adaptive_sync_frames_are_rarely_late(void **state)
{
	const int64_t shortest = 6944444;
	struct schedule schedule = make(shortest);
	int64_t committed = START, shown = START;
	int late = 0;
	schedule.variable = true;
	schedule_presented(&schedule, START, shortest, SCHEDULE_CONTENT);
	for (int i = 0; i < 3000; i++) {
		committed += random_between(3000, i / 500 % 2 ? 9000 : 40000) * INT64_C(1000);
		int64_t asked = committed > shown ? committed : shown;
		int64_t work = noisy(i);
		struct schedule_decision decision =
			schedule_decide(&schedule, asked, SCHEDULE_CONTENT);
		assert_true(decision.start >= asked);
		assert_true(decision.start <= asked + shortest);
		int64_t done = decision.start + work, first = shown + shortest;
		int64_t oracle = asked + work > first ? asked + work : first;
		int64_t presented = done > first ? done : first;
		schedule_started(&schedule, decision.vblank);
		schedule_add(&schedule, STAGE_RENDER, work);
		schedule_presented(&schedule, presented, 0, SCHEDULE_CONTENT);
		assert_true(presented > shown);
		late += i >= 100 && presented > oracle;
		/* Frames are late by the margin at most. */
		assert_true(i < 100 || presented <= oracle + MARGIN);
		shown = presented;
	}
	assert_in_range(late, 0, 15);
}

static void workloads_rarely_miss_reachable_vblanks(void **state)
{
	static const struct workload loads[] = {
		{"steady", PERIOD, 0, false, steady, 3000, 0},
		{"noisy", PERIOD, 0, false, noisy, 3000, 5},
		{"noisy at 144 Hz", 6944444, 0, false, noisy, 3000, 5},
		{"bursty", PERIOD, 0, false, bursty, 3000, 11},
		{"hiccups", PERIOD, 0, false, hiccups, 3000, 11},
		{"over budget", PERIOD, 0, false, over_budget, 3000, 0},
		{"23.976 on 60", PERIOD, INT64_C(41708375), false, steady, 3000, 0},
		{"23.976 on 144", 6944444, INT64_C(41708375), false, short_work, 3000, 0},
		{"now and then", PERIOD, 100 * MS, true, noisy, 3000, 5},
		{"commits faster than the output", 6944444, 1000000, true, short_work, 3000, 0},
	};
	for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
		run(&loads[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(workloads_rarely_miss_reachable_vblanks),
		cmocka_unit_test(adaptive_sync_frames_are_rarely_late),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
