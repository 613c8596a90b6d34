/* SPDX-License-Identifier: MIT */
/* KMS planes: capabilities, and assignment to outputs. */

#include "drm.h"
#include <assert.h>
#include <limits.h>
#include <string.h>

struct drm_plane *drm_plane_from_base(const struct plane *base)
{
	return wl_container_of((struct plane *)base, (struct drm_plane *)NULL, base);
}

bool drm_plane_takes_fence(const struct drm_card *card, const struct drm_plane *plane)
{
	return plane->properties[PLANE_IN_FENCE_FD].id &&
	       !drm_card_has_quirk(card, DRM_QUIRK_NO_IN_FENCE);
}

/*
 * Reads the formats, with modifiers if the driver has IN_FORMATS; otherwise with implicit layouts.
 */
static void read_formats(struct drm_card *card, struct drm_plane *plane, const drmModePlane *info)
{
	struct format_set *formats = &plane->base.formats;
	uint32_t blob_id = (uint32_t)plane->properties[PLANE_IN_FORMATS].value;
	drmModePropertyBlobRes *blob =
		card->addfb_modifiers && blob_id ? drmModeGetPropertyBlob(card->fd, blob_id) : NULL;
	if (blob) {
		drmModeFormatModifierIterator iterator = {0};
		while (drmModeFormatModifierBlobIterNext(blob, &iterator)) {
			format_set_add(formats, iterator.fmt, iterator.mod);
		}
		drmModeFreePropertyBlob(blob);
	}
	for (uint32_t i = 0; i < info->count_formats; i++) {
		if (!format_set_get(formats, info->formats[i])) {
			format_set_add(formats, info->formats[i], DRM_FORMAT_MOD_LINEAR);
		}
		/* Explicit layouts are preferred to implicit ones. */
		if (!drm_card_has_quirk(card, DRM_QUIRK_NO_IMPLICIT)) {
			format_set_add(formats, info->formats[i], DRM_FORMAT_MOD_INVALID);
		}
	}
}

static void read_zpos(struct drm_card *card, struct drm_plane *plane)
{
	const struct drm_property *zpos = &plane->properties[PLANE_ZPOS];
	plane->base.zpos_min = plane->base.zpos_max = (int)zpos->value;
	drmModePropertyRes *property = zpos->id ? drmModeGetProperty(card->fd, zpos->id) : NULL;
	if (!property) {
		return;
	}
	if (!(property->flags & DRM_MODE_PROP_IMMUTABLE) && property->count_values == 2) {
		plane->zpos_mutable = true;
		plane->base.zpos_min = (int)property->values[0];
		plane->base.zpos_max = (int)property->values[1];
	}
	drmModeFreeProperty(property);
}

static void read_rotations(struct drm_card *card, struct drm_plane *plane)
{
	const struct drm_property *rotation = &plane->properties[PLANE_ROTATION];
	plane->rotations = DRM_MODE_ROTATE_0;
	drmModePropertyRes *property =
		rotation->id ? drmModeGetProperty(card->fd, rotation->id) : NULL;
	for (int i = 0; property && i < property->count_enums; i++) {
		plane->rotations |= 1u << property->enums[i].value;
	}
	drmModeFreeProperty(property);
}

/* Looks up a property's value by name; `wanted` has the ID 0 if the driver lacks it. */
static void want(struct drm_card *card, struct drm_property *wanted, const char *name)
{
	drmModePropertyRes *property = wanted->id ? drmModeGetProperty(card->fd, wanted->id) : NULL;
	wanted->id = 0;
	for (int i = 0; property && i < property->count_enums; i++) {
		if (strcmp(property->enums[i].name, name) == 0) {
			wanted->id = property->prop_id;
			wanted->value = property->enums[i].value;
		}
	}
	drmModeFreeProperty(property);
}

/* Blends premultiplied alpha, like the renderers; another DRM master may have left another mode. */
static void want_usual(struct drm_card *card, struct drm_plane *plane)
{
	want(card, &plane->properties[PLANE_BLEND_MODE], "Pre-multiplied");
}

/* Reads a property's values by name; -1 for NULL and for an unknown name. */
static void read_values(struct drm_card *card, const struct drm_property *wanted,
	const char *const *names, int64_t *values, int n)
{
	drmModePropertyRes *property = wanted->id ? drmModeGetProperty(card->fd, wanted->id) : NULL;
	for (int i = 0; i < n; i++) {
		values[i] = -1;
		for (int e = 0; property && names[i] && e < property->count_enums; e++) {
			if (strcmp(property->enums[e].name, names[i]) == 0) {
				values[i] = (int64_t)property->enums[e].value;
			}
		}
	}
	drmModeFreeProperty(property);
}

static void read_codings(struct drm_card *card, struct drm_plane *plane)
{
	static const char *const encodings[] = {
		[COLOR_MATRIX_BT601] = "ITU-R BT.601 YCbCr",
		[COLOR_MATRIX_BT709] = "ITU-R BT.709 YCbCr",
		[COLOR_MATRIX_BT2020] = "ITU-R BT.2020 YCbCr",
	};
	static const char *const ranges[] = {
		[COLOR_RANGE_FULL] = "YCbCr full range",
		[COLOR_RANGE_LIMITED] = "YCbCr limited range",
	};
	read_values(card, &plane->properties[PLANE_COLOR_ENCODING], encodings, plane->encodings,
		COLOR_MATRIX_BT2020 + 1);
	read_values(card, &plane->properties[PLANE_COLOR_RANGE], ranges, plane->ranges,
		COLOR_RANGE_LIMITED + 1);
}

/*
 * Cursor planes take the sizes of SIZE_HINTS (Linux 6.16; i915, xe: intel_cursor_add_size_hints()).
 * Without that property, squares whose side is a power of two work on all drivers: i915 takes no
 * cursor that is higher than wide (i9xx_cursor_size_ok()), amdgpu takes widths of 64, 128 and 256
 * (amdgpu_dm_plane.c).
 */
static void read_cursor_sizes(struct drm_card *card, struct drm_plane *plane)
{
	uint32_t id = (uint32_t)plane->properties[PLANE_SIZE_HINTS].value;
	drmModePropertyBlobRes *blob = id ? drmModeGetPropertyBlob(card->fd, id) : NULL;
	const struct drm_plane_size_hint *hints = blob ? blob->data : NULL;
	struct plane *base = &plane->base;
	for (size_t i = 0;
		hints && i < blob->length / sizeof(*hints) && base->n_sizes < PLANE_SIZES_MAX;
		i++) {
		base->sizes[base->n_sizes++] = (struct plane_size){hints[i].width, hints[i].height};
	}
	drmModeFreePropertyBlob(blob);
	base->max_width = (int32_t)card->cursor_width;
	base->max_height = (int32_t)card->cursor_height;
}

void drm_plane_init(struct drm_card *card, struct drm_plane *plane, uint32_t id)
{
	*plane = (struct drm_plane){.id = id, .base.takes_opaque = true};
	drmModePlane *info = drmModeGetPlane(card->fd, id);
	if (!info) {
		return; /* removed by now: usable by no CRTC */
	}
	drm_read_plane(card->fd, id, plane->properties);
	drm_read_resets(card->fd, id, DRM_MODE_OBJECT_PLANE, false, &plane->resets);
	plane->possible_crtcs = info->possible_crtcs;
	switch (plane->properties[PLANE_TYPE].value) {
	case DRM_PLANE_TYPE_PRIMARY: plane->base.type = PLANE_PRIMARY; break;
	case DRM_PLANE_TYPE_CURSOR:
		plane->base.type = PLANE_CURSOR;
		read_cursor_sizes(card, plane);
		break;
	default: plane->base.type = PLANE_OVERLAY; break;
	}
	read_formats(card, plane, info);
	read_zpos(card, plane);
	read_rotations(card, plane);
	want_usual(card, plane);
	read_codings(card, plane);
	drmModeFreePlane(info);
}

void drm_plane_finish(struct drm_plane *plane)
{
	assert(!plane->crtc && !plane->shown && !plane->pending);
	format_set_finish(&plane->base.formats);
}

static bool usable(const struct drm_plane *plane, const struct drm_crtc *crtc)
{
	return !plane->crtc && plane->possible_crtcs & 1u << crtc->index;
}

static int count_bits(uint32_t mask)
{
	return __builtin_popcount(mask);
}

/*
 * Finds the free plane that the fewest CRTCs can use, to leave the others for them. Among equal
 * ones, the n-th CRTC gets the n-th: the firmware driver of vc4 lists all CRTCs for each plane, and
 * shows it on its own one (raspberrypi/linux#3734).
 */
static struct drm_plane *find(struct drm_card *card, struct drm_crtc *crtc, enum plane_type type)
{
	struct drm_plane *best = NULL;
	int n = 0;
	for (int i = 0; i < card->n_planes; i++) {
		struct drm_plane *plane = &card->planes[i];
		if (plane->base.type != type) {
			continue;
		}
		bool own = n++ == crtc->index;
		int bits = count_bits(plane->possible_crtcs);
		int least = best ? count_bits(best->possible_crtcs) : INT_MAX;
		if (usable(plane, crtc) && (bits < least || (bits == least && own))) {
			best = plane;
		}
	}
	return best;
}

static void give(struct drm_crtc *crtc, struct drm_plane *plane)
{
	if (crtc->n_planes < OUTPUT_PLANES_MAX) {
		plane->crtc = crtc;
		plane->base.index = crtc->n_planes;
		crtc->planes[crtc->n_planes++] = &plane->base;
	}
}

/* Assigns an even share of the overlays that several CRTCs can use. */
static void give_overlays(struct drm_card *card, struct drm_crtc *crtc)
{
	int n_shared = 0;
	for (int i = 0; i < card->n_planes; i++) {
		const struct drm_plane *plane = &card->planes[i];
		n_shared +=
			plane->base.type == PLANE_OVERLAY && count_bits(plane->possible_crtcs) > 1;
	}
	int quota = (n_shared + card->n_crtcs - 1) / card->n_crtcs;
	for (int i = 0; i < card->n_planes; i++) {
		struct drm_plane *plane = &card->planes[i];
		if (plane->base.type != PLANE_OVERLAY || !usable(plane, crtc)) {
			continue;
		}
		bool shared = count_bits(plane->possible_crtcs) > 1;
		if (!shared || quota > 0) {
			give(crtc, plane);
			quota -= shared;
		}
	}
}

/* Without zpos properties, the order is: primary, overlays as listed, cursor. */
static void order(struct drm_crtc *crtc)
{
	for (int i = 0; i < crtc->n_planes; i++) {
		struct drm_plane *plane = drm_plane_from_base(crtc->planes[i]);
		if (!plane->properties[PLANE_ZPOS].id) {
			plane->base.zpos_min = plane->base.zpos_max = i;
		}
	}
}

bool drm_planes_assign(struct drm_card *card, struct drm_crtc *crtc)
{
	if (crtc->n_planes > 0) {
		return true;
	}
	struct drm_plane *primary = find(card, crtc, PLANE_PRIMARY);
	if (!primary) {
		return false;
	}
	struct drm_plane *cursor = find(card, crtc, PLANE_CURSOR);
	give(crtc, primary);
	if (card->backend->overlays != DRM_OVERLAYS_OFF &&
		!drm_card_has_quirk(card, DRM_QUIRK_NO_OVERLAYS)) {
		give_overlays(card, crtc);
	}
	if (cursor) {
		if (crtc->n_planes == OUTPUT_PLANES_MAX) {
			drm_plane_from_base(crtc->planes[--crtc->n_planes])->crtc = NULL;
		}
		give(crtc, cursor);
	}
	order(crtc);
	return true;
}

void drm_planes_release(struct drm_crtc *crtc)
{
	for (int i = 0; i < crtc->n_planes; i++) {
		drm_plane_from_base(crtc->planes[i])->crtc = NULL;
	}
	crtc->n_planes = 0;
}
