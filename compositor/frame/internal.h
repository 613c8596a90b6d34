#pragma once

/** What the files of the frame loop share. */

#include "frame/frame.h"

/**
 * frame.c: commits a frame, and tells those who follow what changes. False: nothing was shown, the
 * damage is still due.
 */
bool frame_output_submit(struct frame_output *frame, const struct output_state *state);

/** scanout.c: shows what there is without drawing; false if that cannot be, with the reason in `refused`. */
bool frame_scan_out(struct frame_output *frame);
/** The last frame shows the surface's buffer itself. */
bool frame_scans_out(const struct frame_output *frame, const struct surface *surface);

/** target.c: makes the swapchain for the mode, of a format that output and renderer take. */
bool frame_target_ensure(struct frame_output *frame);
/** The output may have found out that it cannot show what the buffers are of: then they go. */
void frame_target_check(struct frame_output *frame);
/** What a buffer of that age has to have drawn: its own frames' damage and this one's. */
void frame_target_damage(struct frame_output *frame, int age, pixman_region32_t *out);
/** The scene's damage was shown. */
void frame_target_push(struct frame_output *frame);
/** What is in the buffers is of no use: the next frames are drawn whole. */
void frame_target_forget(struct frame_output *frame);
