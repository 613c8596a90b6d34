/* SPDX-License-Identifier: MIT */
/* Quirks of KMS drivers: restrictions that their properties do not show, by the driver's name. */

#include "drm.h"
#include "gpu/gpu.h"
#include "util/log.h"
#include <string.h>

struct quirk {
	const char *driver; /* drm_version.name */
	enum drm_quirk quirk;
};

/* Consequences and reasons, shown to users, in the order of enum drm_quirk. */
static const struct {
	enum drm_quirk quirk;
	const char *text;
} descriptions[] = {
	{DRM_QUIRK_NO_IN_FENCE,
		"frames wait for their fences before the commit (the driver refuses or loses "
		"frames with fences)"},
	{DRM_QUIRK_NO_IMPLICIT,
		"only buffers with explicit modifiers are scanned out (the driver loses others)"},
	{DRM_QUIRK_NO_OVERLAYS,
		"overlay planes are unused (known to fail; [gpu] overlays = yes uses them)"},
	{DRM_QUIRK_NO_CTM, "colour matrices of the driver are unused (unreliable)"},
	{DRM_QUIRK_RGB_RANGE,
		"RGB planes are set to full range (the driver keeps another program's range)"},
	{DRM_QUIRK_CONTENT_MODESET,
		"the content type changes with modesets only (the driver sets a mode for it)"},
	{DRM_QUIRK_CHECK_WAITS, "a thread disables outputs that lost a page flip (the driver's "
				"check waits for it)"},
	{DRM_QUIRK_RESIZES, "the mode follows the size of the host's window"},
};

#define N_DESCRIPTIONS (sizeof(descriptions) / sizeof(descriptions[0]))

/* Each entry names the source that shows it. */
static const struct quirk quirks[] = {
	/*
	 * Before 560, nvidia-drm-crtc.c: plane_req_config_update() returns -1 (EPERM) for any fence
	 * without syncpoints. Since 560, nvidia-drm-modeset.c: __nv_drm_convert_in_fences() can
	 * fail after the state was swapped: the commit succeeds, and its flip event never comes.
	 * KWin sets no IN_FENCE_FD there either (drm_commit.cpp, addBuffer()).
	 */
	{"nvidia-drm", DRM_QUIRK_NO_IN_FENCE},
	/* Smithay pull request 1501: the flip event of such a framebuffer never comes. */
	{"nvidia-drm", DRM_QUIRK_NO_IMPLICIT},
	/* KWin, drm_output.cpp, recommendsOverlayUse(): "Nvidia has more severe issues". */
	{"nvidia-drm", DRM_QUIRK_NO_OVERLAYS},
	/* KWin uses no CTM of CRTCs there either. */
	{"nvidia-drm", DRM_QUIRK_NO_CTM},
	/*
	 * KWin, drm_pipeline.cpp, and aquamarine pull request 335: RGB is washed out after another
	 * program has left a limited range. 595 ignores the range of RGB.
	 */
	{"nvidia-drm", DRM_QUIRK_RGB_RANGE},
	/*
	 * amdgpu_dm.c: a new content_type sets mode_changed. i915 and xe: it does in
	 * intel_digital_connector_atomic_check(), and intel_pipe_config_compare() finds another AVI
	 * infoframe. Without ALLOW_MODESET, the commit fails with EINVAL.
	 */
	{"amdgpu", DRM_QUIRK_CONTENT_MODESET},
	{"i915", DRM_QUIRK_CONTENT_MODESET},
	{"xe", DRM_QUIRK_CONTENT_MODESET},
	/*
	 * amdgpu_dm.c: amdgpu_dm_atomic_check() takes all locks for a modeset, and waits for the
	 * pending commits of all CRTCs (do_aquire_global_lock()), also for a non-blocking one.
	 */
	{"amdgpu", DRM_QUIRK_CHECK_WAITS},
	/*
	 * virtgpu_display.c, virtio_gpu_conn_get_modes(): the size of the host's window is the
	 * preferred mode. It lacks the property hotplug_mode_update of vmwgfx, qxl and vboxvideo.
	 */
	{"virtio_gpu", DRM_QUIRK_RESIZES},
};

const char *drm_card_describe_quirk(const struct drm_card *card, int i)
{
	for (size_t at = 0; at < N_DESCRIPTIONS; at++) {
		if (card->quirks & descriptions[at].quirk && i-- == 0) {
			return descriptions[at].text;
		}
	}
	return NULL;
}

void drm_quirks_read(struct drm_card *card)
{
	drmVersion *version = drmGetVersion(card->fd);
	for (size_t i = 0; version && i < sizeof(quirks) / sizeof(quirks[0]); i++) {
		bool ignored = quirks[i].quirk == DRM_QUIRK_NO_OVERLAYS &&
			       card->backend->overlays == DRM_OVERLAYS_ON;
		if (strcmp(quirks[i].driver, version->name) == 0 && !ignored) {
			card->quirks |= quirks[i].quirk;
		}
	}
	const char *text;
	for (int i = 0; (text = drm_card_describe_quirk(card, i)); i++) {
		log_debug(LOG_BACKEND, "%s: quirk of %s: %s", card->gpu->bus_id,
			version ? version->name : "the driver", text);
	}
	drmFreeVersion(version);
}

bool drm_card_has_quirk(const struct drm_card *card, enum drm_quirk quirk)
{
	return card->quirks & quirk;
}
