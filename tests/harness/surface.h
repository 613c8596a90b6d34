/* SPDX-License-Identifier: MIT */
#pragma once

/** Surfaces for tests: counting buffers, callbacks, feedback and blockers. */

#include "harness/unit.h"
#include "util/clock.h"

#include "surface/subsurface.h"
#include "surface/surface.h"
#include "surface/transaction.h"

/** A buffer without pixels. */
struct test_buffer {
	struct buffer base;
	bool opaque;
	int n_released;
	bool *destroyed; /* may be NULL */
	struct wl_listener release;
};

/** Creates a buffer; release it with buffer_drop(). */
struct test_buffer *test_buffer_create(int32_t width, int32_t height);
/** Attaches the buffer and damages all of it, without a commit. */
void attach(struct surface *surface, struct test_buffer *buffer);
void damage_buffer(struct surface *surface, int x, int y, int width, int height);
/** Fails unless the region is exactly this rectangle. */
void assert_region(const pixman_region32_t *region, int x, int y, int width, int height);

/** Counters of frame callbacks and presentation feedback. */
struct test_counts {
	int done, dropped, presented, discarded;
	uint32_t last_ms;
};
void request_frame(struct surface *surface, struct test_counts *counts);
void request_feedback(struct surface *surface, struct test_counts *counts);

/** A blocker of one update, created by a gate. */
struct test_blocker {
	struct blocker base;
	struct test_gate *gate;
	struct wl_list link; /* test_gate.blockers */
};

struct test_gate {
	struct wl_listener commit;
	uint32_t fields; /* fields of new blockers */
	bool closed; /* new commits get a blocker */
	struct wl_list blockers; /* test_blocker.link, oldest first */
	int n_blockers;
};

void gate_init(struct test_gate *gate, struct surface *surface);
void gate_finish(struct test_gate *gate);
/** Clears the oldest blocker. */
void gate_pass(struct test_gate *gate);

/** Records events of a surface. */
struct test_watch {
	struct surface *surface;
	int n_applied, n_ready, n_map, n_unmap;
	uint32_t fields; /* of the last applied update */
	pixman_region32_t damage; /* of the last applied update */
	void (*on_applied)(struct test_watch *watch);
	struct wl_listener applied, ready, map, unmap;
};

void watch_init(struct test_watch *watch, struct surface *surface);
void watch_finish(struct test_watch *watch);

/** A watched surface and two buffers for it. */
struct scenario {
	struct clock *clock;
	struct wl_event_loop *loop;
	struct surface *surface;
	struct test_watch watch;
	struct test_buffer *a, *b;
};

/** Set-up and tear-down for cmocka. A test that destroys the surface must set `surface` to NULL. */
int scenario_set_up(void **state);
int scenario_tear_down(void **state);
