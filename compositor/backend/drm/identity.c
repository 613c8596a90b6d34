/* What a connector says of the screen behind it: make and model by EDID, size, modes. */

#include "drm.h"
#include "util/xalloc.h"
#include <libdisplay-info/info.h>
#include <stdlib.h>
#include <string.h>

static drmModePropertyBlobRes *read_edid(int fd, const struct drm_property *properties)
{
	uint32_t id = (uint32_t)properties[CONNECTOR_EDID].value;
	return id ? drmModeGetPropertyBlob(fd, id) : NULL;
}

/* FNV-1a: tells one screen from another. */
uint64_t drm_edid_hash(int fd, const struct drm_property *properties)
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

static void read_names(struct drm_output *output)
{
	struct output *base = &output->base;
	drmModePropertyBlobRes *blob = read_edid(output->card->fd, output->properties);
	struct di_info *info = blob ? di_info_parse_edid(blob->data, blob->length) : NULL;
	if (info) {
		base->make = di_info_get_make(info);
		base->model = di_info_get_model(info);
		base->serial = di_info_get_serial(info);
		di_info_destroy(info);
	}
	drmModeFreePropertyBlob(blob);
	if (base->make || base->model) {
		base->description = xasprintf("%s%s%s (%s)", base->make ? base->make : "",
			base->make && base->model ? " " : "", base->model ? base->model : "",
			base->name);
	} else {
		base->description = xstrdup(base->name);
	}
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

void drm_output_read_identity(struct drm_output *output, const drmModeConnector *connector)
{
	struct output *base = &output->base;
	base->physical_width = (int32_t)connector->mmWidth;
	base->physical_height = (int32_t)connector->mmHeight;
	base->subpixel = subpixel(connector->subpixel);
	base->non_desktop = output->properties[CONNECTOR_NON_DESKTOP].value;
	output->edid_hash = drm_edid_hash(output->card->fd, output->properties);
	output->vrr_capable = output->properties[CONNECTOR_VRR_CAPABLE].value &&
			      output->crtc->properties[CRTC_VRR_ENABLED].id;
	read_names(output);
}

/* mHz; the mode's own figure is rounded to Hz. */
static int32_t refresh_of(const drmModeModeInfo *mode)
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
			.refresh = refresh_of(mode),
			.preferred = mode->type & DRM_MODE_TYPE_PREFERRED,
		};
	}
	return true;
}
