/* SPDX-License-Identifier: MIT */
/* Colour blobs: gamma tables and colour matrices, from callers' arrays to the kernel's formats. */

#include "commit.h"
#include "util/xalloc.h"
#include <math.h>
#include <stdlib.h>

/* Larger tables have no use: 16-bit values have only so many levels. */
#define CURVE_SIZE_MAX 65536

uint32_t drm_gamma_size(const struct drm_crtc *crtc)
{
	uint64_t size = crtc->properties[CRTC_GAMMA_LUT_SIZE].value;
	return crtc->properties[CRTC_GAMMA_LUT].id && size <= CURVE_SIZE_MAX ? (uint32_t)size : 0;
}

static bool make_gamma(struct drm_output *output, const uint16_t *ramps, uint32_t *blob)
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

/* Converts to sign and magnitude, with 32 fractional bits (struct drm_color_ctm). */
static uint64_t to_fixed(double number)
{
	uint64_t magnitude = (uint64_t)llround(fabs(number) * 4294967296.0);
	return number < 0 ? magnitude | UINT64_C(1) << 63 : magnitude;
}

static bool make_matrix(struct drm_output *output, const double matrix[9], uint32_t *blob)
{
	struct drm_color_ctm table;
	for (int i = 0; i < 9; i++) {
		table.matrix[i] = to_fixed(matrix[i]);
	}
	return drmModeCreatePropertyBlob(output->card->fd, &table, sizeof(table), blob) == 0;
}

bool drm_commit_make_colors(struct drm_commit *commit)
{
	struct drm_output *output = commit->output;
	const struct output_state *state = commit->state;
	commit->gamma = state->fields & OUTPUT_GAMMA;
	commit->matrix = state->fields & OUTPUT_COLOR_MATRIX;
	return (!commit->gamma || !state->gamma ||
		       make_gamma(output, state->gamma, &commit->gamma_blob)) &&
	       (!commit->matrix || !state->color_matrix ||
		       make_matrix(output, state->color_matrix, &commit->matrix_blob));
}

bool drm_commit_omit_colors(struct drm_commit *commit)
{
	const struct drm_output *output = commit->output;
	bool sent = commit->modeset || !drm_card_holds_connectors(output->card);
	bool gamma = sent && !commit->gamma && output->stale & OUTPUT_GAMMA && output->gamma_blob;
	bool matrix = sent && !commit->matrix && output->stale & OUTPUT_COLOR_MATRIX &&
		      output->matrix_blob;
	commit->gamma |= gamma;
	commit->matrix |= matrix;
	return gamma || matrix;
}
