/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Frame scheduler: decides when the work of an output's next frame starts, and when clients get
 * callbacks for the one after. One per output. It computes times from measurements (presentation
 * times, durations of stages) and owns neither timer nor clock. All times are ns of one clock.
 *
 * A frame is aimed at a vblank. Its work starts as late as possible, to include the newest content:
 * at the vblank minus the estimates of all stages, minus a margin. But if no newer content arrived
 * in that interval for many frames in a row (a film, a game, a single animation), waiting gains
 * nothing: the work then starts as soon as a frame is requested, which saves a wake-up per frame
 * and leaves the GPU more time. This ends when content does arrive after the request and before the
 * latest start. The estimate of a stage follows a longer sample at once, and decays slowly to a
 * high quantile of the recent ones.
 *
 * With a variable refresh rate there are no fixed vblanks: the next frame can be presented
 * `refresh` after the last one at the earliest, and starts as soon as it is requested.
 */

#include "frame/duration_histogram.h"
#include "frame/stage.h"
#include <stdbool.h>
#include <stdint.h>

/** Recent durations of a stage. */
struct schedule_work {
	struct duration_histogram recent;
	int64_t last;
	int64_t estimate; /* allowance for the next frame */
};

/** User settings. */
struct schedule_settings {
	/** Time kept free between the predicted end of the work and the vblank. */
	int64_t margin;
	/**
	 * Maximum time from the start of the work to the vblank, regardless of the prediction.
	 * SCHEDULE_AUTO: as predicted. SCHEDULE_AT_ONCE: start as soon as a frame is requested.
	 */
	int64_t max_render_time;
	/** Minimum interval between frames; 0: unlimited. */
	int64_t min_interval;
};

#define SCHEDULE_AUTO (-1)
#define SCHEDULE_AT_ONCE (-2)
#define SCHEDULE_DEFAULT_MARGIN 1500000

struct schedule {
	struct schedule_settings settings;
	int64_t refresh; /* period of the vblanks, or the shortest one if variable; 0: unknown */
	bool variable;
	/**
	 * If variable, the time after which the display repeats the last frame, by its EDID. 0
	 * means unknown and is taken for 1/30 s, which is also the maximum used.
	 */
	int64_t longest;
	/** A host compositor decides when frames are taken: start at once. */
	bool host_paced;

	struct schedule_work stages[STAGE_COUNT];
	int64_t estimate; /* sum of the stages' estimates */
	/** Predicted duration of the copies between GPUs that are due, if more than estimated. */
	int64_t copies;
	/** Part of such predictions that copies took, in 1/SCHEDULE_WHOLE. */
	int copy_share;
	int64_t slack; /* added to the margin after misses; decays */
	int64_t last_present; /* 0 before the first */
	/** Target vblank of the last frame, or of barriers cleared without one; 0: none. */
	int64_t aimed;
	int64_t estimated; /* of the last callbacks without a frame: schedule_estimate() */
	int64_t cadence; /* smoothed interval of frames with content, if variable */
	uint64_t misses; /* number of frames presented later than their target */
	int steady; /* consecutive frames without content after their request */
	/** Predicted duration of the last started frame, for reports. */
	int64_t predicted;
};

/** The whole of a prediction: schedule.copy_share. */
#define SCHEDULE_WHOLE 256

void schedule_init(struct schedule *schedule, const struct schedule_settings *settings);
/** Adds the duration of a stage; 0 if the frame skipped it. */
void schedule_add(struct schedule *schedule, enum frame_stage stage, int64_t duration);
/**
 * Adds the duration of STAGE_COPY, of a frame for which schedule.copies was predicted: predictions
 * that are too long shorten the following ones.
 */
void schedule_add_copies(struct schedule *schedule, int64_t duration);
/**
 * Adds the GPU's part: the pass's fence signalled `duration` after submission. By the GPU's own
 * timer the pass itself took `own`; -1: unknown, and all of `duration` counts as drawing.
 */
void schedule_add_gpu(struct schedule *schedule, int64_t duration, int64_t own);
/**
 * Returns the time from the start to the vblank: all stages, margin and slack; at most a period.
 */
int64_t schedule_lead(const struct schedule *schedule);
/**
 * Returns the time left for uploads by the other stages in a period, or in the maximum render time.
 */
int64_t schedule_spare(const struct schedule *schedule);

/** Reason for a frame. */
enum schedule_cause {
	SCHEDULE_CONTENT,
	/** Only the cursor moved. With a variable rate it is presented with the next content. */
	SCHEDULE_CURSOR,
	/** A surface that allows tearing has changed: start at once. */
	SCHEDULE_TEAR,
};

struct schedule_decision {
	int64_t start; /* when to start the work; not before `now` */
	int64_t vblank; /* predicted presentation, to be passed to schedule_started() */
};

/** Returns the schedule of a frame requested at `now`. Pure. */
struct schedule_decision schedule_decide(
	const struct schedule *schedule, int64_t now, enum schedule_cause cause);
/** Returns whether frames start as soon as requested, because content rarely arrives later. */
bool schedule_is_steady(const struct schedule *schedule);
/** Notes that the work has started, or was found unnecessary: the vblank is taken. */
void schedule_started(struct schedule *schedule, int64_t vblank);
/** Notes that content arrived after the request of a frame, in time for its latest start. */
void schedule_note_late_content(struct schedule *schedule);
/** Notes that a frame was presented at `when`. `refresh` as in output_present; 0: unchanged. */
void schedule_presented(
	struct schedule *schedule, int64_t when, int64_t refresh, enum schedule_cause cause);
/** Returns the first vblank after `now`; without a known vblank, `now` plus a period. */
int64_t schedule_next_vblank(const struct schedule *schedule, int64_t now);
/**
 * Returns the time of callbacks without a frame: `vblank`, or later if they would be more frequent
 * than frames.
 */
int64_t schedule_estimate(struct schedule *schedule, int64_t vblank);
/**
 * Returns the time of callbacks after the frame to be presented at `vblank`: `vblank`, or earlier
 * if needed to leave clients three quarters of a period until the next start.
 */
int64_t schedule_callback_time(const struct schedule *schedule, int64_t vblank);
/**
 * Returns the latest time to apply content that must be presented with the first frame at `target`
 * or later, and no earlier.
 */
int64_t schedule_apply_time(const struct schedule *schedule, int64_t target);
/**
 * Returns whether most recent frames took longer than a period, so that the next one is drawn while
 * one is in flight.
 */
bool schedule_overlaps(const struct schedule *schedule);
