/* SPDX-License-Identifier: MIT */
/* Colour blobs: gamma tables and colour matrices, from callers' arrays to the kernel's formats. */

#include "drm.h"
#include "util/xalloc.h"
#include <math.h>
#include <stdlib.h>

/* Larger tables have no use: 16-bit values have only so many levels. */
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

/* Converts to sign and magnitude, with 32 fractional bits (struct drm_color_ctm). */
static uint64_t to_fixed(double number)
{
	uint64_t magnitude = (uint64_t)llround(fabs(number) * 4294967296.0);
	return number < 0 ? magnitude | UINT64_C(1) << 63 : magnitude;
}

bool drm_matrix_blob(struct drm_output *output, const double matrix[9], uint32_t *blob)
{
	struct drm_color_ctm table;
	for (int i = 0; i < 9; i++) {
		table.matrix[i] = to_fixed(matrix[i]);
	}
	return drmModeCreatePropertyBlob(output->card->fd, &table, sizeof(table), blob) == 0;
}
