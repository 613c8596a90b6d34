/* SPDX-License-Identifier: MIT */
#pragma once

/** CRTCs of outputs: an assignment that lights as many as possible. */

#include "drm.h"

/** Gives the output the CRTC and its planes. Returns false if no primary plane is free. */
bool drm_output_bind(struct drm_output *output, struct drm_crtc *crtc);
/** Returns the output's CRTC, or one that it could have; NULL: none. */
const struct drm_crtc *drm_output_sample_crtc(const struct drm_output *output);
/**
 * Gives a CRTC to each of the disabled outputs that the changes enable, from other disabled ones if
 * necessary. Returns false, with the state unchanged, if there are too few.
 */
bool drm_outputs_take_crtcs(struct drm_card *card, const struct output_change *changes, size_t n);
/** Returns the reason for which the output cannot have a CRTC; NULL: it can. */
const char *drm_output_lacks(const struct drm_output *output);

/** An output whose CRTC changes, with its previous state. */
struct drm_crtc_move {
	struct drm_output *output;
	struct drm_crtc *from, *to, *left; /* `left`: that of the output before */
	bool moved; /* by a change of others: its modeset belongs to the same commit */
};

/** Each CRTC has a previous and a next output. */
#define DRM_CRTC_MOVES_MAX 64

struct drm_crtc_moves {
	struct drm_crtc_move list[DRM_CRTC_MOVES_MAX];
	int n, n_moved;
};

/**
 * Finds CRTCs for the outputs that the changes enable, and lists the moves that they need. Returns
 * false if there are too few.
 */
bool drm_crtcs_find(struct drm_card *card, const struct output_change *changes, size_t n,
	struct drm_crtc_moves *moves);
/** Changes the backend's state only: a commit must follow, or drm_crtcs_undo(). */
void drm_crtcs_apply(const struct drm_crtc_moves *moves);
void drm_crtcs_undo(const struct drm_crtc_moves *moves);
/**
 * Returns outputs whose moves the kernel refused to their CRTCs; those that were to replace them
 * lose the CRTC. Returns false if no output was moving.
 */
bool drm_crtcs_return(struct drm_card *card);
