/* SPDX-License-Identifier: MIT */
/* Modes as the kernel has them: from the connector's list, or computed by the CVT standard. */

#include "drm.h"
#include <libdisplay-info/cvt.h>
#include <math.h>
#include <stdio.h>

int32_t drm_mode_refresh(const drmModeModeInfo *mode)
{
	int64_t total = (int64_t)mode->htotal * mode->vtotal;
	if (total == 0) {
		return (int32_t)mode->vrefresh * 1000;
	}
	int64_t refresh = ((int64_t)mode->clock * 1000000 + total / 2) / total;
	if (mode->flags & DRM_MODE_FLAG_INTERLACE) {
		refresh *= 2;
	}
	if (mode->flags & DRM_MODE_FLAG_DBLSCAN) {
		refresh /= 2;
	}
	if (mode->vscan > 1) {
		refresh /= mode->vscan;
	}
	return (int32_t)refresh;
}

/*
 * Computes CVT with reduced blanking, version 1: accepted by digital screens, and needs the least
 * bandwidth.
 */
static void compute(const struct output_mode *mode, drmModeModeInfo *out)
{
	const struct di_cvt_options options = {
		.red_blank_ver = DI_CVT_REDUCED_BLANKING_V1,
		.h_pixels = mode->width,
		.v_lines = mode->height,
		.ip_freq_rqd = mode->refresh / 1000.0,
	};
	struct di_cvt_timing timing;
	di_cvt_compute(&timing, &options);
	int h_start = mode->width + (int)timing.h_front_porch;
	int h_end = h_start + (int)timing.h_sync;
	int h_total = h_end + (int)timing.h_back_porch;
	int v_start = mode->height + (int)timing.v_front_porch;
	int v_end = v_start + (int)timing.v_sync;
	int v_total = v_end + (int)timing.v_back_porch;
	/* The standard rounds sizes and clocks down to steps, which the kernel does not need. */
	*out = (drmModeModeInfo){
		.clock = (uint32_t)lround((double)h_total * v_total * mode->refresh / 1e6),
		.hdisplay = (uint16_t)mode->width,
		.hsync_start = (uint16_t)h_start,
		.hsync_end = (uint16_t)h_end,
		.htotal = (uint16_t)h_total,
		.vdisplay = (uint16_t)mode->height,
		.vsync_start = (uint16_t)v_start,
		.vsync_end = (uint16_t)v_end,
		.vtotal = (uint16_t)v_total,
		.vrefresh = (uint32_t)lround(mode->refresh / 1000.0),
		.flags = DRM_MODE_FLAG_PHSYNC | DRM_MODE_FLAG_NVSYNC,
		.type = DRM_MODE_TYPE_USERDEF,
	};
	snprintf(out->name, sizeof(out->name), "%dx%d", mode->width, mode->height);
}

/* Finds the mode in the connector's list. One without an identity prefers progressive modes. */
static const drmModeModeInfo *find_listed(
	const struct drm_output *output, const struct output_mode *mode)
{
	const drmModeModeInfo *found = NULL;
	for (size_t i = 0; i < output->base.n_modes; i++) {
		const struct output_mode *have = &output->base.modes[i];
		struct output_mode wanted = *mode;
		wanted.timing = mode->timing ? mode->timing : have->timing;
		if (output_mode_equal(have, &wanted) && (!found || !have->interlaced)) {
			found = &output->modes[i];
			if (!have->interlaced) {
				break;
			}
		}
	}
	return found;
}

/* The kernel's timings have 16 bits, including blanking. */
#define SIDE_MAX 16384

bool drm_mode_find(
	const struct drm_output *output, const struct output_mode *mode, drmModeModeInfo *out)
{
	const drmModeModeInfo *listed = find_listed(output, mode);
	if (listed) {
		*out = *listed;
		return true;
	}
	const struct drm_limits *limits = &output->limits;
	/* EDIDs round their limits to whole Hz. */
	if (mode->width > SIDE_MAX || mode->height > SIDE_MAX || mode->refresh < 1000 ||
		mode->refresh > 1000000 ||
		(limits->max_hz && mode->refresh > limits->max_hz * 1000 + 500) ||
		(limits->min_hz && mode->refresh < limits->min_hz * 1000 - 500)) {
		return false;
	}
	compute(mode, out);
	return limits->max_clock == 0 || (int64_t)out->clock * 1000 <= limits->max_clock;
}
