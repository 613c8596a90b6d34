#pragma once

/** What clients are told of their frames: callbacks and presentation feedback. */

#include "frame/frame.h"

/**
 * Takes over what the surfaces that this output shows (and shows most of) wait for. True if a barrier is
 * among it: present_latch() takes those away.
 */
bool present_take(struct frame_output *frame);
/** What was taken is latched: barriers go, and with them what waited for them applies. */
void present_latch(struct frame_output *frame);
/** The frame turned to light: feedback and callbacks go out. */
void present_done(struct frame_output *frame, const struct output_present *present);
/** Clients may draw their next frames, as of `now`. */
void present_send_callbacks(struct frame_output *frame, int64_t now);
/** There was nothing to show: feedback and callbacks go out, as of `now`. */
void present_callbacks(struct frame_output *frame, int64_t now);
/** The frame will never show, or the output goes. */
void present_discard(struct frame_output *frame);
