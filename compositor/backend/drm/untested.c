/* SPDX-License-Identifier: MIT */
/* Modesets that no test preceded: the mode that the kernel has until it accepts another. */

#include "commit.h"
#include <string.h>

void drm_modeset_forget_untested(struct drm_output *output)
{
	if (output->untested.mode_blob) {
		drmModeDestroyPropertyBlob(output->card->fd, output->untested.mode_blob);
	}
	memset(&output->untested, 0, sizeof(output->untested));
}

void drm_modeset_note_untested(const struct drm_commit *commit)
{
	struct drm_output *output = commit->output;
	if (!output->card->probe || drm_card_is_recovering(output->card) || !output->active ||
		!output->base.enabled) {
		return;
	}
	if (output->due) {
		/* A request after one that may be refused as well, and had no mode. */
		if (output->untested.valid && !output->untested.mode_blob && commit->mode_blob) {
			output->untested.mode_blob = output->mode_blob;
			output->mode_blob = 0;
		}
		return;
	}
	drm_modeset_forget_untested(output);
	output->untested.valid = true;
	output->untested.mode = output->base.mode;
	output->untested.bit_depth = output->base.bit_depth;
	output->untested.refresh = output->refresh;
	if (commit->mode_blob) {
		output->untested.mode_blob = output->mode_blob;
		output->mode_blob = 0; /* spared by drm_commit_keep() */
	}
}
