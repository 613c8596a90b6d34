/* SPDX-License-Identifier: MIT */
#pragma once

/** Frame callbacks and presentation feedback of clients. */

#include "frame/frame.h"
#include "output.h"

/**
 * Takes callbacks and feedback of the surfaces with this primary output. Returns true if one of
 * them has a barrier: present_latch() clears it.
 */
bool present_take(struct frame_output *frame);
/** Clears the barriers of the surfaces that wait for a frame, so that their next updates apply. */
void present_latch(struct frame_output *frame);
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
