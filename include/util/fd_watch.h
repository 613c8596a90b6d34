/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Descriptor watches that cannot fail: the event loop needs a descriptor of its own for each watch;
 * while none is free, the watch polls by timer.
 */

#include "util/clock.h"

struct fd_watch {
	struct wl_event_loop *loop;
	struct wl_event_source *source; /* NULL: polled by the timer */
	struct timer timer;
	int fd; /* owned by the caller */
	void (*ready)(void *data);
	void *data;
};

/**
 * Starts a watch; `ready` is called while `fd` is readable, hung up or in error, and may stop the
 * watch and free it.
 */
void fd_watch_start(struct fd_watch *watch, struct wl_event_loop *loop, struct clock *clock, int fd,
	void (*ready)(void *data), void *data);
/** Stops a watch, before its descriptor is closed. Accepts stopped and zeroed watches. */
void fd_watch_stop(struct fd_watch *watch);
