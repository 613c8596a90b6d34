/* SPDX-License-Identifier: MIT */
/*
 * Checks of planes in atomic requests: framebuffers, source boxes, fences and limits of the driver.
 */

#include "atomic.h"
#include <drm_fourcc.h>
#include <errno.h>

static bool is_turned(uint64_t rotation)
{
	return rotation & (DRM_MODE_ROTATE_90 | DRM_MODE_ROTATE_270);
}

static bool takes(const struct fake_plane_kind *kind, const struct fake_framebuffer *framebuffer)
{
	bool found = false;

	for (int i = 0; kind->formats[i]; i++) {
		found |= kind->formats[i] == framebuffer->format;
	}
	if (!found || !kind->modifiers) {
		return found && framebuffer->modifier == DRM_FORMAT_MOD_LINEAR;
	}
	for (int i = 0; kind->modifiers[i] != DRM_FORMAT_MOD_INVALID; i++) {
		if (kind->modifiers[i] == framebuffer->modifier) {
			return true;
		}
	}
	return false;
}

static void describe(struct request *request, const struct fake_object *plane,
	const struct fake_framebuffer *framebuffer, struct fake_scan *scan)
{
	const struct fake_object *crtc = at(request, value(plane, "CRTC_ID"));

	*scan = (struct fake_scan){
		.plane = plane->name,
		.crtc = crtc->name,
		.format = framebuffer->format,
		.modifier = framebuffer->modifier,
		.width = (int)(value(plane, "SRC_W") >> 16),
		.height = (int)(value(plane, "SRC_H") >> 16),
		.crtc_width = (int)value(plane, "CRTC_W"),
		.crtc_height = (int)value(plane, "CRTC_H"),
		.test = request->ioctl->flags & DRM_MODE_ATOMIC_TEST_ONLY,
	};
}

/*
 * Haswell and later: intel_cursor.c, i9xx_cursor_size_ok() and i9xx_check_cursor(). Only cursors
 * that are not turned may be lower than wide.
 */
static bool is_intel_cursor(
	const struct fake_scan *scan, uint64_t rotation, const struct fake_framebuffer *framebuffer)
{
	int width = scan->crtc_width, height = scan->crtc_height;
	bool low = rotation & DRM_MODE_ROTATE_0 ? height >= 8 && height <= width : height == width;

	return (width == 64 || width == 128 || width == 256) && low &&
	       framebuffer->pitch == (uint32_t)width * 4;
}

/* Checks the plane's frame buffer against the limits of the driver. */
static int check_limits(struct request *request, const struct fake_object *plane,
	const struct fake_framebuffer *framebuffer)
{
	const struct fake_plane_kind *kind = plane->plane;
	struct fake_scan scan;
	int width, height;

	describe(request, plane, framebuffer, &scan);
	width = is_turned(value(plane, "rotation")) ? scan.height : scan.width;
	height = is_turned(value(plane, "rotation")) ? scan.width : scan.height;
	if (!kind->scales && (width != scan.crtc_width || height != scan.crtc_height)) {
		return -EINVAL;
	}
	if (kind->max_side &&
		(scan.crtc_width > kind->max_side || scan.crtc_height > kind->max_side)) {
		return -EINVAL;
	}
	if (kind->intel_cursor && !is_intel_cursor(&scan, value(plane, "rotation"), framebuffer)) {
		return -EINVAL;
	}
	if (!takes(kind, framebuffer)) {
		return -EINVAL;
	}
	return request->card->judge && !request->card->judge(request->card->judge_data, &scan)
		       ? -EINVAL
		       : 0;
}

/*
 * Returns true if a visible plane leaves a part of the CRTC to no plane, which most drivers accept:
 * drm_atomic_helper_check_plane_state() without can_position.
 */
static bool leaves_gap(struct request *request, const struct fake_object *plane)
{
	const struct fake_object *crtc = at(request, value(plane, "CRTC_ID"));
	const struct fake_blob *blob =
		fake_blob_find(request->card, (uint32_t)value(crtc, "MODE_ID"));
	const struct drm_mode_modeinfo *mode = blob ? blob->data : NULL;
	const int64_t x1 = (int32_t)value(plane, "CRTC_X"), y1 = (int32_t)value(plane, "CRTC_Y");
	const int64_t x2 = x1 + (int64_t)value(plane, "CRTC_W");
	const int64_t y2 = y1 + (int64_t)value(plane, "CRTC_H");

	if (!mode || x1 >= mode->hdisplay || y1 >= mode->vdisplay || x2 <= 0 || y2 <= 0) {
		return false;
	}
	return x1 > 0 || y1 > 0 || x2 < mode->hdisplay || y2 < mode->vdisplay;
}

/*
 * nvidia-drm before 560 returns -1, which is EPERM, for any fence, from the atomic check:
 * plane_req_config_update() in nvidia-drm-crtc.c.
 */
static int check_fence(const struct request *request, const struct fake_object *plane)
{
	int fence = (int)(int64_t)value(plane, "IN_FENCE_FD");

	if (fence < 0) {
		return 0;
	}
	return !fake_fence_find(fence) ? -EINVAL : request->card->no_in_fence ? -EPERM : 0;
}

int fake_plane_check(struct request *request, const struct fake_object *plane)
{
	const struct fake_framebuffer *framebuffer =
		fake_framebuffer_find(request->card, (uint32_t)value(plane, "FB_ID"));
	const struct fake_object *crtc = at(request, value(plane, "CRTC_ID"));

	int error = check_fence(request, plane);

	if (!framebuffer != !crtc || error < 0) {
		return error < 0 ? error : -EINVAL;
	}
	if (!framebuffer) {
		return 0;
	}
	uint64_t before = value(&request->card->objects[plane - request->objects], "CRTC_ID");

	/* plane_switching_crtc() in drm_atomic.c */
	if (!(plane->possible_crtcs & 1u << crtc->index) || (before && before != crtc->id)) {
		return -EINVAL;
	}
	if (value(plane, "SRC_X") + value(plane, "SRC_W") > (uint64_t)framebuffer->width << 16 ||
		value(plane, "SRC_Y") + value(plane, "SRC_H") > (uint64_t)framebuffer->height
									<< 16) {
		return -ENOSPC;
	}
	if (plane->plane->covers && leaves_gap(request, plane)) {
		return -EINVAL;
	}
	return check_limits(request, plane, framebuffer);
}
