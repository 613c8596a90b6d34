#pragma once

/**
 * Measurements for who asks: how long it takes from a client's commit until it turns to light, and a
 * trace of what happened in between. While nobody watches or traces, all of it is a look at a flag.
 */

#include "surface/surface.h"
#include "util/clock.h"
#include <stdbool.h>
#include <stdint.h>
#include <wayland-server-core.h>

struct frame_output;

enum meter_kind {
	METER_COMMIT, /* of a surface; a moment */
	METER_WAIT, /* of a surface: from its commit until all that held it had come */
	METER_COPY, /* of an output, as all that follow */
	METER_UPLOAD,
	METER_RENDER,
	METER_GPU,
	METER_SUBMIT, /* handing the frame to the output */
	METER_FLIP, /* from there until light */
	METER_PRESENTED, /* a moment */
};

struct meter_event {
	enum meter_kind kind;
	uint32_t track; /* scene_output.index, or meter_surface.serial */
	int64_t start, end; /* ns; the same for a moment */
	uint64_t number; /* of the frame of its output, or of the surface's commit */
};

#define METER_EVENTS 16384
#define METER_LATENCIES 512

/** A surface that has committed while somebody measured. */
struct meter_surface {
	struct wl_list link; /* meter.surfaces */
	struct meter *meter;
	struct surface *surface;
	uint32_t serial;
	/** The commit that is in the frame in flight of `frame`, ns; NULL: none is. The same, ahead. */
	const struct frame_output *frame, *frame_ahead;
	int64_t in_flight, ahead;
	/** From commit to light, ns, of the last ones that were shown. */
	int64_t latencies[METER_LATENCIES];
	uint64_t n_latencies; /* ever; the last is at (n - 1) % METER_LATENCIES */
	struct wl_listener applied;
	struct addon addon; /* on the surface */
};

struct meter {
	struct clock *clock;
	bool active; /* somebody watches or traces */
	int n_watchers, n_tracers;
	int64_t since; /* ns: commits before are not known of */
	struct wl_list surfaces; /* meter_surface.link */
	uint32_t n_serials;
	/** The last ones, NULL while nobody traces; number n is at n % METER_EVENTS. */
	struct meter_event *events;
	uint64_t n_events;
};

void meter_init(struct meter *meter, struct clock *clock);
/** Nobody may watch or trace any more. */
void meter_finish(struct meter *meter);
/** Somebody begins or ends to look at surfaces' latencies. */
void meter_watch(struct meter *meter, bool on);
/** Somebody begins or ends to read events. */
void meter_trace(struct meter *meter, bool on);

/** For the functions below. */
void meter_note_commit(struct meter *meter, struct surface *surface);
void meter_note_event(struct meter *meter, const struct meter_event *event);

/** The surface's pending state is about to become an update. */
static inline void meter_commit(struct meter *meter, struct surface *surface)
{
	if (meter->active) {
		meter_note_commit(meter, surface);
	}
}

/** NULL for `meter` is legal here and below. */
static inline void meter_span(struct meter *meter, enum meter_kind kind, uint32_t track,
	uint64_t number, int64_t start, int64_t end)
{
	if (meter && meter->events && end >= start) {
		meter_note_event(meter, &(struct meter_event){.kind = kind,
						.track = track,
						.start = start,
						.end = end,
						.number = number});
	}
}

/** What is current of the surface is in the frame that `frame` has committed, or has drawn ahead. */
void meter_latch(struct meter *meter, const struct frame_output *frame,
	const struct surface *surface, bool ahead);
/** What was drawn ahead is in flight now. */
void meter_promote(struct meter *meter, const struct frame_output *frame);
/** That frame has turned to light at `when`; 0: it never will. */
void meter_presented(struct meter *meter, const struct frame_output *frame, int64_t when);

/** ns; `share` of the last latencies are no longer than that. 0 if there are none. */
int64_t meter_latency(const struct meter_surface *surface, double share);
