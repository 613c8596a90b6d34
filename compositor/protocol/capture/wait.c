/* SPDX-License-Identifier: MIT */
/* Waiting for copies between GPUs. */

#include "wait.h"
#include "frame/frame.h"
#include "util/event_source.h"

#define MOST 8

static void handle_turn(void *data)
{
	struct copies_wait *wait = data;
	wait->turn = NULL; /* idle sources are removed when they fire */
	wait->again(wait->data);
}

/* Delayed to the event loop: other copies may end together with this one. */
static void handle_arrived(struct wl_listener *listener, void *data)
{
	struct copies_wait *wait = wl_container_of(listener, wait, arrived);
	wl_list_remove(&wait->arrived.link);
	wl_list_init(&wait->arrived.link);
	wait->turn = wl_event_loop_add_idle(wait->loop, handle_turn, wait);
}

void copies_wait_init(
	struct copies_wait *wait, struct wl_event_loop *loop, void (*again)(void *data), void *data)
{
	*wait = (struct copies_wait){.loop = loop, .again = again, .data = data};
	wl_list_init(&wait->arrived.link);
}

void copies_wait_finish(struct copies_wait *wait)
{
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
	wait->n++;
	signal_add(&device->events.copy_ended, &wait->arrived, handle_arrived);
}
