/* SPDX-License-Identifier: MIT */
/* KMS queries: objects of an emulated card and their property tables. */

#include "state.h"
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

/* Array argument of an ioctl: filled as far as it has room; the count is always returned. */
struct array {
	void *out;
	uint32_t room, n;
	size_t size;
};

static void put(struct array *array, const void *item)
{
	if (array->n < array->room && array->out) {
		memcpy((char *)array->out + array->n * array->size, item, array->size);
	}
	array->n++;
}

static uint32_t put_ids(
	const struct fake_file *file, uint32_t type, uint64_t pointer, uint32_t room)
{
	struct array array = {FAKE_POINTER(void, pointer), room, 0, sizeof(uint32_t)};

	for (int i = 0; i < file->card->n_objects; i++) {
		const struct fake_object *object = &file->card->objects[i];

		if (object->type == type && fake_file_sees(file, object)) {
			put(&array, &object->id);
		}
	}
	return array.n;
}

static int get_resources(struct fake_file *file, struct drm_mode_card_res *res)
{
	res->count_fbs = 0;
	res->count_crtcs = put_ids(file, DRM_MODE_OBJECT_CRTC, res->crtc_id_ptr, res->count_crtcs);
	res->count_connectors = put_ids(
		file, DRM_MODE_OBJECT_CONNECTOR, res->connector_id_ptr, res->count_connectors);
	res->count_encoders = put_ids(file, 0, res->encoder_id_ptr, res->count_encoders);
	res->min_width = res->min_height = 0;
	res->max_width = res->max_height = 16384;
	return 0;
}

static struct fake_object *see(struct fake_file *file, uint32_t id, uint32_t type)
{
	struct fake_object *object = fake_object_find(file->card, id);

	return object && object->type == type && fake_file_sees(file, object) ? object : NULL;
}

static int get_crtc(struct fake_file *file, struct drm_mode_crtc *out)
{
	const struct fake_object *crtc = see(file, out->crtc_id, DRM_MODE_OBJECT_CRTC);
	const struct fake_blob *mode;

	if (!crtc) {
		return -ENOENT;
	}
	mode = fake_blob_find(file->card, (uint32_t)fake_object_value(crtc, "MODE_ID"));
	out->mode_valid = mode != NULL;
	if (mode) {
		memcpy(&out->mode, mode->data, sizeof(out->mode));
	}
	out->gamma_size = (uint32_t)file->card->kind->gamma_size;
	return 0;
}

static int get_encoder(struct fake_file *file, struct drm_mode_get_encoder *out)
{
	const struct fake_object *encoder = see(file, out->encoder_id, 0);

	if (!encoder) {
		return -ENOENT;
	}
	out->encoder_type = DRM_MODE_ENCODER_TMDS;
	out->crtc_id = 0;
	out->possible_crtcs = encoder->possible_crtcs;
	out->possible_clones = 0;
	return 0;
}

static int get_properties(const struct fake_file *file, const struct fake_object *object,
	uint64_t ids, uint64_t values, uint32_t *count)
{
	struct array id_array = {FAKE_POINTER(void, ids), *count, 0, sizeof(uint32_t)};
	struct array value_array = {FAKE_POINTER(void, values), *count, 0, sizeof(uint64_t)};

	for (int i = 0; i < object->n_properties; i++) {
		/* drm_mode_object_get_properties() */
		if (strcmp(object->properties[i]->name, "COLOR_PIPELINE") == 0 &&
			!file->pipelines) {
			continue;
		}
		put(&id_array, &object->properties[i]->id);
		put(&value_array, &object->values[i]);
	}
	*count = id_array.n;
	return 0;
}

static bool take_time(const struct fake_file *file)
{
	const struct fake_card *card = file->card;
	bool alive = card->probe_ms <= 0 || fake_file_hold_locks(file, 0, card->probe_ms);

	while (alive && card->probe_ms < 0) {
		alive = fake_file_hold_locks(file, 0, 1);
	}
	return alive;
}

/*
 * drm_mode_getconnector() probes if the program asks for no modes yet, and otherwise answers from
 * the last probe, as for drmModeGetConnectorCurrent(). The probe holds the lock of all connectors:
 * drm_helper_probe_single_connector_modes().
 */
static int probe(struct fake_file *file, struct fake_object *connector)
{
	if (!take_time(file)) {
		return -ENODEV;
	}
	file->card->counts.probes++;
	connector->probed = connector->screen;
	return 0;
}

static int get_connector(struct fake_file *file, struct drm_mode_get_connector *out)
{
	struct fake_object *connector = see(file, out->connector_id, DRM_MODE_OBJECT_CONNECTOR);
	const struct fake_screen *screen;
	struct array modes = {FAKE_POINTER(void, out->modes_ptr), out->count_modes, 0,
		sizeof(struct drm_mode_modeinfo)};
	struct array encoders = {
		FAKE_POINTER(void, out->encoders_ptr), out->count_encoders, 0, sizeof(uint32_t)};
	struct drm_mode_modeinfo mode;

	if (!connector) {
		return -ENOENT;
	}
	if (out->count_modes == 0 && probe(file, connector) < 0) {
		return -ENODEV;
	}
	screen = connector->probed;
	for (int i = 0; screen && i < FAKE_MODES_MAX && screen->modes[i].width; i++) {
		fake_mode_fill(&mode, screen, i);
		put(&modes, &mode);
	}
	put(&encoders, &connector->encoder);
	out->count_modes = modes.n;
	out->count_encoders = encoders.n;
	out->encoder_id = 0;
	out->connector_type = connector->connector_type;
	out->connector_type_id = connector->connector_number;
	out->connection = !screen           ? DRM_MODE_DISCONNECTED
			  : screen->unknown ? DRM_MODE_UNKNOWNCONNECTION
					    : DRM_MODE_CONNECTED;
	out->mm_width = screen ? (uint32_t)screen->mm_width : 0;
	out->mm_height = screen ? (uint32_t)screen->mm_height : 0;
	out->subpixel = DRM_MODE_SUBPIXEL_UNKNOWN;
	return get_properties(
		file, connector, out->props_ptr, out->prop_values_ptr, &out->count_props);
}

static int get_planes(struct fake_file *file, struct drm_mode_get_plane_res *out)
{
	out->count_planes =
		put_ids(file, DRM_MODE_OBJECT_PLANE, out->plane_id_ptr, out->count_planes);
	return 0;
}

static int get_plane(struct fake_file *file, struct drm_mode_get_plane *out)
{
	const struct fake_object *plane = see(file, out->plane_id, DRM_MODE_OBJECT_PLANE);
	struct array formats = {FAKE_POINTER(void, out->format_type_ptr), out->count_format_types,
		0, sizeof(uint32_t)};

	if (!plane) {
		return -ENOENT;
	}
	for (int i = 0; plane->plane->formats[i]; i++) {
		put(&formats, &plane->plane->formats[i]);
	}
	out->count_format_types = formats.n;
	out->crtc_id = (uint32_t)fake_object_value(plane, "CRTC_ID");
	out->fb_id = (uint32_t)fake_object_value(plane, "FB_ID");
	out->possible_crtcs = plane->possible_crtcs;
	out->gamma_size = 0;
	return 0;
}

static int get_object_properties(struct fake_file *file, struct drm_mode_obj_get_properties *out)
{
	const struct fake_object *object = see(file, out->obj_id, out->obj_type);

	return object ? get_properties(file, object, out->props_ptr, out->prop_values_ptr,
				&out->count_props)
		      : -ENOENT;
}

static int get_property(struct fake_file *file, struct drm_mode_get_property *out)
{
	const struct fake_property *property = fake_property_find(file->card, out->prop_id);
	struct array values = {
		FAKE_POINTER(void, out->values_ptr), out->count_values, 0, sizeof(uint64_t)};
	struct array enums = {FAKE_POINTER(void, out->enum_blob_ptr), out->count_enum_blobs, 0,
		sizeof(struct drm_mode_property_enum)};
	int n_values;

	if (!property) {
		return -ENOENT;
	}
	n_values = property->flags & DRM_MODE_PROP_RANGE ? 2
		   : (property->flags & DRM_MODE_PROP_EXTENDED_TYPE) == DRM_MODE_PROP_SIGNED_RANGE
			   ? 2
		   : (property->flags & DRM_MODE_PROP_EXTENDED_TYPE) == DRM_MODE_PROP_OBJECT ? 1
											     : 0;
	for (int i = 0; i < n_values; i++) {
		put(&values, &property->values[i]);
	}
	for (int i = 0; i < property->n_enums; i++) {
		put(&values, &property->enums[i].value);
		put(&enums, &property->enums[i]);
	}
	memcpy(out->name, property->name, sizeof(out->name));
	out->flags = property->flags;
	out->count_values = values.n;
	out->count_enum_blobs = enums.n;
	return 0;
}

int fake_resources_ioctl(struct fake_file *file, unsigned nr, void *argument)
{
	switch (nr) {
	case _IOC_NR(DRM_IOCTL_MODE_GETRESOURCES): return get_resources(file, argument);
	case _IOC_NR(DRM_IOCTL_MODE_GETCRTC): return get_crtc(file, argument);
	case _IOC_NR(DRM_IOCTL_MODE_GETENCODER): return get_encoder(file, argument);
	case _IOC_NR(DRM_IOCTL_MODE_GETCONNECTOR): return get_connector(file, argument);
	case _IOC_NR(DRM_IOCTL_MODE_GETPLANERESOURCES): return get_planes(file, argument);
	case _IOC_NR(DRM_IOCTL_MODE_GETPLANE): return get_plane(file, argument);
	case _IOC_NR(DRM_IOCTL_MODE_OBJ_GETPROPERTIES):
		return get_object_properties(file, argument);
	default: return get_property(file, argument);
	}
}
