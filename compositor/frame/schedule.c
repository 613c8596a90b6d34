/* SPDX-License-Identifier: MIT */
/* Frame scheduler: pure functions that compute start times. */

#include "frame/schedule.h"

/* Estimate of the render stage before the first measurement. */
#define FIRST_RENDER INT64_C(2000000)
/* Period (ns) of most outputs, if unknown. */
#define USUAL_REFRESH INT64_C(16666667)
/*
 * Display and CPU clocks differ by about 100 ppm: without a frame for 10 s, predicted vblanks may
 * be off by a millisecond, and are ignored.
 */
#define GRID_TRUSTED INT64_C(10000000000)
#define DRIFT 10000
/* A miss adds SLACK_STEP to the margin; each frame in time removes 1/SLACK_DECAY of it. */
#define SLACK_STEP INT64_C(500000)
#define SLACK_DECAY 64
/* ns; clients compute targets from measured vblanks and rounded periods. */
#define TARGET_TOLERANCE INT64_C(10000)
/* Longer intervals between content are not a cadence. */
#define CADENCE_MAX INT64_C(100000000)
/* Maximum interval of frames for the cursor alone; the display's longest interval counts, too. */
#define CURSOR_INTERVAL INT64_C(33333333)
/* Number of frames until content counts as steady: half a second at 60 Hz. */
#define STEADY 32
/* An estimate decays by 1/ESTIMATE_DECAY of the difference per frame. */
#define ESTIMATE_DECAY 16
/* Shorter predictions (ns) of copies say little about the accuracy of longer ones. */
#define PREDICTION_LEAST INT64_C(500000)

const char *frame_stage_name(enum frame_stage stage)
{
	static const char *const names[] = {
		[STAGE_COPY] = "copy",
		[STAGE_UPLOAD] = "upload",
		[STAGE_RENDER] = "render",
		[STAGE_QUEUE] = "queue",
		[STAGE_GPU] = "gpu",
		[STAGE_SUBMIT] = "submit",
		[STAGE_FLIP] = "flip",
		[STAGE_PRESENTED] = "presented",
		[STAGE_SURFACE_COMMIT] = "commit",
		[STAGE_SURFACE_WAIT] = "wait",
	};
	return names[stage];
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t period(const struct schedule *schedule)
{
	return schedule->refresh > 0 ? schedule->refresh : USUAL_REFRESH;
}

void schedule_init(struct schedule *schedule, const struct schedule_settings *settings)
{
	*schedule = (struct schedule){.settings = *settings, .copy_share = SCHEDULE_WHOLE};
	schedule->stages[STAGE_RENDER].estimate = schedule->estimate = FIRST_RENDER;
}

void schedule_add(struct schedule *schedule, enum frame_stage stage, int64_t duration)
{
	struct schedule_work *work = &schedule->stages[stage];
	bool first = work->recent.n_samples == 0;
	duration_histogram_add(&work->recent, duration);
	work->last = duration;
	if (duration == 0 && work->estimate == 0) {
		return; /* skipped by most frames */
	}
	schedule->estimate -= work->estimate;
	/* Durations above a period count as one period. */
	int64_t bounded = smaller(duration, period(schedule));
	if (first || bounded >= work->estimate) {
		work->estimate = bounded;
	} else {
		int64_t high = smaller(duration_histogram_high(&work->recent), period(schedule));
		int64_t gap = larger(work->estimate - larger(high, bounded), 0);
		work->estimate -= (gap + ESTIMATE_DECAY - 1) / ESTIMATE_DECAY;
	}
	schedule->estimate += work->estimate;
}

void schedule_add_copies(struct schedule *schedule, int64_t duration)
{
	int64_t predicted = smaller(schedule->copies, period(schedule));
	if (predicted >= PREDICTION_LEAST) {
		int share = (int)(smaller(duration, predicted) * SCHEDULE_WHOLE / predicted);
		int gap = schedule->copy_share - share;
		/* A late frame costs more than an early start: rise at once, fall slowly. */
		schedule->copy_share -= gap > 0 ? (gap + ESTIMATE_DECAY - 1) / ESTIMATE_DECAY : gap;
	}
	schedule_add(schedule, STAGE_COPY, duration);
}

void schedule_add_gpu(struct schedule *schedule, int64_t duration, int64_t own)
{
	if (own < 0) {
		/* GPU timers have become unavailable: the queue stage must not be added twice. */
		if (schedule->stages[STAGE_QUEUE].recent.n_samples > 0) {
			schedule_add(schedule, STAGE_QUEUE, 0);
		}
		schedule_add(schedule, STAGE_GPU, duration);
		return;
	}
	schedule_add(schedule, STAGE_QUEUE, larger(duration - own, 0));
	schedule_add(schedule, STAGE_GPU, own);
}

/* Estimated work of a frame, and the maximum allowed. */
static int64_t needed(const struct schedule *schedule)
{
	int64_t work = schedule->settings.margin + schedule->slack + schedule->estimate;
	if (schedule->copies == 0) {
		return work;
	}
	int64_t copies =
		smaller(schedule->copies, period(schedule)) * schedule->copy_share / SCHEDULE_WHOLE;
	return work + larger(copies - schedule->stages[STAGE_COPY].estimate, 0);
}

static int64_t most_lead(const struct schedule *schedule)
{
	int64_t cap = schedule->settings.max_render_time;
	return cap >= 0 ? smaller(period(schedule), cap) : period(schedule);
}

int64_t schedule_lead(const struct schedule *schedule)
{
	return smaller(needed(schedule), most_lead(schedule));
}

int64_t schedule_spare(const struct schedule *schedule)
{
	int64_t others = needed(schedule) - schedule->stages[STAGE_UPLOAD].estimate;
	return larger(most_lead(schedule) - others, 0);
}

/* Typical work of a frame, without margins. */
static int64_t usual_work(const struct schedule *schedule)
{
	int64_t sum = 0;
	for (int i = 0; i < STAGE_COUNT; i++) {
		sum += duration_histogram_median(&schedule->stages[i].recent);
	}
	return sum;
}

static bool has_grid(const struct schedule *schedule, int64_t now)
{
	return schedule->last_present != 0 && schedule->refresh > 0 &&
	       now - schedule->last_present < GRID_TRUSTED;
}

int64_t schedule_next_vblank(const struct schedule *schedule, int64_t now)
{
	if (schedule->last_present == 0 || schedule->refresh == 0) {
		return now + period(schedule);
	}
	int64_t since = now - schedule->last_present;
	if (since < 0) {
		return schedule->last_present;
	}
	return schedule->last_present + (since / schedule->refresh + 1) * schedule->refresh;
}

/*
 * Returns the earliest time of a frame after one at `last`. Tolerance: a limit of 60 Hz must not
 * halve the rate of a 59.95 Hz display.
 */
static int64_t end_interval(int64_t last, int64_t interval)
{
	return last + interval - interval / 64 - 1;
}

/* Returns the time of the last vblank that is taken: by a frame, or by updates without damage. */
static int64_t last_taken(const struct schedule *schedule)
{
	return larger(schedule->last_present, schedule->aimed);
}

/* Returns the first vblank that is not taken and respects the minimum interval. */
static int64_t first_vblank(const struct schedule *schedule, int64_t now)
{
	int64_t refresh = schedule->refresh;
	int64_t earliest = now;
	if (schedule->aimed != 0) {
		/* Half a period later, so that drift cannot count a vblank twice. */
		earliest = larger(earliest, schedule->aimed + refresh / 2);
	}
	if (schedule->settings.min_interval > refresh) {
		earliest = larger(earliest,
			end_interval(last_taken(schedule), schedule->settings.min_interval));
	}
	return schedule_next_vblank(schedule, earliest);
}

static struct schedule_decision decide_variable(
	const struct schedule *schedule, int64_t now, enum schedule_cause cause)
{
	int64_t lead = schedule_lead(schedule);
	int64_t interval = larger(schedule->refresh, schedule->settings.min_interval);
	if (cause == SCHEDULE_CURSOR) {
		/*
		 * Add half an interval, so that the next content frame usually includes the cursor.
		 */
		int64_t wait = schedule->cadence + schedule->cadence / 2;
		int64_t most = schedule->longest > 0 ? smaller(schedule->longest, CURSOR_INTERVAL)
						     : CURSOR_INTERVAL;
		interval = larger(interval, smaller(wait, most));
	}
	int64_t next = last_taken(schedule) + interval;
	int64_t vblank = larger(next, now + lead);
	int64_t start = cause == SCHEDULE_CURSOR || next > now ? larger(next - lead, now) : now;
	return (struct schedule_decision){.start = start, .vblank = vblank};
}

bool schedule_is_steady(const struct schedule *schedule)
{
	return schedule->steady >= STEADY && schedule->settings.max_render_time == SCHEDULE_AUTO &&
	       !schedule->variable && !schedule->host_paced;
}

void schedule_note_late_content(struct schedule *schedule)
{
	schedule->steady = -1; /* the current frame does not count */
}

struct schedule_decision schedule_decide(
	const struct schedule *schedule, int64_t now, enum schedule_cause cause)
{
	if (schedule->host_paced || cause == SCHEDULE_TEAR ||
		(!schedule->variable && !has_grid(schedule, now))) {
		int64_t start = now;
		if (cause != SCHEDULE_TEAR && schedule->settings.min_interval > 0 &&
			schedule->last_present != 0) {
			start = larger(now, schedule->last_present +
						    schedule->settings.min_interval -
						    period(schedule));
		}
		if (schedule->aimed > start && schedule->aimed - start <= period(schedule)) {
			/* No frame was presented then, but callbacks were sent for that time. */
			start = schedule->aimed;
		}
		return (struct schedule_decision){
			.start = start, .vblank = start + period(schedule)};
	}
	if (schedule->variable) {
		return decide_variable(schedule, now, cause);
	}
	int64_t vblank = first_vblank(schedule, now);
	if (schedule->settings.max_render_time == SCHEDULE_AT_ONCE) {
		int64_t start = larger(now, vblank - schedule->refresh);
		return (struct schedule_decision){.start = start, .vblank = vblank};
	}
	int64_t start = vblank - schedule_lead(schedule);
	if (schedule_is_steady(schedule)) {
		/*
		 * Do not start early enough to hit the previous vblank, which may be a little late.
		 */
		int64_t wander = TARGET_TOLERANCE + (vblank - schedule->last_present) / DRIFT;
		start = smaller(start, larger(now, vblank - schedule->refresh + wander));
	}
	if (start < now && vblank - now < usual_work(schedule)) {
		/* The frame would miss, and later content would then miss another vblank. */
		vblank += schedule->refresh;
		start += schedule->refresh;
	}
	/* Late by a cautious prediction: it may still make it. */
	return (struct schedule_decision){.start = larger(start, now), .vblank = vblank};
}

void schedule_started(struct schedule *schedule, int64_t vblank)
{
	schedule->aimed = vblank;
	schedule->steady += schedule->steady < STEADY;
	schedule->predicted = schedule_lead(schedule);
}

void schedule_presented(
	struct schedule *schedule, int64_t when, int64_t refresh, enum schedule_cause cause)
{
	int64_t before = schedule->last_present;
	if (refresh > 0) {
		schedule->refresh = refresh;
	}
	schedule->last_present = when;
	if (schedule->host_paced) {
		/* A host's presentation time is no measure of our work. */
		schedule->aimed = when;
		return;
	}
	if (schedule->variable) {
		int64_t interval = when - before;
		schedule->aimed = when;
		if (cause == SCHEDULE_CONTENT && before != 0 && interval < CADENCE_MAX) {
			schedule->cadence = schedule->cadence == 0
						    ? interval
						    : (schedule->cadence * 3 + interval) / 4;
		}
		return;
	}
	if (schedule->aimed != 0 && schedule->refresh > 0 &&
		when > schedule->aimed + schedule->refresh / 2) {
		schedule->misses++;
		schedule->slack = smaller(schedule->slack + SLACK_STEP, schedule->refresh / 4);
	} else {
		schedule->slack -= (schedule->slack + SLACK_DECAY - 1) / SLACK_DECAY;
	}
	/* The vblank of the actual presentation is taken, too. */
	schedule->aimed = when;
}

int64_t schedule_estimate(struct schedule *schedule, int64_t vblank)
{
	int64_t interval = larger(period(schedule), schedule->settings.min_interval);
	int64_t earliest =
		end_interval(larger(schedule->last_present, schedule->estimated), interval);
	if (vblank < earliest) {
		bool on_grid = !schedule->variable && !schedule->host_paced;
		vblank = on_grid ? schedule_next_vblank(schedule, earliest) : earliest;
	}
	schedule->estimated = vblank;
	return vblank;
}

int64_t schedule_callback_time(const struct schedule *schedule, int64_t vblank)
{
	if (schedule->variable || schedule->host_paced) {
		return vblank;
	}
	int64_t early = schedule_lead(schedule) - period(schedule) / 4;
	return early > 0 ? vblank - early : vblank;
}

int64_t schedule_apply_time(const struct schedule *schedule, int64_t target)
{
	if (schedule->variable || schedule->host_paced || !has_grid(schedule, target)) {
		return target - (schedule->variable ? schedule_lead(schedule) : 0);
	}
	/* Apply at the previous vblank, so that the frame for this one is the first to start. */
	int64_t vblank = schedule_next_vblank(schedule, target - TARGET_TOLERANCE);
	return vblank - schedule->refresh;
}

bool schedule_overlaps(const struct schedule *schedule)
{
	/* Estimates are at least the medians, which are rounded up to less than their double. */
	if (schedule->estimate * 2 <= period(schedule)) {
		return false;
	}
	return schedule->stages[STAGE_GPU].recent.n_samples >= DURATION_SAMPLES / 2 &&
	       usual_work(schedule) > period(schedule);
}
