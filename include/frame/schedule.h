#pragma once

/**
 * When the work of an output's next frame starts, and when clients are called for the one after: a
 * pure scheduler, one per output. Values go in (what was presented when, how long each stage took),
 * moments come out; it holds no timer and reads no clock. All times are ns of one clock.
 *
 * A frame is aimed at a vblank. Its work starts as late as what it needs allows, so that it shows the
 * newest content: at the vblank minus what each stage took lately, minus a margin. But where nothing
 * newer has come for many frames in a row (a film, a game, one animation), waiting gains nothing: the
 * work starts as soon as something asks for it, which saves a wake-up a frame and leaves the GPU more
 * time, until something does come before the moment at which the work would have started. What a stage needs
 * follows a longer sample at once and falls back slowly to a high quantile of the recent ones.
 *
 * With a variable refresh rate there is no grid: the next frame can show `refresh` after the last one
 * at the earliest, and starts as soon as something asks for it.
 */

#include "frame/duration_histogram.h"
#include <stdbool.h>
#include <stdint.h>

/**
 * What a frame's work consists of, in the order in which it is done. Fences of clients are no part of it:
 * content does not apply before they have signalled, and no frame waits for them.
 */
enum schedule_stage {
	STAGE_COPY, /* copies between GPUs that the frame waits for */
	STAGE_UPLOAD, /* client memory to textures */
	STAGE_RENDER, /* the CPU's part of the pass */
	STAGE_QUEUE, /* the GPU was at something else, as far as that is known apart from the next */
	STAGE_GPU, /* drawing, or all from submission until the pass's fence */
	STAGE_COMMIT, /* handing it to the output */
	STAGE_COUNT,
};

/** "copy", "upload"...: for reports. */
const char *schedule_stage_name(enum schedule_stage stage);

/** How long one stage took lately. */
struct schedule_work {
	struct duration_histogram recent;
	int64_t last;
	int64_t estimate; /* what the next frame has to allow for */
};

/** What the user decides. */
struct schedule_settings {
	/** Kept free between the predicted end of the work and the vblank. */
	int64_t margin;
	/**
	 * Never start earlier than this before the vblank, whatever the prediction says;
	 * SCHEDULE_AUTO: as predicted; SCHEDULE_AT_ONCE: start as soon as something asks.
	 */
	int64_t max_render_time;
	/** At least so long from one frame to the next; 0: as the output can. */
	int64_t min_interval;
};

#define SCHEDULE_AUTO (-1)
#define SCHEDULE_AT_ONCE (-2)
#define SCHEDULE_DEFAULT_MARGIN 1500000

struct schedule {
	struct schedule_settings settings;
	int64_t refresh; /* of the grid, or the shortest interval if variable; 0: unknown */
	bool variable;
	/**
	 * If variable, how long the screen waits for a frame before it repeats the last one, as its EDID
	 * says; 0: unknown, and taken for a thirtieth of a second, which is also the most that counts.
	 */
	int64_t longest;
	/** Somebody else decides when frames are taken (a host): start at once. */
	bool host_paced;

	struct schedule_work stages[STAGE_COUNT];
	int64_t estimate; /* the sum of theirs */
	/** What copies between GPUs that are known to be due will take; less than usual is not believed. */
	int64_t copies;
	int64_t slack; /* added to the margin after misses; decays */
	int64_t last_present; /* 0 before the first */
	int64_t aimed; /* the vblank that the last frame was started for; 0: none */
	int64_t cadence; /* smoothed interval of frames with content, if variable */
	uint64_t misses; /* frames that showed later than aimed at */
	int settled; /* frames in a row to which nothing more came after what asked for them */
	/** What was predicted for the last frame that was started, for reports. */
	int64_t predicted;
};

void schedule_init(struct schedule *schedule, const struct schedule_settings *settings);
/** A stage of a frame took so long. A frame that did without a stage gives 0. */
void schedule_add(struct schedule *schedule, enum schedule_stage stage, int64_t duration);
/**
 * The GPU was done with a pass `duration` after it got it, by the pass's fence. For `own` of that, by its own
 * clock, it was at this pass; -1: that is not known, and all of it counts as drawing.
 */
void schedule_add_gpu(struct schedule *schedule, int64_t duration, int64_t own);
/** How long before the vblank to start: all stages, margin and slack; at most one period. */
int64_t schedule_lead(const struct schedule *schedule);
/** What all but uploads leave of a period, or of the most that a frame may take: what these may take. */
int64_t schedule_spare(const struct schedule *schedule);

/** Why a frame is wanted. */
enum schedule_cause {
	SCHEDULE_CONTENT,
	/** Only the cursor moved: with a variable rate it goes along with the content's frames. */
	SCHEDULE_CURSOR,
	/** It is to be shown at once, even torn: the next frame of a surface that asked for that. */
	SCHEDULE_TEAR,
};

struct schedule_decision {
	int64_t start; /* when to begin the work; not before `now` */
	int64_t vblank; /* when it will show, if all goes well: to be given to schedule_started() */
};

/** For a frame wanted at `now`. Pure: asking again changes nothing. */
struct schedule_decision schedule_decide(
	const struct schedule *schedule, int64_t now, enum schedule_cause cause);
/** While this holds, work begins as soon as something asks for it. */
bool schedule_is_settled(const struct schedule *schedule);
/** The work has begun, or it was found that there is none: that vblank is taken. */
void schedule_started(struct schedule *schedule, int64_t vblank);
/** More came for a frame that was queued, or should still have been: see above. */
void schedule_unsettle(struct schedule *schedule);
/** A frame turned to light at `when`. `refresh` as output_present says it; 0: unchanged. */
void schedule_presented(
	struct schedule *schedule, int64_t when, int64_t refresh, enum schedule_cause cause);
/** The first vblank of the grid after `now`; a period on, if there is no grid. */
int64_t schedule_next_vblank(const struct schedule *schedule, int64_t now);
/**
 * When clients are called for the frame after the one that shows at `vblank`: at that vblank, or as
 * much earlier as it takes to leave them three quarters of a period until the next start.
 */
int64_t schedule_callback_time(const struct schedule *schedule, int64_t vblank);
/**
 * The latest moment at which content can apply to be in the first frame that shows at `target` or
 * later, and in none before it.
 */
int64_t schedule_apply_time(const struct schedule *schedule, int64_t target);
/**
 * The work of most recent frames really took longer than a period: the next is drawn while one is
 * still on its way.
 */
bool schedule_overlaps(const struct schedule *schedule);
