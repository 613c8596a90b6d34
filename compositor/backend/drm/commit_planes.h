/* SPDX-License-Identifier: MIT */
#pragma once

/** Planes of KMS commits, for commit.c. */

#include "commit.h"

/** Sets a property, unless the object lacks it. */
static inline void drm_request_set(drmModeAtomicReq *request, uint32_t object,
	const struct drm_property *property, uint64_t value)
{
	if (property->id) {
		drmModeAtomicAddProperty(request, object, property->id, value);
	}
}

/** Sets properties to their default values, as each modeset does: see reset.c. */
void drm_request_add_resets(
	drmModeAtomicReq *request, uint32_t object, const struct drm_resets *resets);
/** Returns the state of a plane that shows a buffer, or NULL. */
const struct plane_state *drm_commit_find_plane(
	const struct output_state *state, const struct plane *plane);
/**
 * Adds all planes of the output, and sets `damages` to the blobs of their damage, which the caller
 * destroys; NULL: the commit has no frame. Returns false if a plane cannot show its state.
 */
bool drm_commit_add_planes(
	const struct drm_commit *commit, drmModeAtomicReq *request, uint32_t *damages);
/** Adds the acquire fence of a plane's buffer, if the plane takes one. */
void drm_commit_add_fence(const struct drm_commit *commit, drmModeAtomicReq *request,
	const struct drm_plane *plane, const struct plane_state *state);
/** Returns whether the request has an acquire fence. */
bool drm_commit_names_fence(const struct drm_commit *commit);
/** Returns whether nothing but the primary plane's buffer changes. */
bool drm_commit_changes_buffer_only(const struct drm_commit *commit);
