/* SPDX-License-Identifier: MIT */
/* Waits for the frame that shows an update, by a frame callback of the compositor. */

#include "surface/frame_wait.h"

static void handle_done(struct frame_callback *callback, uint32_t ms)
{
	struct frame_wait *wait = wl_container_of(callback, wait, callback);
	wait->ended(wait);
}

static void handle_dropped(struct frame_callback *callback)
{
	/* The link is empty: the wait has ended. */
}

void frame_wait_init(struct frame_wait *wait, void (*ended)(struct frame_wait *wait))
{
	*wait = (struct frame_wait){
		.callback = {.done = handle_done, .drop = handle_dropped},
		.ended = ended,
	};
	wl_list_init(&wait->callback.link);
}

void frame_wait_finish(struct frame_wait *wait)
{
	wl_list_remove(&wait->callback.link);
	wl_list_init(&wait->callback.link);
}

void frame_wait_begin(struct frame_wait *wait, struct surface_state *state)
{
	if (!frame_wait_is_active(wait)) {
		wl_list_insert(state->frame_callbacks.prev, &wait->callback.link);
		state->fields |= SURFACE_FRAME;
	}
}
