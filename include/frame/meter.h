/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Latency measurements: the time from a client's commit to its presentation, and a trace of the
 * stages in between. While there is no watcher and no tracer, the cost is one test of a flag.
 */

#include "frame/stage.h"
#include "surface/surface.h"
#include "util/clock.h"
#include <stdbool.h>
#include <stdint.h>
#include <wayland-server-core.h>

struct frame_output;

struct meter_event {
	enum frame_stage stage;
	uint32_t track; /* scene_output.index, or meter_surface.serial */
	int64_t start, end; /* ns; equal for an instant */
	uint64_t number; /* of the output's frame, or of the surface's commit */
};

#define METER_EVENTS 16384
#define METER_LATENCIES 512

/** A surface that has committed while measurements were active. */
struct meter_surface {
	struct wl_list link; /* meter.surfaces */
	struct meter *meter;
	struct surface *surface;
	uint32_t serial;
	/**
	 * Commit (ns) that is part of the frame in flight of `frame` (NULL: none), and the same for
	 * the frame drawn ahead.
	 */
	const struct frame_output *frame, *frame_ahead;
	int64_t in_flight, ahead;
	/** Latencies (ns) of the last presented commits. */
	int64_t latencies[METER_LATENCIES];
	uint64_t n_latencies; /* total; the last one is at (n - 1) % METER_LATENCIES */
	struct wl_listener applied;
	struct addon addon; /* on the surface */
};

struct meter {
	struct clock *clock;
	bool active; /* there is a watcher or tracer */
	int n_watchers, n_tracers;
	int64_t since; /* ns: earlier commits are unknown */
	struct wl_list surfaces; /* meter_surface.link */
	uint32_t n_serials;
	/** The last events, NULL without a tracer; number n is at n % METER_EVENTS. */
	struct meter_event *events;
	uint64_t n_events;
};

void meter_init(struct meter *meter, struct clock *clock);
/** Finishes a meter without watchers and tracers. */
void meter_finish(struct meter *meter);
/** Adds or removes a watcher of latencies. */
void meter_watch(struct meter *meter, bool on);
/** Adds or removes a reader of events. */
void meter_trace(struct meter *meter, bool on);

/** Slow paths of the functions below. */
void meter_note_commit(struct meter *meter, struct surface *surface);
void meter_note_event(struct meter *meter, const struct meter_event *event);

/** Notes that the surface's pending state is about to become an update. */
static inline void meter_commit(struct meter *meter, struct surface *surface)
{
	if (meter->active) {
		meter_note_commit(meter, surface);
	}
}

/** Adds an event. `meter` may be NULL, here and below. */
static inline void meter_span(struct meter *meter, enum frame_stage stage, uint32_t track,
	uint64_t number, int64_t start, int64_t end)
{
	if (meter && meter->events && end >= start) {
		meter_note_event(meter, &(struct meter_event){.stage = stage,
						.track = track,
						.start = start,
						.end = end,
						.number = number});
	}
}

/**
 * Notes that the surface's current state is part of the committed frame, or of the one drawn ahead.
 */
void meter_latch(struct meter *meter, const struct frame_output *frame,
	const struct surface *surface, bool ahead);
/** Notes that the frame drawn ahead was committed. */
void meter_promote(struct meter *meter, const struct frame_output *frame);
/** Forgets the frame drawn ahead. */
void meter_drop_ahead(struct meter *meter, const struct frame_output *frame);
/** Notes that the frame in flight was presented at `when` (ns); 0: it was discarded. */
void meter_presented(struct meter *meter, const struct frame_output *frame, int64_t when);

/**
 * Returns a quantile of the last latencies in ns: `share` of them are no longer. 0 if there are
 * none.
 */
int64_t meter_latency(const struct meter_surface *surface, double share);
