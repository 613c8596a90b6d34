/* SPDX-License-Identifier: MIT */
/* Descriptor watches that do not fail for lack of descriptors. */

#include "util/fd_watch.h"
#include "util/event_source.h"
#include <poll.h>

/** Interval (ns) of polling without an event source. */
#define LOOK INT64_C(10000000)

static int handle_ready(int fd, uint32_t mask, void *data)
{
	struct fd_watch *watch = data;
	watch->ready(watch->data);
	return 0;
}

static bool add(struct fd_watch *watch)
{
	watch->source = wl_event_loop_add_fd(
		watch->loop, watch->fd, WL_EVENT_READABLE, handle_ready, watch);
	return watch->source;
}

static void handle_timer(struct timer *timer, int64_t now)
{
	struct fd_watch *watch = wl_container_of(timer, watch, timer);
	if (add(watch)) {
		return;
	}
	struct pollfd pollfd = {.fd = watch->fd, .events = POLLIN};
	timer_arm(timer, now + LOOK);
	if (poll(&pollfd, 1, 0) > 0) {
		watch->ready(watch->data);
	}
}

void fd_watch_start(struct fd_watch *watch, struct wl_event_loop *loop, struct clock *clock, int fd,
	void (*ready)(void *data), void *data)
{
	*watch = (struct fd_watch){.loop = loop, .fd = fd, .ready = ready, .data = data};
	timer_init(&watch->timer, clock, handle_timer);
	if (!add(watch)) {
		timer_arm(&watch->timer, clock_now(clock) + LOOK);
	}
}

void fd_watch_stop(struct fd_watch *watch)
{
	event_source_remove(&watch->source);
	if (watch->timer.clock) {
		timer_finish(&watch->timer);
	}
}
