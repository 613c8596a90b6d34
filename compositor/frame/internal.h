#pragma once

/** What the files of the frame loop share. */

#include "frame/frame.h"
#include "planes/scanout.h"

/** Tells whether planes may show more than the composed buffer. */
bool frame_output_uses_planes(const struct frame_output *frame);

/** render.c: draws and commits a frame; false: nothing was shown, the damage is still due. */
bool frame_show(struct frame_output *frame);
/** While a frame is in flight: draws what is composed after it, unless planes are in play. */
void frame_paint_ahead(struct frame_output *frame);
/** Commits what was drawn ahead; false: there was none, or it could not be shown. */
bool frame_show_ahead(struct frame_output *frame);
/** It will never show: all is drawn again. */
void frame_drop_ahead(struct frame_output *frame);
/** The frame in flight has shown: its fence tells when it was drawn, without anybody having waited. */
void frame_measure_gpu(struct frame_output *frame);
void frame_trace(struct frame_output *frame, enum meter_kind kind, int64_t start, int64_t end);

/** debug_overlay.c: there is something to draw for it, with or without damage of the scene. */
bool frame_overlay_is_due(const struct frame_output *frame);
/** The plan is made: adds to the damage what the overlay needs. To be ended, by how the frame went. */
void frame_overlay_begin(struct frame_output *frame, const struct scanout_plan *plan);
void frame_overlay_end(struct frame_output *frame, bool done);
/** Draws it on `damage`, all of which was drawn in this pass; compose_list.overlay. */
void frame_overlay_draw(void *data, struct render_pass *pass, const pixman_region32_t *damage);

/** output_hints.c: what goes with the frame for the surface that fills the output, if one does. */
void output_hints_apply(struct frame_output *frame, struct output_state *state);

/** cpu_composer.c */
void cpu_composer_init(struct frame_output *frame);
/** Sets whether the CPU draws to the output's buffers, too, as of the next swapchain. */
void cpu_composer_set_shared(struct frame_output *frame, bool shared);
/**
 * Who draws `damage` of the next picture into a buffer of that age, 0 if what it holds is not defined: the
 * output's device, or the CPU in its place.
 */
struct render_device *cpu_composer_choose(
	struct frame_output *frame, int age, const pixman_region32_t *damage);
/** The GPU draws from now on. */
void cpu_composer_end(struct frame_output *frame);
/** There are no buffers that both can draw to: until the output is configured again, or the device was lost. */
void cpu_composer_refuse(struct frame_output *frame);

/** target.c: makes the swapchain for the mode, of a format that output and renderer take. */
bool frame_target_ensure(struct frame_output *frame);
/** Its buffers are of another kind than they would be now. */
bool frame_target_is_stale(const struct frame_output *frame);
/** Its buffers are something that it shall do without. */
bool frame_target_gives_up(const struct frame_output *frame, enum frame_economy economy);
/** The output may have found out that it cannot show what the buffers are of: then they go. */
void frame_target_check(struct frame_output *frame);
/** What a buffer of that age has to have drawn: its own frames' damage and this one's. */
void frame_target_damage(struct frame_output *frame, int age, pixman_region32_t *out);
/** The scene's damage was shown. */
void frame_target_push(struct frame_output *frame);
/** What is in the buffers is of no use: the next frames are drawn whole. */
void frame_target_forget(struct frame_output *frame);
/** A buffer of the kind that is composed, to ask the backend with; not to be drawn to. Or NULL. */
struct buffer *frame_target_sample(struct frame_output *frame);
