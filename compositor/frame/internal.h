/* SPDX-License-Identifier: MIT */
#pragma once

/** Functions shared by the files of the frame loop. */

#include "frame/frame.h"
#include "output.h"
#include "planes/scanout.h"

/** Returns whether planes may show more than the composed buffer. */
static inline bool frame_output_uses_planes(const struct frame_output *frame)
{
	return frame->device->scanout_outputs & 1u << frame->scene_output->index;
}

/** output.c: stops the frame loop and drops all buffers of a lost device. */
void frame_output_freeze(struct frame_output *frame);
/** Restarts the frame loop with the device's new renderer, and damages the output. */
void frame_output_thaw(struct frame_output *frame);

/** render.c: draws and commits a frame. On failure returns false and keeps the damage. */
bool frame_submit(struct frame_output *frame);
/** Draws the next composed frame while one is in flight, unless planes or overlay are in use. */
void frame_paint_ahead(struct frame_output *frame);
/** Commits the frame drawn ahead. Returns false if there is none, or the commit failed. */
bool frame_submit_ahead(struct frame_output *frame);
/** Drops the frame drawn ahead, and damages the output to draw it again. */
void frame_drop_ahead(struct frame_output *frame);
/** Reads the GPU time of the frame just presented from its fence, which has signalled by now. */
void frame_measure_gpu(struct frame_output *frame);
void frame_trace(struct frame_output *frame, enum frame_stage stage, int64_t start, int64_t end);

/** debug_overlay.c: returns whether the overlay has to be drawn, regardless of damage. */
bool frame_overlay_is_due(const struct frame_output *frame);
/** Draws the whole output with the next frame, although the scene is unchanged. */
void frame_repaint(struct frame_output *frame);
/**
 * Adds the overlay's region to the damage of a planned frame. Call frame_overlay_end() with the
 * frame's success.
 */
void frame_overlay_begin(struct frame_output *frame, const struct scanout_plan *plan);
void frame_overlay_end(struct frame_output *frame, bool done);
/** Draws the overlay on `damage`, which was repainted by this pass; a compose_list.overlay. */
void frame_overlay_draw(void *data, struct render_pass *pass, const pixman_region32_t *damage);

/** output_hints.c */
void output_hints_init(struct frame_output *frame);
void output_hints_finish(struct frame_output *frame);
/** Adds the output settings requested by a fullscreen surface, if any, to `state`. */
void output_hints_apply(struct frame_output *frame, struct output_state *state);
/** Notes that the commit of `state` was refused. */
void output_hints_note_failure(struct frame_output *frame, const struct output_state *state);
/** Notes that the committed frame was dropped: the output may have refused its settings late. */
void output_hints_note_dropped(struct frame_output *frame);

/** cpu_composer.c */
void cpu_composer_init(struct frame_output *frame);
/** Sets whether the CPU may draw to the output's buffers, starting with the next swapchain. */
void cpu_composer_set_shared(struct frame_output *frame, bool shared);
/**
 * Returns the device that draws `damage` of the next frame: the output's, or the CPU. `age` is the
 * buffer's; 0: undefined contents.
 */
struct render_device *cpu_composer_choose(
	struct frame_output *frame, int age, const pixman_region32_t *damage);
/** Switches back to GPU composition. */
void cpu_composer_end(struct frame_output *frame);
/**
 * Disables CPU composition until the output is configured again or the device is lost: there are no
 * buffers that both can draw to.
 */
void cpu_composer_refuse(struct frame_output *frame);

/** target.c: creates the swapchain for the mode, in a format supported by output and renderer. */
bool frame_target_ensure(struct frame_output *frame);
/** Returns whether the swapchain differs from the kind that would be created now. */
bool frame_target_is_stale(const struct frame_output *frame);
/** Returns whether the buffers use a resource that `economy` forbids. */
bool frame_target_gives_up(const struct frame_output *frame, enum frame_economy economy);
/** Drops the swapchain if the output no longer supports its format. */
void frame_target_check(struct frame_output *frame);
/** Computes the region to repaint in a buffer of that age. */
void frame_target_damage(struct frame_output *frame, int age, pixman_region32_t *out);
/** Adds the scene's damage, now presented, to the history. */
void frame_target_push(struct frame_output *frame);
/** Forgets the contents of all buffers. Damage the whole output if one of them stays in use. */
void frame_target_forget(struct frame_output *frame);
/** Returns a buffer like the composed one for test commits, not to be drawn to, or NULL. */
struct buffer *frame_target_sample(struct frame_output *frame);
