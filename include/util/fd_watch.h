#pragma once

/**
 * Waits for a descriptor that somebody must hear of: the loop needs one of its own for each that it watches, and
 * may have none to spare; then it is looked at by the clock until it has.
 */

#include "util/clock.h"

struct fd_watch {
	struct wl_event_loop *loop;
	struct wl_event_source *source; /* NULL: by the timer */
	struct timer timer;
	int fd; /* its owner's */
	void (*ready)(void *data);
	void *data;
};

/** `ready` is called while it is readable, hung up or in error, and may stop the watch and free it. */
void fd_watch_start(struct fd_watch *watch, struct wl_event_loop *loop, struct clock *clock, int fd,
	void (*ready)(void *data), void *data);
/** Before the descriptor is closed. Does nothing for one that was stopped, or zeroed and never started. */
void fd_watch_stop(struct fd_watch *watch);
