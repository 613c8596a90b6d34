/* SPDX-License-Identifier: MIT */
/* Identity of a connector's screen: make and model by EDID, size and modes. */

#include "crtc.h"
#include "util/xalloc.h"
#include <libdisplay-info/edid.h>
#include <libdisplay-info/info.h>
#include <stdlib.h>
#include <string.h>

static drmModePropertyBlobRes *read_edid(int fd, const struct drm_property *properties)
{
	uint32_t id = (uint32_t)properties[CONNECTOR_EDID].value;
	return id ? drmModeGetPropertyBlob(fd, id) : NULL;
}

/* Returns the FNV-1a hash of the EDID, to tell screens apart. */
static uint64_t hash_edid(int fd, const struct drm_property *properties)
{
	drmModePropertyBlobRes *blob = read_edid(fd, properties);
	if (!blob) {
		return 0;
	}
	uint64_t hash = UINT64_C(14695981039346656037);
	const uint8_t *bytes = blob->data;
	for (uint32_t i = 0; i < blob->length; i++) {
		hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
	}
	drmModeFreePropertyBlob(blob);
	return hash ? hash : 1;
}

static bool equal(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Monitors change their EDID with their settings, and virtual ones with their size. */
static bool has_same_identity(
	const struct drm_output *output, const struct drm_property *properties)
{
	drmModePropertyBlobRes *blob = read_edid(output->card->fd, properties);
	struct di_info *info = blob ? di_info_parse_edid(blob->data, blob->length) : NULL;
	const struct output *base = &output->base;
	bool same = false;
	if (info) {
		char *make = di_info_get_make(info), *model = di_info_get_model(info);
		char *serial = di_info_get_serial(info);
		same = make && model && equal(make, base->make) && equal(model, base->model) &&
		       equal(serial, base->serial);
		free(make);
		free(model);
		free(serial);
		di_info_destroy(info);
	}
	drmModeFreePropertyBlob(blob);
	return same;
}

bool drm_output_is_same_screen(
	const struct drm_output *output, const struct drm_property *properties)
{
	return properties[CONNECTOR_NON_DESKTOP].value == output->base.non_desktop &&
	       (hash_edid(output->card->fd, properties) == output->edid_hash ||
		       has_same_identity(output, properties));
}

/* Reads the first range limits descriptor with values. */
static void read_limits(struct drm_output *output, const struct di_edid *edid)
{
	const struct di_edid_display_descriptor *const *descriptors =
		di_edid_get_display_descriptors(edid);
	for (; *descriptors; descriptors++) {
		const struct di_edid_display_range_limits *limits =
			di_edid_display_descriptor_get_range_limits(*descriptors);
		if (limits) {
			output->limits = (struct drm_limits){
				.min_hz = limits->min_vert_rate_hz,
				.max_hz = limits->max_vert_rate_hz,
				.max_clock = limits->max_pixel_clock_hz,
			};
			return;
		}
	}
}

void drm_output_parse_edid(struct drm_output *output, const void *data, size_t size)
{
	struct output *base = &output->base;
	output->limits = (struct drm_limits){0};
	struct di_info *info = size > 0 ? di_info_parse_edid(data, size) : NULL;
	if (info) {
		read_limits(output, di_info_get_edid(info));
		free(base->make);
		free(base->model);
		free(base->serial);
		base->make = di_info_get_make(info);
		base->model = di_info_get_model(info);
		base->serial = di_info_get_serial(info);
		di_info_destroy(info);
	}
	free(base->description);
	if (base->make || base->model) {
		base->description = xasprintf("%s%s%s (%s)", base->make ? base->make : "",
			base->make && base->model ? " " : "", base->model ? base->model : "",
			base->name);
	} else {
		base->description = xstrdup(base->name);
	}
}

static void read_edid_info(struct drm_output *output)
{
	drmModePropertyBlobRes *blob = read_edid(output->card->fd, output->properties);
	drm_output_parse_edid(output, blob ? blob->data : NULL, blob ? blob->length : 0);
	drmModeFreePropertyBlob(blob);
}

static enum wl_output_subpixel subpixel(drmModeSubPixel subpixel)
{
	switch (subpixel) {
	case DRM_MODE_SUBPIXEL_HORIZONTAL_RGB: return WL_OUTPUT_SUBPIXEL_HORIZONTAL_RGB;
	case DRM_MODE_SUBPIXEL_HORIZONTAL_BGR: return WL_OUTPUT_SUBPIXEL_HORIZONTAL_BGR;
	case DRM_MODE_SUBPIXEL_VERTICAL_RGB: return WL_OUTPUT_SUBPIXEL_VERTICAL_RGB;
	case DRM_MODE_SUBPIXEL_VERTICAL_BGR: return WL_OUTPUT_SUBPIXEL_VERTICAL_BGR;
	case DRM_MODE_SUBPIXEL_NONE: return WL_OUTPUT_SUBPIXEL_NONE;
	default: return WL_OUTPUT_SUBPIXEL_UNKNOWN;
	}
}

static bool is_deep(const struct plane *plane)
{
	for (size_t i = 0; i < plane->formats.n_formats; i++) {
		const struct pixel_format *format =
			pixel_format_get(plane->formats.formats[i].format);
		if (format && !format->yuv && format->depth == 10) {
			return true;
		}
	}
	return false;
}

static bool has_deep_plane(const struct drm_output *output)
{
	const struct drm_card *card = output->card;
	for (int i = 0; i < card->n_planes; i++) {
		const struct drm_plane *plane = &card->planes[i];
		if (plane->base.type == PLANE_PRIMARY &&
			plane->possible_crtcs & output->possible_crtcs && is_deep(&plane->base)) {
			return true;
		}
	}
	return false;
}

/* Returns 0 if the driver has no "max bpc" property. */
static int32_t read_max_bpc(const struct drm_output *output)
{
	const struct drm_property *property = &output->properties[CONNECTOR_MAX_BPC];
	drmModePropertyRes *info =
		property->id ? drmModeGetProperty(output->card->fd, property->id) : NULL;
	int32_t most = info && info->count_values == 2 ? (int32_t)info->values[1] : 0;
	drmModeFreeProperty(info);
	return most;
}

static bool is_vrr_capable(const struct drm_output *output)
{
	const struct drm_crtc *crtc = drm_output_sample_crtc(output);
	return output->properties[CONNECTOR_VRR_CAPABLE].value && crtc &&
	       crtc->properties[CRTC_VRR_ENABLED].id;
}

/* Sets the output's capabilities from the driver's properties and the EDID. */
static void read_abilities(struct drm_output *output)
{
	struct output *base = &output->base;
	const struct drm_property *properties = output->properties;
	const struct drm_crtc *sample = drm_output_sample_crtc(output);
	const struct drm_property none[CRTC_N_PROPERTIES] = {{0}};
	const struct drm_property *crtc = sample ? sample->properties : none;
	int32_t bits = read_max_bpc(output);
	base->max_bit_depth = bits ? bits : has_deep_plane(output) ? 10 : 8;
	base->gamma_size = sample ? drm_gamma_size(sample) : 0;
	base->has_color_matrix =
		crtc[CRTC_CTM].id && !drm_card_has_quirk(output->card, DRM_QUIRK_NO_CTM);
	base->has_content = properties[CONNECTOR_CONTENT_TYPE].id;
	base->custom_modes = true;
	output->vrr_capable = is_vrr_capable(output);
	base->longest_interval = output->vrr_capable && output->limits.min_hz > 0
					 ? INT64_C(1000000000) / output->limits.min_hz
					 : 0;
}

bool drm_output_read_identity(struct drm_output *output, const drmModeConnector *connector)
{
	struct output *base = &output->base;
	uint64_t hash = hash_edid(output->card->fd, output->properties);
	bool changed = hash != output->edid_hash || !base->description ||
		       is_vrr_capable(output) != output->vrr_capable ||
		       base->physical_width != (int32_t)connector->mmWidth ||
		       base->physical_height != (int32_t)connector->mmHeight;
	if (!changed) {
		return false;
	}
	base->physical_width = (int32_t)connector->mmWidth;
	base->physical_height = (int32_t)connector->mmHeight;
	base->subpixel = subpixel(connector->subpixel);
	base->non_desktop = output->properties[CONNECTOR_NON_DESKTOP].value;
	output->edid_hash = hash;
	read_edid_info(output);
	read_abilities(output);
	return true;
}

/* Returns an FNV-1a hash of all that the kernel's drm_mode_equal() compares; never 0. */
static uint32_t hash_timing(const drmModeModeInfo *mode)
{
	const uint32_t values[] = {mode->clock, mode->hdisplay, mode->hsync_start, mode->hsync_end,
		mode->htotal, mode->hskew, mode->vdisplay, mode->vsync_start, mode->vsync_end,
		mode->vtotal, mode->vscan, mode->flags};
	uint32_t hash = UINT32_C(2166136261);
	for (size_t i = 0; i < sizeof(values); i++) {
		hash = (hash ^ ((const uint8_t *)values)[i]) * UINT32_C(16777619);
	}
	return hash ? hash : 1;
}

bool drm_output_read_modes(struct drm_output *output, const drmModeConnector *connector)
{
	struct output *base = &output->base;
	size_t n = (size_t)connector->count_modes;
	size_t size = n * sizeof(drmModeModeInfo);
	if (n == base->n_modes && (n == 0 || memcmp(output->modes, connector->modes, size) == 0)) {
		return false;
	}
	free(output->modes);
	free(base->modes);
	output->modes = xcalloc(n ? n : 1, sizeof(drmModeModeInfo));
	base->modes = xcalloc(n ? n : 1, sizeof(base->modes[0]));
	base->n_modes = n;
	if (n > 0) {
		memcpy(output->modes, connector->modes, size);
	}
	for (size_t i = 0; i < n; i++) {
		const drmModeModeInfo *mode = &output->modes[i];
		base->modes[i] = (struct output_mode){
			.width = mode->hdisplay,
			.height = mode->vdisplay,
			.refresh = drm_mode_refresh(mode),
			.preferred = mode->type & DRM_MODE_TYPE_PREFERRED,
			.interlaced = mode->flags & DRM_MODE_FLAG_INTERLACE,
			.timing = hash_timing(mode),
		};
	}
	return true;
}
