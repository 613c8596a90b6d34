/* SPDX-License-Identifier: MIT */
/* KMS objects of an emulated card and their property tables, created from the card's kind. */

#include "state.h"
#include <assert.h>
#include <drm_fourcc.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct named_value {
	const char *name;
	uint64_t value;
};

static struct fake_property *make(struct fake_card *card, const char *name, uint32_t flags)
{
	struct fake_property *property;

	assert(card->n_properties < FAKE_TABLE_MAX);
	property = &card->properties[card->n_properties++];
	*property = (struct fake_property){.id = card->next_id++, .flags = flags};
	strncpy(property->name, name, sizeof(property->name) - 1);
	return property;
}

static void attach(struct fake_object *object, const struct fake_property *property, uint64_t value)
{
	assert(object->n_properties < FAKE_PROPERTIES_MAX);
	object->properties[object->n_properties] = property;
	object->values[object->n_properties++] = value;
}

static void add_range(struct fake_card *card, struct fake_object *object, const char *name,
	uint32_t flags, uint64_t min, uint64_t max, uint64_t value)
{
	struct fake_property *property = make(card, name, flags);

	property->values[0] = min;
	property->values[1] = max;
	attach(object, property, value);
}

static void add_blob(struct fake_card *card, struct fake_object *object, const char *name,
	uint32_t flags, uint32_t blob)
{
	attach(object, make(card, name, DRM_MODE_PROP_BLOB | flags), blob);
}

static void add_object(
	struct fake_card *card, struct fake_object *object, const char *name, uint32_t type)
{
	struct fake_property *property = make(card, name, DRM_MODE_PROP_OBJECT);

	property->values[0] = type;
	attach(object, property, 0);
}

static void add_enum(struct fake_card *card, struct fake_object *object, const char *name,
	uint32_t flags, const struct named_value *values, int n, uint64_t value)
{
	struct fake_property *property = make(card, name, flags);

	property->n_enums = n;
	for (int i = 0; i < n; i++) {
		property->enums[i].value = values[i].value;
		strncpy(property->enums[i].name, values[i].name, DRM_PROP_NAME_LEN - 1);
	}
	attach(object, property, value);
}

static struct fake_object *add(struct fake_card *card, uint32_t type, int index, const char *name)
{
	struct fake_object *object;

	assert(card->n_objects < FAKE_OBJECTS_MAX);
	object = &card->objects[card->n_objects++];
	*object = (struct fake_object){
		.id = card->next_id++, .type = type, .index = index, .fence = -1};
	snprintf(object->name, sizeof(object->name), "%s", name);
	return object;
}

/* As drm_crtc_create_scaling_filter_property(), and drm_plane_create_scaling_filter_property(). */
static void add_scaling_filter(struct fake_card *card, struct fake_object *object)
{
	static const struct named_value filters[] = {{"Default", 0}, {"Nearest Neighbor", 1}};

	add_enum(card, object, "SCALING_FILTER", DRM_MODE_PROP_ENUM, filters, 2, 0);
}

static const struct named_value transfers[] = {{"Default", 0}, {"sRGB EOTF", 1}, {"PQ EOTF", 2}};

static void add_crtc_extras(struct fake_card *card, struct fake_object *crtc)
{
	const struct fake_card_kind *kind = card->kind;

	if (kind->background) {
		/* drm_crtc_attach_background_color_property() */
		add_range(card, crtc, "BACKGROUND_COLOR", DRM_MODE_PROP_RANGE, 0, UINT64_MAX,
			UINT64_C(0xffff000000000000));
	}
	if (kind->filters) {
		add_scaling_filter(card, crtc);
		add_range(card, crtc, "SHARPNESS_STRENGTH", DRM_MODE_PROP_RANGE, 0, 255, 0);
	}
	if (kind->amd_color) {
		add_enum(card, crtc, "AMD_CRTC_REGAMMA_TF", DRM_MODE_PROP_ENUM, transfers, 3, 0);
	}
	if (kind->nv_color) {
		add_enum(card, crtc, "NV_CRTC_REGAMMA_TF", DRM_MODE_PROP_ENUM, transfers, 3, 0);
		add_range(card, crtc, "NV_CRTC_REGAMMA_DIVISOR", DRM_MODE_PROP_RANGE, 0, UINT64_MAX,
			UINT64_C(1) << 32);
	}
}

static void add_crtc(struct fake_card *card, int index)
{
	const struct fake_card_kind *kind = card->kind;
	struct fake_object *crtc;
	char name[32];

	snprintf(name, sizeof(name), "crtc-%d", index);
	crtc = add(card, DRM_MODE_OBJECT_CRTC, index, name);
	add_range(card, crtc, "ACTIVE", DRM_MODE_PROP_RANGE | DRM_MODE_PROP_ATOMIC, 0, 1, 0);
	add_blob(card, crtc, "MODE_ID", DRM_MODE_PROP_ATOMIC, 0);
	add_range(card, crtc, "OUT_FENCE_PTR", DRM_MODE_PROP_RANGE | DRM_MODE_PROP_ATOMIC, 0,
		UINT64_MAX, 0);
	if (kind->vrr) {
		add_range(card, crtc, "VRR_ENABLED", DRM_MODE_PROP_RANGE, 0, 1, 0);
	}
	if (kind->degamma_size) {
		add_blob(card, crtc, "DEGAMMA_LUT", 0, 0);
		add_range(card, crtc, "DEGAMMA_LUT_SIZE",
			DRM_MODE_PROP_RANGE | DRM_MODE_PROP_IMMUTABLE, 0, UINT32_MAX,
			(uint64_t)kind->degamma_size);
	}
	if (kind->ctm) {
		add_blob(card, crtc, "CTM", 0, 0);
	}
	if (kind->gamma_size) {
		add_blob(card, crtc, "GAMMA_LUT", 0, 0);
		add_range(card, crtc, "GAMMA_LUT_SIZE",
			DRM_MODE_PROP_RANGE | DRM_MODE_PROP_IMMUTABLE, 0, UINT32_MAX,
			(uint64_t)kind->gamma_size);
	}
	add_crtc_extras(card, crtc);
}

static int count_formats(const uint32_t *formats)
{
	int n = 0;

	while (formats[n]) {
		n++;
	}
	return n;
}

/* Lists all formats with all layouts, except compressed layouts, which need 32 bits per pixel. */
static uint32_t make_in_formats(struct fake_card *card, const struct fake_plane_kind *kind)
{
	int n_formats = count_formats(kind->formats), n_modifiers = 0;
	struct drm_format_modifier *modifiers;
	struct drm_format_modifier_blob *head;
	struct fake_blob *blob;
	size_t at, size;
	char *bytes;

	while (kind->modifiers[n_modifiers] != DRM_FORMAT_MOD_INVALID) {
		n_modifiers++;
	}
	at = (sizeof(*head) + (size_t)n_formats * 4 + 7) / 8 * 8;
	size = at + (size_t)n_modifiers * sizeof(*modifiers);
	bytes = calloc(1, size);
	assert(bytes);
	head = (void *)bytes;
	*head = (struct drm_format_modifier_blob){
		.version = FORMAT_BLOB_CURRENT,
		.count_formats = (uint32_t)n_formats,
		.formats_offset = sizeof(*head),
		.count_modifiers = (uint32_t)n_modifiers,
		.modifiers_offset = (uint32_t)at,
	};
	memcpy(bytes + sizeof(*head), kind->formats, (size_t)n_formats * 4);
	modifiers = (void *)(bytes + at);
	for (int i = 0; i < n_modifiers; i++) {
		modifiers[i].modifier = kind->modifiers[i];
		modifiers[i].formats = (UINT64_C(1) << n_formats) - 1;
	}
	blob = fake_blob_create(card, NULL, bytes, size);
	free(bytes);
	return blob->id;
}

static void add_plane_boxes(struct fake_card *card, struct fake_object *plane)
{
	const uint32_t range = DRM_MODE_PROP_RANGE | DRM_MODE_PROP_ATOMIC;
	const uint32_t signed_range = DRM_MODE_PROP_SIGNED_RANGE | DRM_MODE_PROP_ATOMIC;

	add_range(card, plane, "SRC_X", range, 0, UINT32_MAX, 0);
	add_range(card, plane, "SRC_Y", range, 0, UINT32_MAX, 0);
	add_range(card, plane, "SRC_W", range, 0, UINT32_MAX, 0);
	add_range(card, plane, "SRC_H", range, 0, UINT32_MAX, 0);
	add_range(card, plane, "CRTC_X", signed_range, (uint64_t)(int64_t)INT_MIN, INT_MAX, 0);
	add_range(card, plane, "CRTC_Y", signed_range, (uint64_t)(int64_t)INT_MIN, INT_MAX, 0);
	add_range(card, plane, "CRTC_W", range, 0, INT_MAX, 0);
	add_range(card, plane, "CRTC_H", range, 0, INT_MAX, 0);
}

static void add_rotation(struct fake_card *card, struct fake_object *plane, uint32_t rotations)
{
	static const struct named_value names[] = {{"rotate-0", 0}, {"rotate-90", 1},
		{"rotate-180", 2}, {"rotate-270", 3}, {"reflect-x", 4}, {"reflect-y", 5}};
	struct named_value values[6];
	int n = 0;

	for (int i = 0; i < 6; i++) {
		if (rotations & 1u << i) {
			values[n++] = names[i];
		}
	}
	add_enum(card, plane, "rotation", DRM_MODE_PROP_BITMASK, values, n, DRM_MODE_ROTATE_0);
}

static void add_zpos(
	struct fake_card *card, struct fake_object *plane, const struct fake_plane_kind *kind)
{
	uint32_t fixed = kind->zpos_min == kind->zpos_max ? DRM_MODE_PROP_IMMUTABLE : 0;
	int value = fixed ? kind->zpos_min : kind->zpos_min + 1 + plane->index;

	if (kind->zpos_max >= 0) {
		add_range(card, plane, "zpos", DRM_MODE_PROP_RANGE | fixed,
			(uint64_t)kind->zpos_min, (uint64_t)kind->zpos_max, (uint64_t)value);
	}
}

static void add_codings(struct fake_card *card, struct fake_object *plane)
{
	static const struct named_value encodings[] = {
		{"ITU-R BT.601 YCbCr", 0}, {"ITU-R BT.709 YCbCr", 1}, {"ITU-R BT.2020 YCbCr", 2}};
	static const struct named_value ranges[] = {
		{"YCbCr limited range", 0}, {"YCbCr full range", 1}};

	add_enum(card, plane, "COLOR_ENCODING", DRM_MODE_PROP_ENUM, encodings, 3, 1);
	add_enum(card, plane, "COLOR_RANGE", DRM_MODE_PROP_ENUM, ranges, 2, 1);
}

/* drm_plane_create_color_pipeline_property(), with the pipeline of amdgpu_dm_colorop.c. */
static void add_pipelines(struct fake_card *card, struct fake_object *plane)
{
	static const struct named_value pipelines[] = {{"Bypass", 0}, {"Color Pipeline 258", 258}};

	add_enum(card, plane, "COLOR_PIPELINE", DRM_MODE_PROP_ENUM, pipelines, 2, 0);
}

/* Squares only: intel_cursor_add_size_hints(). */
static void add_size_hints(struct fake_card *card, struct fake_object *plane)
{
	struct drm_plane_size_hint hints[3];

	for (int i = 0; i < 3; i++) {
		hints[i].width = hints[i].height = (uint16_t)(64 << i);
	}
	add_blob(card, plane, "SIZE_HINTS", DRM_MODE_PROP_IMMUTABLE,
		fake_blob_create(card, NULL, hints, sizeof(hints))->id);
}

static void add_plane(
	struct fake_card *card, const struct fake_plane_kind *kind, uint32_t crtcs, int index)
{
	static const struct named_value types[] = {{"Overlay", DRM_PLANE_TYPE_OVERLAY},
		{"Primary", DRM_PLANE_TYPE_PRIMARY}, {"Cursor", DRM_PLANE_TYPE_CURSOR}};
	static const struct named_value colorspaces[] = {
		{"None", 0}, {"IEC 61966-2-2 linear FP", 1}, {"ITU-R BT.2100-PQ YCbCr", 2}};
	struct fake_object *plane;
	char name[32];

	snprintf(name, sizeof(name), "plane-%d", index);
	plane = add(card, DRM_MODE_OBJECT_PLANE, index, name);
	plane->plane = kind;
	plane->possible_crtcs = crtcs;
	add_enum(card, plane, "type", DRM_MODE_PROP_ENUM | DRM_MODE_PROP_IMMUTABLE, types, 3,
		kind->type);
	add_object(card, plane, "FB_ID", DRM_MODE_OBJECT_FB);
	add_object(card, plane, "CRTC_ID", DRM_MODE_OBJECT_CRTC);
	add_range(card, plane, "IN_FENCE_FD", DRM_MODE_PROP_SIGNED_RANGE | DRM_MODE_PROP_ATOMIC,
		UINT64_MAX, INT_MAX, UINT64_MAX);
	add_plane_boxes(card, plane);
	add_zpos(card, plane, kind);
	if (kind->modifiers && card->kind->modifiers) {
		add_blob(card, plane, "IN_FORMATS", DRM_MODE_PROP_IMMUTABLE,
			make_in_formats(card, kind));
	}
	if (kind->rotations) {
		add_rotation(card, plane, kind->rotations);
	}
	if (kind->alpha) {
		add_range(card, plane, "alpha", DRM_MODE_PROP_RANGE, 0, 0xffff, 0xffff);
	}
	if (kind->damage) {
		add_blob(card, plane, "FB_DAMAGE_CLIPS", DRM_MODE_PROP_ATOMIC, 0);
	}
	if (kind->yuv) {
		add_codings(card, plane);
	}
	if (kind->pipelines) {
		add_pipelines(card, plane);
	}
	if (kind->size_hints) {
		add_size_hints(card, plane);
	}
	if (card->kind->filters) {
		add_scaling_filter(card, plane);
	}
	if (card->kind->amd_color && kind->type != DRM_PLANE_TYPE_CURSOR) {
		/* dm_atomic_plane_attach_color_mgmt_properties() */
		add_enum(card, plane, "AMD_PLANE_BLEND_TF", DRM_MODE_PROP_ENUM, transfers, 3, 0);
		add_range(card, plane, "AMD_PLANE_HDR_MULT", DRM_MODE_PROP_RANGE, 0, UINT64_MAX,
			UINT64_C(1) << 32);
		add_blob(card, plane, "AMD_PLANE_LUT3D", 0, 0);
		add_range(card, plane, "AMD_PLANE_LUT3D_SIZE",
			DRM_MODE_PROP_RANGE | DRM_MODE_PROP_IMMUTABLE, 0, UINT32_MAX, 17);
	}
	if (card->kind->nv_color) {
		/* nv_drm_create_properties() in nvidia-drm-drv.c */
		add_enum(card, plane, "NV_INPUT_COLORSPACE", DRM_MODE_PROP_ENUM, colorspaces, 3, 0);
		add_blob(card, plane, "NV_HDR_STATIC_METADATA", 0, 0);
	}
}

static const struct {
	const char *name;
	uint32_t type;
} connector_types[] = {{"DP-", DRM_MODE_CONNECTOR_DisplayPort},
	{"HDMI-A-", DRM_MODE_CONNECTOR_HDMIA}, {"eDP-", DRM_MODE_CONNECTOR_eDP},
	{"DSI-", DRM_MODE_CONNECTOR_DSI}, {"VGA-", DRM_MODE_CONNECTOR_VGA},
	{"Virtual-", DRM_MODE_CONNECTOR_VIRTUAL}, {"Unknown-", DRM_MODE_CONNECTOR_Unknown},
	{"DVI-D-", DRM_MODE_CONNECTOR_DVID}, {"Composite-", DRM_MODE_CONNECTOR_Composite}};

static void name_connector(struct fake_object *connector)
{
	for (size_t i = 0; i < sizeof(connector_types) / sizeof(connector_types[0]); i++) {
		size_t length = strlen(connector_types[i].name);

		if (strncmp(connector->name, connector_types[i].name, length) == 0) {
			connector->connector_type = connector_types[i].type;
			connector->connector_number = (uint32_t)atoi(connector->name + length);
		}
	}
}

/*
 * Properties that drivers attach with drm_connector_attach_hdr_output_metadata_property(),
 * drm_connector_attach_colorspace_property(), drm_connector_attach_broadcast_rgb_property() and
 * drm_mode_create_scaling_mode_property(); underscan is amdgpu's (amdgpu_display.c).
 */
static void add_resets(struct fake_card *card, struct fake_object *connector)
{
	static const struct named_value spaces[] = {{"Default", 0}, {"BT2020_RGB", 9}};
	static const struct named_value ranges[] = {
		{"Automatic", 0}, {"Full", 1}, {"Limited 16:235", 2}};
	static const struct named_value scalings[] = {
		{"None", 0}, {"Full", 1}, {"Center", 2}, {"Full aspect", 3}};
	static const struct named_value underscans[] = {{"off", 0}, {"on", 1}, {"auto", 2}};

	static const struct named_value aspects[] = {{"Automatic", 0}, {"4:3", 1}, {"16:9", 2}};
	static const struct named_value protections[] = {
		{"Undesired", 0}, {"Desired", 1}, {"Enabled", 2}};
	static const struct named_value hdcp[] = {{"HDCP Type0", 0}, {"HDCP Type1", 1}};

	add_enum(card, connector, "aspect ratio", DRM_MODE_PROP_ENUM, aspects, 3, 0);
	add_enum(card, connector, "Content Protection", DRM_MODE_PROP_ENUM, protections, 3, 0);
	add_enum(card, connector, "HDCP Content Type", DRM_MODE_PROP_ENUM, hdcp, 2, 0);
	add_blob(card, connector, "HDR_OUTPUT_METADATA", 0, 0);
	add_enum(card, connector, "Colorspace", DRM_MODE_PROP_ENUM, spaces, 2, 0);
	add_enum(card, connector, "Broadcast RGB", DRM_MODE_PROP_ENUM, ranges, 3, 0);
	add_enum(card, connector, "scaling mode", DRM_MODE_PROP_ENUM, scalings, 4, 0);
	add_enum(card, connector, "underscan", DRM_MODE_PROP_ENUM, underscans, 3, 0);
}

static void add_connector_extras(struct fake_card *card, struct fake_object *connector)
{
	static const struct named_value contents[] = {
		{"No Data", 0}, {"Graphics", 1}, {"Photo", 2}, {"Cinema", 3}, {"Game", 4}};
	const struct fake_card_kind *kind = card->kind;

	if (kind->max_bpc) {
		add_range(card, connector, "max bpc", DRM_MODE_PROP_RANGE, 6,
			(uint64_t)kind->max_bpc, 8);
	}
	if (kind->vrr) {
		add_range(card, connector, "vrr_capable",
			DRM_MODE_PROP_RANGE | DRM_MODE_PROP_IMMUTABLE, 0, 1, 0);
	}
	if (kind->resets) {
		add_resets(card, connector);
	}
	if (kind->resizes) {
		add_range(card, connector, "hotplug_mode_update",
			DRM_MODE_PROP_RANGE | DRM_MODE_PROP_IMMUTABLE, 0, 1, 1);
	}
	if (kind->content_type && connector->connector_type == DRM_MODE_CONNECTOR_HDMIA) {
		add_enum(card, connector, "content type", DRM_MODE_PROP_ENUM, contents, 5, 0);
	}
}

static void add_connector(struct fake_card *card, const char *name, int index)
{
	static const struct named_value dpms[] = {
		{"On", 0}, {"Standby", 1}, {"Suspend", 2}, {"Off", 3}};
	static const struct named_value link[] = {{"Good", 0}, {"Bad", 1}};
	struct fake_object *encoder = add(card, 0, index, "encoder");
	struct fake_object *connector = add(card, DRM_MODE_OBJECT_CONNECTOR, index, name);

	encoder->possible_crtcs = card->kind->routes[index] ? card->kind->routes[index]
							    : (1u << card->kind->n_crtcs) - 1;
	connector->encoder = encoder->id;
	name_connector(connector);
	add_blob(card, connector, "EDID", DRM_MODE_PROP_IMMUTABLE, 0);
	add_enum(card, connector, "DPMS", DRM_MODE_PROP_ENUM, dpms, 4, 0);
	add_enum(card, connector, "link-status", DRM_MODE_PROP_ENUM, link, 2, 0);
	add_range(card, connector, "non-desktop", DRM_MODE_PROP_RANGE | DRM_MODE_PROP_IMMUTABLE, 0,
		1, 0);
	add_object(card, connector, "CRTC_ID", DRM_MODE_OBJECT_CRTC);
	add_connector_extras(card, connector);
}

static void add_planes_by_kind(struct fake_card *card)
{
	const struct fake_card_kind *kind = card->kind;
	int n_planes = 0;

	for (int j = 0; kind->per_crtc[j]; j++) {
		for (int i = 0; i < kind->n_crtcs; i++) {
			add_plane(card, kind->per_crtc[j], 1u << i, n_planes++);
		}
		for (int k = 0; j == 0 && kind->shared[k]; k++) {
			add_plane(card, kind->shared[k], (1u << kind->n_crtcs) - 1, n_planes++);
		}
	}
}

static void add_planes(struct fake_card *card)
{
	const struct fake_card_kind *kind = card->kind;
	int n_planes = 0;

	for (int i = 0; i < kind->n_crtcs; i++) {
		for (int j = 0; kind->per_crtc[j]; j++) {
			add_plane(card, kind->per_crtc[j], 1u << i, n_planes++);
		}
	}
	for (int j = 0; kind->shared[j]; j++) {
		add_plane(card, kind->shared[j], (1u << kind->n_crtcs) - 1, n_planes++);
	}
}

void fake_objects_init(struct fake_card *card)
{
	const struct fake_card_kind *kind = card->kind;

	for (int i = 0; i < kind->n_crtcs; i++) {
		add_crtc(card, i);
	}
	if (kind->by_kind) {
		add_planes_by_kind(card);
	} else {
		add_planes(card);
	}
	for (int i = 0; kind->connectors[i]; i++) {
		add_connector(card, kind->connectors[i], i);
	}
}

struct fake_object *fake_object_find(struct fake_card *card, uint32_t id)
{
	for (int i = 0; i < card->n_objects; i++) {
		if (card->objects[i].id == id) {
			return &card->objects[i];
		}
	}
	return NULL;
}

struct fake_object *fake_object_named(struct fake_card *card, const char *name)
{
	for (int i = 0; i < card->n_objects; i++) {
		if (strcmp(card->objects[i].name, name) == 0) {
			return &card->objects[i];
		}
	}
	return NULL;
}

struct fake_object *fake_object_at(struct fake_card *card, uint32_t type, int index)
{
	for (int i = 0; i < card->n_objects; i++) {
		if (card->objects[i].type == type && card->objects[i].index == index) {
			return &card->objects[i];
		}
	}
	return NULL;
}

static int compare_id(const void *id, const void *property)
{
	const uint32_t a = *(const uint32_t *)id;
	const uint32_t b = ((const struct fake_property *)property)->id;

	return a < b ? -1 : a > b;
}

/* Ids ascend. */
const struct fake_property *fake_property_find(struct fake_card *card, uint32_t id)
{
	return bsearch(&id, card->properties, (size_t)card->n_properties,
		sizeof(card->properties[0]), compare_id);
}

int fake_object_index(const struct fake_object *object, const char *property)
{
	for (int i = 0; i < object->n_properties; i++) {
		const char *name = object->properties[i]->name;
		if (name[0] == property[0] && strcmp(name, property) == 0) {
			return i;
		}
	}
	return -1;
}

int fake_object_index_id(const struct fake_object *object, uint32_t property)
{
	for (int i = 0; i < object->n_properties; i++) {
		if (object->properties[i]->id == property) {
			return i;
		}
	}
	return -1;
}

uint64_t fake_object_value(const struct fake_object *object, const char *property)
{
	int i = fake_object_index(object, property);

	return i >= 0 ? object->values[i] : 0;
}

void fake_object_set(struct fake_object *object, const char *property, uint64_t value)
{
	int i = fake_object_index(object, property);

	if (i >= 0) {
		object->values[i] = value;
	}
}

void fake_connector_set_screen(
	struct fake_card *card, struct fake_object *connector, const struct fake_screen *screen)
{
	uint8_t edid[128];
	uint32_t id = 0;

	if (connector->screen_blob) {
		fake_blob_destroy(card, fake_blob_find(card, connector->screen_blob));
	}
	if (screen && screen->maker) {
		fake_edid_fill(edid, screen);
		id = fake_blob_create(card, NULL, edid, sizeof(edid))->id;
	}
	connector->screen = screen;
	connector->screen_blob = id;
	fake_object_set(connector, "EDID", id);
	fake_object_set(connector, "vrr_capable", screen && screen->vrr);
	fake_object_set(connector, "non-desktop", screen && screen->non_desktop);
	fake_object_set(connector, "link-status", DRM_MODE_LINK_STATUS_GOOD);
}
