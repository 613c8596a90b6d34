/* SPDX-License-Identifier: MIT */
/*
 * Properties that another DRM master may have left, such as HDR metadata: they survive a switch of
 * virtual terminals, and the kernel's console restores none of them. Drivers set a mode when one of
 * a connector changes (amdgpu_dm_connector_atomic_check(), intel_digital_connector_atomic_check()),
 * so that each modeset resets them.
 */

#include "drm.h"
#include <string.h>

/* 1.0 of multipliers (AMDGPU_HDR_MULT_DEFAULT, NV_DRM_S31_32_ONE). */
#define ONE (UINT64_C(1) << 32)
/* Opaque black: __drm_atomic_helper_crtc_state_init(). */
#define BLACK UINT64_C(0xffff000000000000)

struct reset {
	uint32_t type; /* DRM_MODE_OBJECT_* */
	const char *name;
	/** Name of the default value, and another one for drivers without it; NULL: `number`. */
	const char *value, *other;
	uint64_t number;
};

/* The settable properties of drm_atomic_uapi.c in Linux 7.x that commits do not name otherwise. */
static const struct reset resets[] = {
	{DRM_MODE_OBJECT_CONNECTOR, "HDR_OUTPUT_METADATA", NULL, NULL, 0},
	{DRM_MODE_OBJECT_CONNECTOR, "Colorspace", "Default", NULL, 0},
	{DRM_MODE_OBJECT_CONNECTOR, "Broadcast RGB", "Automatic", NULL, 0},
	{DRM_MODE_OBJECT_CONNECTOR, "underscan", "off", NULL, 0},
	{DRM_MODE_OBJECT_CONNECTOR, "aspect ratio", "Automatic", NULL, 0},
	{DRM_MODE_OBJECT_CONNECTOR, "Content Protection", "Undesired", NULL, 0},
	{DRM_MODE_OBJECT_CONNECTOR, "HDCP Content Type", "HDCP Type0", NULL, 0},
	{DRM_MODE_OBJECT_CRTC, "DEGAMMA_LUT", NULL, NULL, 0},
	{DRM_MODE_OBJECT_CRTC, "BACKGROUND_COLOR", NULL, NULL, BLACK},
	{DRM_MODE_OBJECT_CRTC, "SCALING_FILTER", "Default", NULL, 0},
	{DRM_MODE_OBJECT_CRTC, "SHARPNESS_STRENGTH", NULL, NULL, 0},
	{DRM_MODE_OBJECT_PLANE, "SCALING_FILTER", "Default", NULL, 0},
};
/* The timing of a screen is set as requested; a panel has one timing only. */
static const struct reset scaling_of_screen = {
	DRM_MODE_OBJECT_CONNECTOR, "scaling mode", "None", "Full aspect", 0};
static const struct reset scaling_of_panel = {
	DRM_MODE_OBJECT_CONNECTOR, "scaling mode", "Full aspect", "None", 0};

/*
 * Colour properties of one driver: tables, enumerations whose default is 0, and multipliers. amdgpu
 * has them with AMD_PRIVATE_COLOR (SteamOS), and gamescope sets them.
 */
static const char *const colors[] = {
	"AMD_CRTC_", "AMD_PLANE_", "NV_CRTC_", "NV_HDR_", "NV_INPUT_", "NV_PLANE_"};

static bool find_value(const drmModePropertyRes *property, const char *name, uint64_t *value)
{
	for (int i = 0; name && i < property->count_enums; i++) {
		if (strcmp(property->enums[i].name, name) == 0) {
			*value = property->enums[i].value;
			return true;
		}
	}
	return false;
}

static void add(const drmModePropertyRes *property, uint64_t value, struct drm_resets *out)
{
	if (out->n < DRM_RESETS_MAX) {
		out->list[out->n++] =
			(struct drm_property){.id = property->prop_id, .value = value};
	}
}

static void add_if(const drmModePropertyRes *property, uint32_t type, const struct reset *reset,
	struct drm_resets *out)
{
	uint64_t value = reset->number;
	if (reset->type == type && strcmp(property->name, reset->name) == 0 &&
		(!reset->value || find_value(property, reset->value, &value) ||
			find_value(property, reset->other, &value))) {
		add(property, value, out);
	}
}

static void add_color(const drmModePropertyRes *property, struct drm_resets *out)
{
	bool range = property->flags & DRM_MODE_PROP_RANGE;
	for (size_t i = 0; i < sizeof(colors) / sizeof(colors[0]); i++) {
		if (strncmp(property->name, colors[i], strlen(colors[i])) == 0) {
			add(property, range ? ONE : 0, out);
		}
	}
}

void drm_read_resets(int fd, uint32_t id, uint32_t type, bool panel, struct drm_resets *out)
{
	out->n = 0;
	drmModeObjectProperties *table = drmModeObjectGetProperties(fd, id, type);
	for (uint32_t i = 0; table && i < table->count_props; i++) {
		drmModePropertyRes *property = drmModeGetProperty(fd, table->props[i]);
		if (property && !(property->flags & DRM_MODE_PROP_IMMUTABLE)) {
			for (size_t j = 0; j < sizeof(resets) / sizeof(resets[0]); j++) {
				add_if(property, type, &resets[j], out);
			}
			add_if(property, type, panel ? &scaling_of_panel : &scaling_of_screen, out);
			add_color(property, out);
		}
		drmModeFreeProperty(property);
	}
	drmModeFreeObjectProperties(table);
}
