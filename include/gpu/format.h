#pragma once

/**
 * Pixel formats (DRM fourcc codes) and sets of (format, modifier) pairs.
 */

#include <drm_fourcc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What the compositor knows about a format. */
struct pixel_format {
	uint32_t fourcc;
	/** The same layout with the alpha channel ignored, or the format itself if it has none. */
	uint32_t opaque;
	bool has_alpha;
	bool yuv;
	uint8_t n_planes;
	/** Bytes per pixel of each plane (per horizontally subsampled sample in chroma planes). */
	uint8_t bytes[3];
	/** Subsampling of planes 1 and 2. */
	uint8_t hsub, vsub;
	/** Bits of the widest colour channel: 6, 8, 10, 16. */
	uint8_t depth;
};

/** NULL for a format that is not in the table. */
const struct pixel_format *pixel_format_get(uint32_t fourcc);
/** All entries; *n is their number. */
const struct pixel_format *pixel_format_table(size_t *n);
/** Smallest legal stride in bytes of a plane for this width. */
int32_t pixel_format_min_stride(const struct pixel_format *format, int plane, int32_t width);
/** Rows of a plane. */
int32_t pixel_format_plane_height(const struct pixel_format *format, int plane, int32_t height);
/** The stride of a plane where only that of the first one was said (wl_shm). */
size_t pixel_format_plane_stride(const struct pixel_format *format, int plane, size_t stride);
/** Bytes of all planes, one after the other, with strides as above. */
int64_t pixel_format_size(const struct pixel_format *format, size_t stride, int32_t height);
/** wl_shm has codes of its own for two formats; DRM_FORMAT_INVALID for what is no wl_shm code. */
uint32_t pixel_format_from_shm(uint32_t wl_shm_format);
uint32_t pixel_format_to_shm(uint32_t fourcc);
/** "AR24", in static storage of the caller's. */
const char *pixel_format_name(uint32_t fourcc, char name[static 5]);

/** It is one of AMD's compressed (DCC) layouts, which their copy engines neither read nor write here. */
bool modifier_is_compressed(uint64_t modifier);

/** The modifiers that go with one format. */
struct format_modifiers {
	uint32_t format;
	size_t n_modifiers;
	uint64_t *modifiers;
};

/** Formats in insertion order; owned arrays. Zero-initialised is the empty set. */
struct format_set {
	size_t n_formats;
	struct format_modifiers *formats;
};

void format_set_finish(struct format_set *set);
/** Adding twice has no effect. */
void format_set_add(struct format_set *set, uint32_t format, uint64_t modifier);
bool format_set_has(const struct format_set *set, uint32_t format, uint64_t modifier);
const struct format_modifiers *format_set_get(const struct format_set *set, uint32_t format);
/** The same pairs in the same order. */
bool format_set_equal(const struct format_set *a, const struct format_set *b);
void format_set_copy(struct format_set *out, const struct format_set *in);
/** Pairs that are in both; `out` must be empty and neither input. */
void format_set_intersect(
	struct format_set *out, const struct format_set *a, const struct format_set *b);
