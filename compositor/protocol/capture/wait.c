/* SPDX-License-Identifier: MIT */
/* Waiting for copies between GPUs. */

#include "wait.h"
#include "frame/frame.h"
#include "util/event_source.h"

#define MOST 8
/* A capture waits at most for this time (ns): engines that hang are replaced before. */
#define MOST_NS INT64_C(2000000000)

static void handle_turn(void *data)
{
	struct copies_wait *wait = data;
	wait->turn = NULL; /* idle sources are removed when they fire */
	wait->again(wait->data);
}

static void end_later(struct copies_wait *wait)
{
	wl_list_remove(&wait->arrived.link);
	wl_list_init(&wait->arrived.link);
	wait->turn = wl_event_loop_add_idle(wait->loop, handle_turn, wait);
}

/* Delayed to the event loop: other copies may end together with this one. */
static void handle_arrived(struct wl_listener *listener, void *data)
{
	struct copies_wait *wait = wl_container_of(listener, wait, arrived);
	end_later(wait);
}

static void handle_late(struct timer *timer, int64_t now)
{
	struct copies_wait *wait = wl_container_of(timer, wait, timer);
	wait->n = MOST;
	if (!wl_list_empty(&wait->arrived.link)) {
		end_later(wait);
	}
}

void copies_wait_init(struct copies_wait *wait, struct wl_event_loop *loop, struct clock *clock,
	void (*again)(void *data), void *data)
{
	*wait = (struct copies_wait){.loop = loop, .again = again, .data = data};
	wl_list_init(&wait->arrived.link);
	timer_init(&wait->timer, clock, handle_late);
}

void copies_wait_finish(struct copies_wait *wait)
{
	timer_finish(&wait->timer);
	event_source_remove(&wait->turn);
	wl_list_remove(&wait->arrived.link);
	wl_list_init(&wait->arrived.link);
}

bool copies_wait_may(const struct copies_wait *wait)
{
	return wait->n < MOST;
}

void copies_wait_begin(struct copies_wait *wait, struct render_device *device)
{
	if (wait->n++ == 0) {
		timer_arm(&wait->timer, clock_now(wait->timer.clock) + MOST_NS);
	}
	signal_add(&device->events.copy_ended, &wait->arrived, handle_arrived);
}
