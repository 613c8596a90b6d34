/* SPDX-License-Identifier: MIT */
#pragma once

/** Commits of the KMS backend: output states as properties, modesets and page flips. */

#include "drm.h"

#define DRM_COLORS (OUTPUT_GAMMA | OUTPUT_COLOR_MATRIX)
/**
 * Changes without a modeset. They go with the next frame: commits with planes never block. While a
 * thread holds the lock of all connectors, frames go without them.
 */
#define DRM_WITH_FRAME (DRM_COLORS | OUTPUT_ADAPTIVE_SYNC | OUTPUT_CONTENT)

/** commit.c: a change of an output. */
struct drm_commit {
	struct drm_output *output;
	const struct output_state *state;
	bool modeset; /* false: only planes and DRM_WITH_FRAME */
	bool plain; /* a modeset without the hints of earlier frames, with which it was refused */
	bool enabled; /* afterwards */
	struct output_mode mode; /* afterwards */
	int32_t bit_depth; /* afterwards; 0: the driver's default */
	uint32_t mode_blob; /* created for this commit; 0: unchanged */
	int32_t refresh; /* of mode_blob, mHz */
	bool gamma, matrix; /* changes to the blob below; 0: none */
	uint32_t gamma_blob, matrix_blob;
	struct drm_blank blank; /* created for this commit; empty: the output's is used */
	int32_t *out_fence; /* the kernel stores a fence of its completion; NULL: not requested */
};

/** Returns false if the output cannot show `state`. Call drm_commit_finish() in any case. */
bool drm_commit_init(
	struct drm_commit *commit, struct drm_output *output, const struct output_state *state);
/** Moves the commit's blobs to the output; `done`: the kernel accepted it. */
void drm_commit_keep(struct drm_commit *commit, bool done);
void drm_commit_finish(struct drm_commit *commit);
/**
 * Commits states of one card in one request. `flags` as for drmModeAtomicCommit(). Returns 0;
 * -EAGAIN if the driver turned out to refuse IN_FENCE_FD, and a fence must be waited for before the
 * commit; or another negative errno.
 */
int drm_commits_run(struct drm_commit *commits, size_t n, uint32_t flags, uint32_t serial);
/**
 * Commits a frame as an async flip. Returns -EINVAL if more than the primary plane's buffer
 * changes: the kernel allows no more.
 */
int drm_commit_run_async(struct drm_commit *commit, uint32_t flags, uint32_t serial);
/** Returns a request that disables the output, for the caller to free; NULL: out of memory. */
drmModeAtomicReq *drm_output_make_off(struct drm_output *output);
/** Returns true if a test or commit would wait for the locks of a recovery or a probe. */
bool drm_commit_is_blocked(const struct drm_commit *commit);

/** hints.c */
/** Adds content type and variable refresh rate: all to a modeset, otherwise those in `fields`. */
void drm_commit_add_hints(
	const struct drm_commit *commit, uint32_t fields, drmModeAtomicReq *request);
/**
 * Makes modesets plain that were refused with `error`. Returns true if there are any: try again.
 */
bool drm_commits_omit_hints(struct drm_commit *commits, size_t n, int error);
/** Notes that the kernel has accepted a plain modeset. */
void drm_commit_forget_hints(const struct drm_commit *commit);

/** color.c */
/** Creates the blobs of the commit's state. Returns false if the kernel is out of memory. */
bool drm_commit_make_colors(struct drm_commit *commit);
/**
 * Replaces colours that earlier commits have left to this one with none. Returns false if there are
 * no such colours in it.
 */
bool drm_commit_omit_colors(struct drm_commit *commit);

/** busy.c */
/**
 * Calls `ask` to commit a modeset: with DRM_MODE_ATOMIC_NONBLOCK unless `wait`, or if the driver
 * supports only blocking modesets, which is detected once by a second try. Returns the result of
 * `ask`.
 */
int drm_card_run_modeset(
	struct drm_card *card, bool wait, int (*ask)(void *data, uint32_t flags), void *data);

/** untested.c: modesets without a test. */
/**
 * Notes the mode that the output keeps if its modeset is refused after a probe, which holds the
 * locks that a test needs. Call before the commit is kept.
 */
void drm_modeset_note_untested(const struct drm_commit *commit);
/** Forgets that mode. */
void drm_modeset_forget_untested(struct drm_output *output);

/** modeset.c */
/**
 * Commits changes without frames to outputs of one card; reorders `commits` and takes their blobs.
 * Changes in DRM_WITH_FRAME are left to the next frame, which is requested. Returns false, with the
 * state unchanged, if the driver refuses them.
 */
bool drm_modesets_start(struct drm_commit *commits, size_t n);
/**
 * Tests commits of one card, except during a recovery or a probe. Returns 0 or a negative errno.
 */
int drm_modesets_test(struct drm_commit *commits, size_t n);

/** page_flip.c: the commit in flight, and the frame held back until its fences signal. */
/**
 * Commits a frame, or modesets of one card, with a completion event for each. Returns 0, -EBUSY
 * while an earlier commit is in flight, -EAGAIN as drm_commits_run(), or another negative errno.
 * Does not keep the commits.
 */
int drm_commits_submit(struct drm_commit *commits, size_t n);
/**
 * Commits a frame now, or holds it. Takes the blobs of `commit`. Returns false if the driver
 * refuses it.
 */
bool drm_page_flip_start(struct drm_output *output, struct drm_commit *commit, uint32_t number);
/**
 * Returns whether the error (negative errno) has nothing to do with the state of the commit: the
 * kernel lacks something for a while, or another program has the card.
 */
bool drm_refusal_may_pass(int error);
/** Returns the time, ns, for the kernel to complete a frame: longer after lost ones. */
int64_t drm_flip_timeout(const struct drm_output *output);
/** Commits the held frame if its fences have signalled and the kernel can take it. */
void drm_page_flip_proceed(struct drm_output *output);
/**
 * Drops the held frame and ignores the event of the commit in flight; emits `present` for the frame
 * as dropped.
 */
void drm_page_flip_drop(struct drm_output *output);
/** Handles the completion event of a commit. */
void drm_output_handle_flip(
	struct drm_output *output, uint32_t serial, uint32_t sequence, int64_t when);
