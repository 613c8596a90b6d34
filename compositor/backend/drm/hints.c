/* SPDX-License-Identifier: MIT */
/*
 * Content type and variable refresh rate in commits. A modeset that the driver refuses with them is
 * made without: the frames after it request them again.
 */

#include "commit_planes.h"
#include <errno.h>

static void add_content(const struct drm_commit *commit, drmModeAtomicReq *request)
{
	static const uint64_t values[] = {
		[OUTPUT_CONTENT_NONE] = DRM_MODE_CONTENT_TYPE_NO_DATA,
		[OUTPUT_CONTENT_PHOTO] = DRM_MODE_CONTENT_TYPE_PHOTO,
		[OUTPUT_CONTENT_VIDEO] = DRM_MODE_CONTENT_TYPE_CINEMA,
		[OUTPUT_CONTENT_GAME] = DRM_MODE_CONTENT_TYPE_GAME,
	};
	const struct drm_output *output = commit->output;
	enum output_content content = commit->state->fields & OUTPUT_CONTENT
					      ? commit->state->content
					      : output->base.content;
	drm_request_set(request, output->connector, &output->properties[CONNECTOR_CONTENT_TYPE],
		values[commit->plain ? OUTPUT_CONTENT_NONE : content]);
}

void drm_commit_add_hints(
	const struct drm_commit *commit, uint32_t fields, drmModeAtomicReq *request)
{
	const struct drm_output *output = commit->output;
	const struct output_state *state = commit->state;
	const bool modesets = drm_card_has_quirk(output->card, DRM_QUIRK_CONTENT_MODESET);
	if (commit->modeset || (fields & OUTPUT_CONTENT && !modesets)) {
		add_content(commit, request);
	}
	if (commit->modeset || fields & OUTPUT_ADAPTIVE_SYNC) {
		const bool on = state->fields & OUTPUT_ADAPTIVE_SYNC ? state->adaptive_sync
								     : output->base.adaptive_sync;
		drm_request_set(request, output->crtc->id,
			&output->crtc->properties[CRTC_VRR_ENABLED], on && !commit->plain);
	}
}

/* Returns whether a modeset has hints of earlier frames. */
static bool has_hints(const struct drm_commit *commit)
{
	const struct output *base = &commit->output->base;
	const uint32_t named = commit->state->fields & (OUTPUT_ADAPTIVE_SYNC | OUTPUT_CONTENT);
	return commit->modeset && commit->enabled && !commit->plain && named == 0 &&
	       (base->adaptive_sync || base->content != OUTPUT_CONTENT_NONE);
}

bool drm_commits_omit_hints(struct drm_commit *commits, size_t n, int error)
{
	bool any = false;
	if (error == 0 || error == -EBUSY || error == -EACCES || error == -EPERM ||
		error == -ENODEV) {
		return false; /* not because of their state */
	}
	for (size_t i = 0; i < n; i++) {
		if (has_hints(&commits[i])) {
			commits[i].plain = any = true;
		}
	}
	return any;
}

void drm_commit_forget_hints(const struct drm_commit *commit)
{
	if (commit->plain) {
		commit->output->base.adaptive_sync = false;
		commit->output->base.content = OUTPUT_CONTENT_NONE;
	}
}
