/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Stages between a client's commit and its presentation: one list for the scheduler, `watch` and
 * `trace`.
 */

enum frame_stage {
	/* The work of a frame, in order, as the scheduler predicts it. */
	STAGE_COPY, /* copies between GPUs that the frame waits for */
	STAGE_UPLOAD, /* client memory to textures */
	STAGE_RENDER, /* the CPU's part of the pass */
	/** The GPU was busy with other work, if that is known separately from the next. */
	STAGE_QUEUE,
	STAGE_GPU, /* drawing; or everything from submission to the pass's fence */
	STAGE_SUBMIT, /* submission to the output */
	STAGE_COUNT, /* of the frame's work */

	/* Around it, in traces only. */
	STAGE_FLIP = STAGE_COUNT, /* from submission to presentation */
	STAGE_PRESENTED, /* an instant */
	STAGE_SURFACE_COMMIT, /* wl_surface.commit, an instant */
	STAGE_SURFACE_WAIT, /* from wl_surface.commit until the update's blockers are clear */
};

/** Returns the name of a stage for reports: "copy", "upload"... Static. */
const char *frame_stage_name(enum frame_stage stage);
