/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Captures need all pixels, so they wait for copies between GPUs that are in progress.
 * frame_capture() returns FRAME_CAPTURE_LATE in this case.
 */

#include "util/clock.h"
#include <stdbool.h>
#include <wayland-server-core.h>

struct render_device;

struct copies_wait {
	struct wl_event_loop *loop;
	struct wl_listener arrived; /* on the device; the link is empty while not waiting */
	struct wl_event_source *turn; /* idle source of the next attempt, or NULL */
	struct timer timer; /* ends the last wait */
	int n; /* number of waits so far */
	void (*again)(void *data);
	void *data;
};

/** Initialises a wait. `again` is called from the event loop, once per copies_wait_begin(). */
void copies_wait_init(struct copies_wait *wait, struct wl_event_loop *loop, struct clock *clock,
	void (*again)(void *data), void *data);
/** Cancels the call of `again`. */
void copies_wait_finish(struct copies_wait *wait);
/**
 * Returns false after too many waits, or two seconds: a client that draws continuously always has
 * copies in progress.
 */
bool copies_wait_may(const struct copies_wait *wait);
/** Waits until the next copy of the device has ended, at most until two seconds are over. */
void copies_wait_begin(struct copies_wait *wait, struct render_device *device);
