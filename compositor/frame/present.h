#pragma once

/** What clients are told of their frames: callbacks and presentation feedback. */

#include "frame/frame.h"

/** Takes over what the surfaces that this output shows (and shows most of) wait for. */
void present_take(struct frame_output *frame);
/** Does such a surface wait? */
bool present_is_waited_for(struct frame_output *frame);
/** The frame turned to light: feedback and callbacks go out. */
void present_done(struct frame_output *frame, const struct output_present *present);
/** There was nothing to show: only callbacks go out, as of `now`. */
void present_callbacks(struct frame_output *frame, int64_t now);
/** The frame will never show, or the output goes. */
void present_discard(struct frame_output *frame);
