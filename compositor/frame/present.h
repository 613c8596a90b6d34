/* SPDX-License-Identifier: MIT */
#pragma once

/** Frame callbacks and presentation feedback of clients. */

#include "frame/frame.h"
#include "output.h"

/**
 * Takes callbacks and feedback of the surfaces with this primary output. A surface that waits for a
 * copy or an upload of visible pixels keeps feedback and barrier until a later frame shows it; if
 * copies are refused, it keeps the feedback only. Fills `barriers` with the other surfaces that
 * have barriers, scene_surface.waiting_link, for present_latch().
 */
void present_take(struct frame_output *frame, struct wl_list *barriers);
/** Clears the barriers of the surfaces on the list, so that their next updates apply. */
void present_latch(struct frame_output *frame, struct wl_list *barriers);
/** Sends feedback and callbacks after the frame was presented. */
void present_done(struct frame_output *frame, const struct output_present *present);
/** Sends callbacks as of `now` (ns). */
void present_send_callbacks(struct frame_output *frame, int64_t now);
/**
 * Takes callbacks and feedback of updates without damage, which are due at a vblank without a
 * frame.
 */
void present_estimate(struct frame_output *frame, int64_t vblank);
/** Sends those of present_estimate() as of `now` (ns). */
void present_end_estimate(struct frame_output *frame, int64_t now);
/** Discards feedback and sends callbacks, for a frame that is never presented. */
void present_discard(struct frame_output *frame);
/** Does the same for the frame drawn ahead. */
void present_discard_ahead(struct frame_output *frame);
