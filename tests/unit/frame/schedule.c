/* SPDX-License-Identifier: MIT */
/* Frame scheduling: start times, by measured durations of the stages and the kind of pacing. */

#include "frame/schedule.h"
#include "harness/unit.h"
#include <string.h>

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

/* Returns a schedule that has measured work of this length for many frames. */
static struct schedule make_steady(int64_t refresh, int64_t work)
{
	struct schedule schedule = make(refresh);
	for (int i = 0; i < 20 * DURATION_SAMPLES; i++) {
		schedule_add(&schedule, STAGE_RENDER, work);
	}
	schedule.last_present = START;
	return schedule;
}

static void frames_start_at_the_times_of_the_table(void **state)
{
	static const struct {
		const char *what;
		int64_t refresh, work, now, aimed, start, vblank; /* after START */
		int64_t max_render_time, min_interval;
	} table[] = {
		{"just after a vblank: aims at the next one", PERIOD, 4 * MS, MS, 0,
			PERIOD - 4 * MS - MARGIN, PERIOD, SCHEDULE_AUTO, 0},
		{"long after: keeps the phase of the vblanks", PERIOD, 4 * MS, 60 * PERIOD + MS, 0,
			61 * PERIOD - 4 * MS - MARGIN, 61 * PERIOD, SCHEDULE_AUTO, 0},
		{"within the margin: may still meet the vblank", PERIOD, 4 * MS, PERIOD - 5 * MS, 0,
			PERIOD - 5 * MS, PERIOD, SCHEDULE_AUTO, 0},
		{"too late: aims at the vblank after", PERIOD, 4 * MS, PERIOD - 3 * MS, 0,
			2 * PERIOD - 4 * MS - MARGIN, 2 * PERIOD, SCHEDULE_AUTO, 0},
		{"a frame already aims at that vblank", PERIOD, 4 * MS, PERIOD - 5 * MS, PERIOD,
			2 * PERIOD - 4 * MS - MARGIN, 2 * PERIOD, SCHEDULE_AUTO, 0},
		{"work of a period and more starts at once", PERIOD, 30 * MS, 0, 0, 0, PERIOD,
			SCHEDULE_AUTO, 0},
		{"a maximum render time", PERIOD, 8 * MS, MS, 0, PERIOD - 3 * MS, PERIOD, 3 * MS,
			0},
		{"without prediction", PERIOD, 4 * MS, MS, 0, MS, PERIOD, SCHEDULE_AT_ONCE, 0},
		{"without prediction, once a period", PERIOD, 4 * MS, MS, PERIOD, PERIOD,
			2 * PERIOD, SCHEDULE_AT_ONCE, 0},
		{"a limited frame rate", PERIOD, MS, MS, 0, 2 * PERIOD - MS - MARGIN, 2 * PERIOD,
			SCHEDULE_AUTO, 33 * MS},
		{"60 Hz on a 144 Hz output", 6944444, MS, MS, 0, 3 * INT64_C(6944444) - MS - MARGIN,
			3 * INT64_C(6944444), SCHEDULE_AUTO, 16666667},
		{"60 Hz on a 59.95 Hz output", 16680567, MS, MS, 0, 16680567 - MS - MARGIN,
			16680567, SCHEDULE_AUTO, 16666667},
		{"60 Hz on a 60.02 Hz output", 16661112, MS, MS, 0, 16661112 - MS - MARGIN,
			16661112, SCHEDULE_AUTO, 16666667},
		{"the last vblank is too old to extrapolate", PERIOD, 4 * MS, 11000 * MS, 0,
			11000 * MS, 11000 * MS + PERIOD, SCHEDULE_AUTO, 0},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct schedule schedule = make_steady(table[i].refresh, table[i].work);
		schedule.settings.max_render_time = table[i].max_render_time;
		schedule.settings.min_interval = table[i].min_interval;
		schedule.aimed = table[i].aimed ? START + table[i].aimed : 0;
		struct schedule_decision decision =
			schedule_decide(&schedule, START + table[i].now, SCHEDULE_CONTENT);
		if (decision.start != START + table[i].start ||
			(table[i].vblank && decision.vblank != START + table[i].vblank)) {
			fail_msg("%s: starts at %lld for %lld", table[i].what,
				(long long)(decision.start - START),
				(long long)(decision.vblank - START));
		}
	}
}

/* Before the first present the phase of vblanks is unknown: frames start at once. */
static void first_frame_starts_at_once(void **state)
{
	struct schedule schedule = make(PERIOD);
	assert_int_equal(schedule_decide(&schedule, START, SCHEDULE_CONTENT).start, START);
	schedule = make(0);
	assert_int_equal(schedule_decide(&schedule, START, SCHEDULE_CONTENT).start, START);
	schedule.host_paced = true;
	schedule_presented(&schedule, START, PERIOD, SCHEDULE_CONTENT);
	assert_int_equal(
		schedule_decide(&schedule, START + MS, SCHEDULE_CONTENT).start, START + MS);
}

/* The estimate rises at once and falls slowly, to a high quantile of recent durations. */
static void estimate_rises_at_once_and_falls_slowly(void **state)
{
	struct schedule schedule = make_steady(PERIOD, 2 * MS);
	assert_int_equal(schedule_lead(&schedule), 2 * MS + MARGIN);
	schedule_add(&schedule, STAGE_RENDER, 9 * MS);
	assert_int_equal(schedule_lead(&schedule), 9 * MS + MARGIN);
	schedule_add(&schedule, STAGE_RENDER, 2 * MS);
	assert_in_range(schedule_lead(&schedule), 8 * MS + MARGIN, 9 * MS + MARGIN - 1);
	int frames = 0;
	for (; schedule_lead(&schedule) > 3 * MS + MARGIN; frames++) {
		schedule_add(&schedule, STAGE_RENDER, 2 * MS);
	}
	assert_in_range(frames, 10, 2 * DURATION_SAMPLES);
	/* If every fourth frame takes longer, its duration is not forgotten. */
	for (int i = 0; i < 10 * DURATION_SAMPLES; i++) {
		schedule_add(&schedule, STAGE_RENDER, i % 4 == 0 ? 6 * MS : 2 * MS);
	}
	for (int i = 0; i < 4; i++) {
		assert_in_range(schedule_lead(&schedule), 6 * MS + MARGIN, 6 * MS + MARGIN + 1);
		schedule_add(&schedule, STAGE_RENDER, i % 4 == 0 ? 6 * MS : 2 * MS);
	}
	/* The sum of the stages is at most a period. */
	schedule_add(&schedule, STAGE_GPU, 3 * MS);
	assert_in_range(schedule_lead(&schedule), 9 * MS + MARGIN, 9 * MS + MARGIN + 1);
	schedule_add(&schedule, STAGE_COPY, 1000 * MS);
	assert_int_equal(schedule_lead(&schedule), PERIOD);
}

/* Frames start early for a while only, however long the hang was. */
static void hang_is_forgotten_like_a_late_frame(void **state)
{
	for (int64_t hang = 20 * MS; hang < 100000 * MS; hang *= 10) {
		struct schedule schedule = make_steady(PERIOD, 2 * MS);
		schedule_add(&schedule, STAGE_RENDER, hang);
		assert_int_equal(schedule_lead(&schedule), PERIOD);
		for (int i = 0; i < 100; i++) {
			schedule_add(&schedule, STAGE_RENDER, 2 * MS);
		}
		assert_in_range(schedule_lead(&schedule), 2 * MS + MARGIN, 3 * MS + MARGIN);
	}
}

/*
 * Pending copies count with their estimate before the first measurement; later the larger of both
 * counts.
 */
static void pending_copies_extend_the_lead(void **state)
{
	struct schedule schedule = make_steady(PERIOD, 4 * MS);
	schedule.copies = 3 * MS;
	assert_int_equal(schedule_lead(&schedule), 7 * MS + MARGIN);
	schedule_add(&schedule, STAGE_COPY, 5 * MS);
	assert_int_equal(schedule_lead(&schedule), 9 * MS + MARGIN);
	schedule.copies = 40 * MS;
	assert_int_equal(schedule_lead(&schedule), PERIOD);
}

/* A cost model that a few late copies have spoilt must not delay every frame by a period. */
static void wrong_predictions_of_copies_lose_weight(void **state)
{
	struct schedule schedule = make_steady(PERIOD, 2 * MS);
	for (int i = 0; i < 100; i++) {
		schedule.copies = 52 * MS;
		schedule_add_copies(&schedule, MS);
	}
	assert_in_range(schedule_lead(&schedule), 3 * MS + MARGIN, 4 * MS + MARGIN);
	/* One that was too short counts at once, and one that was too long by and by. */
	schedule.copies = 6 * MS;
	schedule_add_copies(&schedule, 8 * MS);
	schedule.copies = 10 * MS;
	assert_int_equal(schedule_lead(&schedule), 12 * MS + MARGIN);
	schedule_add_copies(&schedule, MS);
	assert_in_range(schedule_lead(&schedule), 11 * MS + MARGIN, 12 * MS + MARGIN);
	schedule_add_copies(&schedule, 10 * MS);
	/* Right ones keep their weight, whatever small ones do. */
	for (int i = 0; i < 1000; i++) {
		schedule.copies = i % 50 == 0 ? 6 * MS : MS / 10;
		schedule_add_copies(&schedule, i % 50 == 0 ? 6 * MS : 0);
	}
	schedule.copies = 10 * MS;
	assert_int_equal(schedule_lead(&schedule), 12 * MS + MARGIN);
}

/* A missed vblank adds slack for a while and delays only its own frame. */
static void missed_vblank_adds_slack_for_a_while(void **state)
{
	struct schedule schedule = make_steady(PERIOD, 2 * MS);
	int64_t lead = schedule_lead(&schedule);
	schedule_started(&schedule, START + PERIOD);
	schedule_presented(&schedule, START + 2 * PERIOD, PERIOD, SCHEDULE_CONTENT);
	assert_int_equal(schedule.misses, 1);
	assert_true(schedule_lead(&schedule) > lead && schedule_lead(&schedule) < lead + MS);
	struct schedule_decision decision =
		schedule_decide(&schedule, START + 2 * PERIOD, SCHEDULE_CONTENT);
	assert_int_equal(decision.vblank, START + 3 * PERIOD);
	for (int i = 3; i < 1000; i++) {
		schedule_started(&schedule, START + i * PERIOD);
		schedule_presented(&schedule, START + i * PERIOD, PERIOD, SCHEDULE_CONTENT);
	}
	assert_int_equal(schedule.misses, 1);
	assert_int_equal(schedule_lead(&schedule), lead);
	/* Repeated misses keep the slack bounded. */
	for (int i = 0; i < 100; i++) {
		schedule_started(&schedule, START + (1000 + 2 * i) * PERIOD);
		schedule_presented(
			&schedule, START + (1001 + 2 * i) * PERIOD, PERIOD, SCHEDULE_CONTENT);
	}
	assert_in_range(schedule.slack, MS, PERIOD / 4);
}

/*
 * Late presents count as misses only if the vblank was predictable: neither long after the last one
 * nor on a host.
 */
static void unpredictable_vblanks_count_no_misses(void **state)
{
	struct schedule schedule = make_steady(PERIOD, 2 * MS);
	for (int i = 1; i < 50; i++) {
		/* Long after the last present, at a random phase. */
		int64_t now = schedule.last_present + 20000 * MS;
		struct schedule_decision decision =
			schedule_decide(&schedule, now, SCHEDULE_CONTENT);
		assert_int_equal(decision.start, now);
		schedule_started(&schedule, decision.vblank);
		schedule_presented(&schedule, now + 2 * MS + random_between(0, (int)PERIOD), PERIOD,
			SCHEDULE_CONTENT);
	}
	assert_int_equal(schedule.misses, 0);
	schedule.host_paced = true;
	for (int i = 1; i < 50; i++) {
		int64_t now = schedule.last_present + 3 * MS;
		struct schedule_decision decision =
			schedule_decide(&schedule, now, SCHEDULE_CONTENT);
		assert_int_equal(decision.start, now);
		schedule_started(&schedule, decision.vblank);
		schedule_presented(
			&schedule, now + random_between(1, 3) * PERIOD, PERIOD, SCHEDULE_CONTENT);
	}
	assert_int_equal(schedule.misses, 0);
}

/* If no newer content has joined a waiting frame for long, frames start at once. */
static void frames_start_at_once_if_waiting_gains_nothing(void **state)
{
	struct schedule schedule = make_steady(PERIOD, 2 * MS);
	int64_t lead = schedule_lead(&schedule), vblank = START;
	int n = 0;
	for (; !schedule_is_steady(&schedule); n++, vblank += PERIOD) {
		struct schedule_decision decision =
			schedule_decide(&schedule, vblank + MS, SCHEDULE_CONTENT);
		assert_int_equal(decision.start, vblank + PERIOD - lead);
		schedule_started(&schedule, decision.vblank);
		schedule_presented(&schedule, decision.vblank, PERIOD, SCHEDULE_CONTENT);
	}
	assert_in_range(n, 20, 60);
	struct schedule_decision decision =
		schedule_decide(&schedule, vblank + MS, SCHEDULE_CONTENT);
	assert_int_equal(decision.start, vblank + MS);
	assert_int_equal(decision.vblank, vblank + PERIOD);
	/*
	 * A start is kept at a distance from the previous vblank, to be presented at the next one.
	 */
	decision = schedule_decide(&schedule, vblank + 5 * PERIOD, SCHEDULE_CONTENT);
	assert_int_equal(decision.vblank, vblank + 6 * PERIOD);
	assert_in_range(decision.start - vblank - 5 * PERIOD, 1000, 100000);
	/* A maximum render time or a variable rate disables it. */
	struct schedule other = schedule;
	other.settings.max_render_time = 10 * MS;
	assert_false(schedule_is_steady(&other));
	other = schedule;
	other.variable = true;
	assert_false(schedule_is_steady(&other));
	/* If the work would miss this vblank, the frame waits for the next one as usual. */
	decision = schedule_decide(&schedule, vblank + PERIOD - MS, SCHEDULE_CONTENT);
	assert_int_equal(decision.vblank, vblank + 2 * PERIOD);
	assert_int_equal(decision.start, vblank + 2 * PERIOD - lead);
	/* New content during a wait resets the state, which takes as long to return. */
	schedule_note_late_content(&schedule);
	for (int i = 0; i <= n; i++, vblank += PERIOD) {
		assert_false(schedule_is_steady(&schedule));
		schedule_started(&schedule, vblank + PERIOD);
		schedule_presented(&schedule, vblank + PERIOD, PERIOD, SCHEDULE_CONTENT);
	}
	assert_true(schedule_is_steady(&schedule));
}

static void callbacks_leave_clients_most_of_a_period(void **state)
{
	struct schedule schedule = make_steady(PERIOD, MS);
	int64_t vblank = START + PERIOD;
	assert_int_equal(schedule_callback_time(&schedule, vblank), vblank);
	/* Work of most of a period still leaves clients three quarters of a period. */
	schedule = make_steady(PERIOD, 10 * MS);
	int64_t when = schedule_callback_time(&schedule, vblank);
	int64_t next_start = vblank + PERIOD - schedule_lead(&schedule);
	assert_in_range(next_start - when, PERIOD * 3 / 4, PERIOD * 3 / 4 + 1);
	assert_true(when >= vblank - schedule_lead(&schedule));
	schedule.host_paced = true;
	assert_int_equal(schedule_callback_time(&schedule, vblank), vblank);
}

static void adaptive_sync_presents_content_at_once(void **state)
{
	int64_t shortest = 6944444;
	struct schedule schedule = make_steady(shortest, MS);
	schedule.variable = true;
	/* At the shortest interval of the output, or at once after that. */
	struct schedule_decision decision =
		schedule_decide(&schedule, START + MS, SCHEDULE_CONTENT);
	assert_int_equal(decision.vblank, START + shortest);
	assert_int_equal(decision.start, START + shortest - MS - MARGIN);
	decision = schedule_decide(&schedule, START + 9 * MS, SCHEDULE_CONTENT);
	assert_int_equal(decision.start, START + 9 * MS);
	/* A game at 60 Hz: cursor motion joins its frames instead of starting others. */
	for (int i = 1; i <= 30; i++) {
		schedule_started(&schedule, START + i * PERIOD);
		schedule_presented(&schedule, START + i * PERIOD, 0, SCHEDULE_CONTENT);
	}
	int64_t last = START + 30 * PERIOD;
	decision = schedule_decide(&schedule, last + MS, SCHEDULE_CURSOR);
	assert_true(decision.start > last + PERIOD);
	assert_true(decision.vblank <= last + 2 * PERIOD);
	/*
	 * If the output must refresh before the next frame, the cursor is presented with that
	 * refresh.
	 */
	int64_t longest = INT64_C(1000000000) / 48;
	schedule.longest = longest;
	decision = schedule_decide(&schedule, last + MS, SCHEDULE_CURSOR);
	assert_int_equal(decision.vblank, last + longest);
	schedule.longest = 1000 * MS;
	struct schedule_decision usual = schedule_decide(&schedule, last + MS, SCHEDULE_CURSOR);
	schedule.longest = 0;
	decision = schedule_decide(&schedule, last + MS, SCHEDULE_CURSOR);
	assert_int_equal(decision.start, usual.start);
	/* The game stopped: cursor motion starts frames. */
	decision = schedule_decide(&schedule, last + 500 * MS, SCHEDULE_CURSOR);
	assert_int_equal(decision.start, last + 500 * MS);
	/* After such a pause, the cursor waits as long as before. */
	const int64_t waits = usual.vblank - last;
	schedule_started(&schedule, last + 500 * MS);
	schedule_presented(&schedule, last + 500 * MS, 0, SCHEDULE_CONTENT);
	decision = schedule_decide(&schedule, last + 501 * MS, SCHEDULE_CURSOR);
	assert_int_equal(decision.vblank, last + 500 * MS + waits);
	last += 500 * MS;
	/* Tearing frames start at once, without regard to the interval. */
	decision = schedule_decide(&schedule, last + 1, SCHEDULE_TEAR);
	assert_int_equal(decision.start, last + 1);
}

static void timed_updates_meet_their_target(void **state)
{
	struct schedule schedule = make_steady(PERIOD, 2 * MS);
	for (int i = 0; i < 1000; i++) {
		int64_t target = START + random_between(0, 100 * 1000) * INT64_C(10000);
		int64_t apply = schedule_apply_time(&schedule, target);
		/*
		 * An update that applies then is presented at the first vblank from the target on.
		 */
		struct schedule_decision decision =
			schedule_decide(&schedule, apply, SCHEDULE_CONTENT);
		/* 10 us are tolerated, since clients calculate with rounded periods. */
		assert_true(decision.vblank >= target - 10000);
		assert_true(decision.vblank < target + PERIOD);
	}
}

/* Players name the times of vblanks, rounded in one way or the other. */
static void targets_at_a_vblank_get_that_vblank(void **state)
{
	static const int64_t offsets[] = {-PERIOD / 2, -10001, -1, 0, 1, 5000, 9999};
	struct schedule schedule = make_steady(PERIOD, 2 * MS);
	for (int i = 1; i < 100; i++) {
		int64_t vblank = START + i * PERIOD;
		for (size_t j = 0; j < sizeof(offsets) / sizeof(offsets[0]); j++) {
			int64_t apply = schedule_apply_time(&schedule, vblank + offsets[j]);
			struct schedule_decision decision =
				schedule_decide(&schedule, apply, SCHEDULE_CONTENT);
			assert_int_equal(decision.vblank, vblank);
		}
		int64_t apply = schedule_apply_time(&schedule, vblank + 20000);
		assert_int_equal(schedule_decide(&schedule, apply, SCHEDULE_CONTENT).vblank,
			vblank + PERIOD);
	}
}

/* With GPU timestamps, time in the GPU's queue is separated from the frame's own passes. */
static void gpu_time_is_separated_from_queueing(void **state)
{
	struct schedule schedule = make(PERIOD);
	const struct schedule_work *queue = &schedule.stages[STAGE_QUEUE];
	const struct schedule_work *gpu = &schedule.stages[STAGE_GPU];
	schedule_add_gpu(&schedule, 5 * MS, -1);
	assert_int_equal(gpu->last, 5 * MS);
	assert_int_equal(queue->recent.n_samples, 0);
	for (int i = 0; i < 20 * DURATION_SAMPLES; i++) {
		schedule_add_gpu(&schedule, 5 * MS, 2 * MS);
	}
	assert_int_equal(gpu->last, 2 * MS);
	assert_int_equal(queue->last, 3 * MS);
	/* The lead allows for their sum. */
	int64_t sum = gpu->estimate + queue->estimate;
	assert_in_range(sum, 5 * MS, 5 * MS * 9 / 8); /* the histogram's resolution */
	/* The GPU's own time can exceed the time since submission: it starts before that. */
	schedule_add_gpu(&schedule, MS, 2 * MS);
	assert_int_equal(queue->last, 0);
	assert_int_equal(gpu->last, 2 * MS);
	/* Once timestamps are unavailable, the old queue time decays. */
	for (int i = 0; i < 20 * DURATION_SAMPLES; i++) {
		schedule_add_gpu(&schedule, 5 * MS, -1);
	}
	assert_in_range(gpu->estimate + queue->estimate, 5 * MS, 5 * MS * 9 / 8);
}

static void frames_overlap_if_the_gpu_needs_a_period(void **state)
{
	struct schedule schedule = make(PERIOD);
	for (int i = 0; i < DURATION_SAMPLES; i++) {
		schedule_add(&schedule, STAGE_RENDER, MS);
		schedule_add(&schedule, STAGE_GPU, 10 * MS);
	}
	assert_false(schedule_overlaps(&schedule));
	/* A few slow frames do not enable it. */
	for (int i = 0; i < DURATION_SAMPLES / 3; i++) {
		schedule_add(&schedule, STAGE_GPU, 40 * MS);
	}
	assert_false(schedule_overlaps(&schedule));
	for (int i = 0; i < DURATION_SAMPLES; i++) {
		schedule_add(&schedule, STAGE_GPU, 18 * MS);
	}
	assert_true(schedule_overlaps(&schedule));
	for (int i = 0; i < DURATION_SAMPLES; i++) {
		schedule_add(&schedule, STAGE_GPU, 5 * MS);
	}
	assert_false(schedule_overlaps(&schedule));
}

/* As on battery: however frames are paced, and for whatever they are started. */
static void limited_rate_holds_for_every_kind_of_pacing(void **state)
{
	static const struct {
		const char *what;
		bool variable, host_paced;
		int64_t max_render_time;
	} kinds[] = {
		{"vblanks", false, false, SCHEDULE_AUTO},
		{"vblanks, without prediction", false, false, SCHEDULE_AT_ONCE},
		{"adaptive sync", true, false, SCHEDULE_AUTO},
		{"adaptive sync, without prediction", true, false, SCHEDULE_AT_ONCE},
		{"paced by the host", false, true, SCHEDULE_AUTO},
	};
	static const enum schedule_cause causes[] = {SCHEDULE_CONTENT, SCHEDULE_CURSOR};
	const int64_t refresh = 6944444, limits[] = {0, PERIOD, 2 * PERIOD, 100 * MS};
	for (int i = 0; i < 5 * 2 * 4; i++) {
		int kind = i % 5;
		enum schedule_cause cause = causes[i / 5 % 2];
		int64_t limit = limits[i / 10], last = START;
		struct schedule schedule = make_steady(refresh, MS);
		schedule.settings.max_render_time = kinds[kind].max_render_time;
		schedule.settings.min_interval = limit;
		schedule.variable = kinds[kind].variable;
		schedule.host_paced = kinds[kind].host_paced;
		for (int frame = 0; frame < 20; frame++) {
			int64_t now = last + random_between(0, 5) * MS;
			struct schedule_decision decision = schedule_decide(&schedule, now, cause);
			int64_t since = decision.vblank - last;
			if (since < limit || since < refresh || decision.start < now) {
				fail_msg("%s, cause %d, limit %lld us: %lld us after a frame",
					kinds[kind].what, cause, (long long)limit / 1000,
					(long long)since / 1000);
			}
			last = decision.vblank;
			schedule_started(&schedule, last);
			schedule_presented(
				&schedule, last, kinds[kind].variable ? 0 : refresh, cause);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_start_at_the_times_of_the_table),
		cmocka_unit_test(limited_rate_holds_for_every_kind_of_pacing),
		cmocka_unit_test(first_frame_starts_at_once),
		cmocka_unit_test(estimate_rises_at_once_and_falls_slowly),
		cmocka_unit_test(hang_is_forgotten_like_a_late_frame),
		cmocka_unit_test(pending_copies_extend_the_lead),
		cmocka_unit_test(wrong_predictions_of_copies_lose_weight),
		cmocka_unit_test(missed_vblank_adds_slack_for_a_while),
		cmocka_unit_test(unpredictable_vblanks_count_no_misses),
		cmocka_unit_test(frames_start_at_once_if_waiting_gains_nothing),
		cmocka_unit_test(callbacks_leave_clients_most_of_a_period),
		cmocka_unit_test(adaptive_sync_presents_content_at_once),
		cmocka_unit_test(timed_updates_meet_their_target),
		cmocka_unit_test(targets_at_a_vblank_get_that_vblank),
		cmocka_unit_test(gpu_time_is_separated_from_queueing),
		cmocka_unit_test(frames_overlap_if_the_gpu_needs_a_period),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
