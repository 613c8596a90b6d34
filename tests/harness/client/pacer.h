/* SPDX-License-Identifier: MIT */
#pragma once

/** A test window that records its commits, callbacks and presentations. */

#include "commit-timing-v1-client-protocol.h"
#include "fifo-v1-client-protocol.h"
#include "harness/peer.h"
#include "presentation-time-client-protocol.h"
#include "surface/surface.h"

#define MS INT64_C(1000000)
#define SECOND INT64_C(1000000000)
#define PERIOD (SECOND * 1000 / 60000)
#define SHOWN_MAX 2048

/** A window and its records. */
struct pacer {
	struct fixture *fixture;
	struct peer *peer;
	struct peer_window *window;
	struct peer_buffer *buffers[3];
	int next;
	struct wl_surface *surface;
	struct wp_presentation *presentation;
	struct wp_fifo_v1 *fifo;
	struct wp_commit_timer_v1 *timer;
	void *data; /* the test's */
	int n_asked, n_done, n_discarded, n_presented;
	int64_t last_done; /* on the fixture's clock */
	int64_t committed[SHOWN_MAX], shown[SHOWN_MAX]; /* ns; of presented commits */
	uint64_t sequence[SHOWN_MAX];
};

/**
 * Creates a window of 40x40 at x, y with its own peer, mapped. The caller frees it after the
 * fixture.
 */
struct pacer *pacer_create(struct fixture *fixture, int x, int y);
/** Creates a fullscreen window. */
struct pacer *pacer_create_full(struct fixture *fixture);
/** Returns the time of the fixture's clock. */
int64_t pacer_now(const struct pacer *pacer);
void pacer_ask_callback(struct pacer *pacer);
void pacer_ask_feedback(struct pacer *pacer);
/** Attaches the next buffer and commits; sent with the next pump. */
void pacer_draw(struct pacer *pacer);
/** Returns the server's surface. */
struct surface *pacer_surface(struct pacer *pacer);
/** Minimizes the window. */
void pacer_hide(struct pacer *pacer);

void pacing_step(struct fixture *fixture, int64_t ns);
/** Advances the clock to `until`, in steps much shorter than a period. */
void pacing_run_until(struct fixture *fixture, int64_t until);
/** Sets the rates (Hz) of hidden windows, and of hidden X windows. */
void pacing_set_rates(struct fixture *fixture, double all, double x);
/** Puts output `i` to sleep, or wakes it. */
void pacing_set_asleep(struct fixture *fixture, int i, bool asleep);
