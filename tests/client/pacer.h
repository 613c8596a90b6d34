#pragma once

/** A window of a test's client whose commits, callbacks and presentations are kept count of. */

#include "commit-timing-v1-client-protocol.h"
#include "fifo-v1-client-protocol.h"
#include "harness/peer.h"
#include "presentation-time-client-protocol.h"
#include "surface/surface.h"

#define MS INT64_C(1000000)
#define SECOND INT64_C(1000000000)
#define PERIOD (SECOND * 1000 / 60000)
#define MAX_SHOWN 2048

/** A window whose commits and callbacks are kept count of. */
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
	int64_t last_done; /* the fixture's time */
	int64_t committed[MAX_SHOWN], shown[MAX_SHOWN]; /* ns; of those that were presented */
	uint64_t sequence[MAX_SHOWN];
};

/** Of a peer of its own, 40x40, mapped at x, y; the caller frees it after the fixture. */
struct pacer *pacer_create(struct fixture *fixture, int x, int y);
/** Fills the output; pixels as big as it. */
struct pacer *pacer_create_full(struct fixture *fixture);
/** The fixture's time. */
int64_t pacer_now(const struct pacer *pacer);
void pacer_ask_callback(struct pacer *pacer);
void pacer_ask_feedback(struct pacer *pacer);
/** The next picture; sent with the next pump. */
void pacer_draw(struct pacer *pacer);
/** The compositor's own view of it. */
struct surface *pacer_surface(struct pacer *pacer);
/** Minimises it. */
void pacer_hide(struct pacer *pacer);

void pacing_step(struct fixture *fixture, int64_t ns);
/** Time goes on until `until`, in steps that are small beside a period. */
void pacing_run_until(struct fixture *fixture, int64_t until);
