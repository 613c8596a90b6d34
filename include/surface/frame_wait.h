/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Waits for the frame that shows an update: frame callbacks of the compositor, behind those of the
 * client.
 */

#include "surface/state.h"

/** A wait, embedded by its creator. The members are private. */
struct frame_wait {
	struct frame_callback callback;
	void (*ended)(struct frame_wait *wait);
};

/** `ended` is called after each wait, except if the surface is destroyed. It may begin another. */
void frame_wait_init(struct frame_wait *wait, void (*ended)(struct frame_wait *wait));
void frame_wait_finish(struct frame_wait *wait);
/** Begins to wait for the frame callbacks of a state, unless the last wait has not ended. */
void frame_wait_begin(struct frame_wait *wait, struct surface_state *state);
/** Returns whether a wait has begun and not ended. */
static inline bool frame_wait_is_active(const struct frame_wait *wait)
{
	return !wl_list_empty(&wait->callback.link);
}
