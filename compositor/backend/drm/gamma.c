/* Gamma tables: as clients give them, and as CRTCs take them. */

#include "drm.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

/* Numbers of 16 bits tell no more entries apart. */
#define MAX_SIZE 65536

uint32_t drm_gamma_size(const struct drm_crtc *crtc)
{
	uint64_t size = crtc->properties[CRTC_GAMMA_LUT_SIZE].value;
	return crtc->properties[CRTC_GAMMA_LUT].id && size <= MAX_SIZE ? (uint32_t)size : 0;
}

bool drm_gamma_blob(struct drm_output *output, const uint16_t *ramps, uint32_t *blob)
{
	size_t size = output->base.gamma_size;
	struct drm_color_lut *table = xcalloc(size, sizeof(*table));
	for (size_t i = 0; i < size; i++) {
		table[i].red = ramps[i];
		table[i].green = ramps[size + i];
		table[i].blue = ramps[2 * size + i];
	}
	int error = drmModeCreatePropertyBlob(output->card->fd, table, size * sizeof(*table), blob);
	free(table);
	return error == 0;
}

bool drm_gamma_commit(struct drm_commit *commit)
{
	struct drm_output *output = commit->output;
	if (commit->gamma_blob && output->base.enabled && !output->base.asleep) {
		int error = drm_commit_run(commit, DRM_MODE_ATOMIC_TEST_ONLY, 0);
		if (error < 0) {
			log_warn("%s: it does not take a gamma table: %s", output->base.name,
				strerror(-error));
			return false;
		}
	}
	output->gamma_stale = true;
	return true;
}
