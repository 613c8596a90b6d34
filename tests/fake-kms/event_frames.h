/* SPDX-License-Identifier: MIT */
#pragma once

/** Random frames with several planes, and the comparison with the emulated card. */

#include "rig.h"

/** Fences of frames, signalled later: -1: none. */
#define EVENT_FENCES 4

/** A frame with its buffers. */
struct event_frame {
	struct output_state state;
	struct buffer *buffers[OUTPUT_PLANES_MAX]; /* locked */
	uint32_t pixels[OUTPUT_PLANES_MAX];
	bool kept[OUTPUT_PLANES_MAX]; /* the buffer is that of the frame before */
	pixman_region32_t damage;
};

/** Returns a number below `n`. */
uint32_t event_draw(uint32_t *random, uint32_t n);
/**
 * Draws a frame of the output's size with random overlays and cursor. `fences`: creates some of
 * them; NULL: none.
 */
void event_frame_init(struct event_frame *frame, struct rig_output *output, uint32_t *random,
	int fences[EVENT_FENCES]);
void event_frame_finish(struct event_frame *frame);
/** Returns the number of planes whose damage the card may learn: it counts them in `clips`. */
uint64_t event_frame_count_clips(const struct event_frame *frame);
/** Compares the planes of the card with the frame, which is on screen. */
void event_frame_check(
	const struct event_frame *frame, const struct rig_output *output, struct fake_card *card);
