/* SPDX-License-Identifier: MIT */
/* KMS devices in the hardware report: read without becoming DRM master and without a probe. */

#include "gpu/format.h"
#include "internal.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

/* Adds format: [modifiers] of an IN_FORMATS blob (drm_mode.h). */
static void add_formats(struct record *record, int fd, uint64_t blob_id)
{
	drmModePropertyBlobRes *blob = drmModeGetPropertyBlob(fd, (uint32_t)blob_id);
	if (!blob) {
		return;
	}
	struct record *formats = record_add(record, "formats");
	struct record *modifiers = NULL;
	drmModeFormatModifierIterator iterator = {0};
	char name[5], last[5] = "";
	record_shorten(formats);
	while (drmModeFormatModifierBlobIterNext(blob, &iterator)) {
		pixel_format_name(iterator.fmt, name);
		if (strcmp(name, last) != 0) {
			modifiers = record_add_list(formats, name);
			memcpy(last, name, sizeof(name));
		}
		record_text(modifiers, NULL, "0x%" PRIx64, iterator.mod);
	}
	drmModeFreePropertyBlob(blob);
}

/* Adds the value of an enumeration by name, and numbers as they are. */
static void add_value(struct record *record, const drmModePropertyRes *property, uint64_t value)
{
	if (property->flags & DRM_MODE_PROP_ENUM) {
		for (int i = 0; i < property->count_enums; i++) {
			if (property->enums[i].value == value) {
				record_text(record, property->name, "%s", property->enums[i].name);
				return;
			}
		}
	}
	record_number(record, property->name, (int64_t)value);
}

static void add_properties(struct record *record, int fd, uint32_t id, uint32_t type)
{
	drmModeObjectProperties *values = drmModeObjectGetProperties(fd, id, type);
	struct record *properties = record_add(record, "properties");
	record_shorten(properties);
	for (uint32_t i = 0; values && i < values->count_props; i++) {
		drmModePropertyRes *property = drmModeGetProperty(fd, values->props[i]);
		if (!property) {
			continue;
		}
		if (strcmp(property->name, "IN_FORMATS") == 0) {
			add_formats(record, fd, values->prop_values[i]);
		} else {
			add_value(properties, property, values->prop_values[i]);
		}
		drmModeFreeProperty(property);
	}
	drmModeFreeObjectProperties(values);
}

static const char *plane_type(int fd, uint32_t id)
{
	static const char *const names[] = {
		[DRM_PLANE_TYPE_OVERLAY] = "overlay",
		[DRM_PLANE_TYPE_PRIMARY] = "primary",
		[DRM_PLANE_TYPE_CURSOR] = "cursor",
	};
	const char *name = "unknown";
	drmModeObjectProperties *values = drmModeObjectGetProperties(fd, id, DRM_MODE_OBJECT_PLANE);
	for (uint32_t i = 0; values && i < values->count_props; i++) {
		drmModePropertyRes *property = drmModeGetProperty(fd, values->props[i]);
		if (property && strcmp(property->name, "type") == 0 &&
			values->prop_values[i] < sizeof(names) / sizeof(names[0])) {
			name = names[values->prop_values[i]];
		}
		drmModeFreeProperty(property);
	}
	drmModeFreeObjectProperties(values);
	return name;
}

static void add_planes(struct record *record, int fd)
{
	drmModePlaneRes *planes = drmModeGetPlaneResources(fd);
	struct record *list = record_add_list(record, "planes");
	for (uint32_t i = 0; planes && i < planes->count_planes; i++) {
		drmModePlane *plane = drmModeGetPlane(fd, planes->planes[i]);
		if (plane) {
			struct record *one = record_add(list, NULL);
			record_text(one, "type", "%s", plane_type(fd, plane->plane_id));
			record_text(one, "crtcs", "0x%x", plane->possible_crtcs);
			add_properties(one, fd, plane->plane_id, DRM_MODE_OBJECT_PLANE);
			drmModeFreePlane(plane);
		}
	}
	drmModeFreePlaneResources(planes);
}

static void add_connectors(struct record *record, int fd, const drmModeRes *resources)
{
	struct record *list = record_add_list(record, "connectors");
	for (int i = 0; i < resources->count_connectors; i++) {
		drmModeConnector *connector =
			drmModeGetConnectorCurrent(fd, resources->connectors[i]);
		if (connector) {
			struct record *one = record_add(list, NULL);
			const char *type = drmModeGetConnectorTypeName(connector->connector_type);
			record_text(one, "name", "%s-%u", type ? type : "unknown",
				connector->connector_type_id);
			record_flag(one, "connected", connector->connection == DRM_MODE_CONNECTED);
			record_number(one, "modes", connector->count_modes);
			add_properties(one, fd, connector->connector_id, DRM_MODE_OBJECT_CONNECTOR);
			drmModeFreeConnector(connector);
		}
	}
}

static void add_capabilities(struct record *record, int fd)
{
	static const struct {
		uint64_t id;
		const char *name;
	} capabilities[] = {
		{DRM_CAP_PRIME, "prime"},
		{DRM_CAP_ASYNC_PAGE_FLIP, "async_page_flip"},
		{DRM_CAP_ATOMIC_ASYNC_PAGE_FLIP, "atomic_async_page_flip"},
		{DRM_CAP_CURSOR_WIDTH, "cursor_width"},
		{DRM_CAP_CURSOR_HEIGHT, "cursor_height"},
		{DRM_CAP_ADDFB2_MODIFIERS, "framebuffer_modifiers"},
		{DRM_CAP_SYNCOBJ_TIMELINE, "syncobj_timeline"},
		{DRM_CAP_CRTC_IN_VBLANK_EVENT, "crtc_in_vblank_event"},
	};
	struct record *list = record_add(record, "capabilities");
	for (size_t i = 0; i < sizeof(capabilities) / sizeof(capabilities[0]); i++) {
		uint64_t value;
		if (drmGetCap(fd, capabilities[i].id, &value) == 0) {
			record_number(list, capabilities[i].name, (int64_t)value);
		}
	}
}

static void add_device(struct record *record, int fd)
{
	record_flag(record, "atomic", drmSetClientCap(fd, DRM_CLIENT_CAP_ATOMIC, 1) == 0);
	drmSetClientCap(fd, DRM_CLIENT_CAP_UNIVERSAL_PLANES, 1);
	add_capabilities(record, fd);
	drmModeRes *resources = drmModeGetResources(fd);
	if (!resources) {
		record_error(record, "error", -errno);
		return;
	}
	struct record *crtcs = record_add_list(record, "crtcs");
	for (int i = 0; i < resources->count_crtcs; i++) {
		add_properties(
			record_add(crtcs, NULL), fd, resources->crtcs[i], DRM_MODE_OBJECT_CRTC);
	}
	add_planes(record, fd);
	add_connectors(record, fd, resources);
	drmModeFreeResources(resources);
}

void report_kms(struct record *record, const struct gpu *gpu)
{
	if (!gpu->primary_path) {
		return;
	}
	struct record *kms = record_add(record, "kms");
	int fd = open(gpu->primary_path, O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		record_error(kms, "error", -errno);
		return;
	}
	/* The first to open the node becomes master, which would lock out a starting session. */
	drmDropMaster(fd);
	drmVersion *version = drmGetVersion(fd);
	if (version) {
		record_text(kms, "driver", "%s %d.%d.%d", version->name, version->version_major,
			version->version_minor, version->version_patchlevel);
		drmFreeVersion(version);
	}
	if (drmIsKMS(fd)) {
		add_device(kms, fd);
	}
	close(fd);
}
