/* SPDX-License-Identifier: MIT */
/* KMS property tables: IDs and values by name, read once per object. */

#include "drm.h"
#include <string.h>

static const char *const connector_names[CONNECTOR_N_PROPERTIES] = {
	[CONNECTOR_CONTENT_TYPE] = "content type",
	[CONNECTOR_CRTC_ID] = "CRTC_ID",
	[CONNECTOR_EDID] = "EDID",
	[CONNECTOR_HOTPLUG_MODE_UPDATE] = "hotplug_mode_update",
	[CONNECTOR_LINK_STATUS] = "link-status",
	[CONNECTOR_MAX_BPC] = "max bpc",
	[CONNECTOR_NON_DESKTOP] = "non-desktop",
	[CONNECTOR_VRR_CAPABLE] = "vrr_capable",
};

static const char *const crtc_names[CRTC_N_PROPERTIES] = {
	[CRTC_ACTIVE] = "ACTIVE",
	[CRTC_CTM] = "CTM",
	[CRTC_GAMMA_LUT] = "GAMMA_LUT",
	[CRTC_GAMMA_LUT_SIZE] = "GAMMA_LUT_SIZE",
	[CRTC_MODE_ID] = "MODE_ID",
	[CRTC_OUT_FENCE_PTR] = "OUT_FENCE_PTR",
	[CRTC_VRR_ENABLED] = "VRR_ENABLED",
};

static const char *const plane_names[PLANE_N_PROPERTIES] = {
	[PLANE_ALPHA] = "alpha",
	[PLANE_BLEND_MODE] = "pixel blend mode",
	[PLANE_COLOR_ENCODING] = "COLOR_ENCODING",
	[PLANE_COLOR_PIPELINE] = "COLOR_PIPELINE",
	[PLANE_COLOR_RANGE] = "COLOR_RANGE",
	[PLANE_CRTC_H] = "CRTC_H",
	[PLANE_CRTC_ID] = "CRTC_ID",
	[PLANE_CRTC_W] = "CRTC_W",
	[PLANE_CRTC_X] = "CRTC_X",
	[PLANE_CRTC_Y] = "CRTC_Y",
	[PLANE_FB_DAMAGE_CLIPS] = "FB_DAMAGE_CLIPS",
	[PLANE_FB_ID] = "FB_ID",
	[PLANE_HOTSPOT_X] = "HOTSPOT_X",
	[PLANE_HOTSPOT_Y] = "HOTSPOT_Y",
	[PLANE_IN_FENCE_FD] = "IN_FENCE_FD",
	[PLANE_IN_FORMATS] = "IN_FORMATS",
	[PLANE_ROTATION] = "rotation",
	[PLANE_SIZE_HINTS] = "SIZE_HINTS",
	[PLANE_SRC_H] = "SRC_H",
	[PLANE_SRC_W] = "SRC_W",
	[PLANE_SRC_X] = "SRC_X",
	[PLANE_SRC_Y] = "SRC_Y",
	[PLANE_TYPE] = "type",
	[PLANE_ZPOS] = "zpos",
};

static void read_table(int fd, uint32_t id, uint32_t type, const char *const *names, int n,
	struct drm_property *out)
{
	memset(out, 0, (size_t)n * sizeof(*out));
	drmModeObjectProperties *table = drmModeObjectGetProperties(fd, id, type);
	for (uint32_t i = 0; table && i < table->count_props; i++) {
		drmModePropertyRes *property = drmModeGetProperty(fd, table->props[i]);
		for (int j = 0; property && j < n; j++) {
			if (strcmp(property->name, names[j]) == 0) {
				out[j].id = property->prop_id;
				out[j].value = table->prop_values[i];
			}
		}
		drmModeFreeProperty(property);
	}
	drmModeFreeObjectProperties(table);
}

void drm_read_connector(int fd, uint32_t id, struct drm_property *properties)
{
	read_table(fd, id, DRM_MODE_OBJECT_CONNECTOR, connector_names, CONNECTOR_N_PROPERTIES,
		properties);
}

void drm_read_crtc(int fd, uint32_t id, struct drm_property *properties)
{
	read_table(fd, id, DRM_MODE_OBJECT_CRTC, crtc_names, CRTC_N_PROPERTIES, properties);
}

void drm_read_plane(int fd, uint32_t id, struct drm_property *properties)
{
	read_table(fd, id, DRM_MODE_OBJECT_PLANE, plane_names, PLANE_N_PROPERTIES, properties);
}
