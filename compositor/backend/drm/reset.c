/* SPDX-License-Identifier: MIT */
/*
 * Connector properties that another DRM master may have left, such as HDR metadata: they survive a
 * switch of virtual terminals, and the kernel's console restores none of them. Drivers set a mode
 * when one changes (amdgpu_dm_connector_atomic_check(), intel_digital_connector_atomic_check()), so
 * that each modeset resets them.
 */

#include "drm.h"
#include <string.h>

struct reset {
	const char *name;
	/** Name of the default value, and another one for drivers without it; NULL: no blob. */
	const char *value, *other;
};

static const struct reset resets[] = {
	{"HDR_OUTPUT_METADATA", NULL, NULL},
	{"Colorspace", "Default", NULL},
	{"Broadcast RGB", "Automatic", NULL},
	{"underscan", "off", NULL},
};
/* The timing of a screen is set as requested; a panel has one timing only. */
static const struct reset scaling_of_screen = {"scaling mode", "None", "Full aspect"};
static const struct reset scaling_of_panel = {"scaling mode", "Full aspect", "None"};

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

static void add(
	struct drm_output *output, const drmModePropertyRes *property, const struct reset *reset)
{
	uint64_t value = 0;
	if (strcmp(property->name, reset->name) == 0 && output->n_resets < DRM_MAX_RESETS &&
		(!reset->value || find_value(property, reset->value, &value) ||
			find_value(property, reset->other, &value))) {
		output->resets[output->n_resets++] =
			(struct drm_property){.id = property->prop_id, .value = value};
	}
}

void drm_output_read_resets(struct drm_output *output)
{
	int fd = output->card->fd;
	drmModeObjectProperties *table =
		drmModeObjectGetProperties(fd, output->connector, DRM_MODE_OBJECT_CONNECTOR);
	for (uint32_t i = 0; table && i < table->count_props; i++) {
		drmModePropertyRes *property = drmModeGetProperty(fd, table->props[i]);
		for (size_t j = 0; property && j < sizeof(resets) / sizeof(resets[0]); j++) {
			add(output, property, &resets[j]);
		}
		if (property) {
			add(output, property,
				output->base.built_in ? &scaling_of_panel : &scaling_of_screen);
		}
		drmModeFreeProperty(property);
	}
	drmModeFreeObjectProperties(table);
}
