/* SPDX-License-Identifier: MIT */
#pragma once

/** Pixel formats (DRM fourcc codes) and sets of (format, modifier) pairs. */

#include <drm_fourcc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Properties of a format. */
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

/** Returns NULL for unknown formats. */
const struct pixel_format *pixel_format_get(uint32_t fourcc);
/** Returns all entries; *n is their number. */
const struct pixel_format *pixel_format_table(size_t *n);
/** Returns the bytes of a pixel in all planes, rounded up. */
unsigned pixel_format_pixel_bytes(const struct pixel_format *format);
/** Smallest legal stride in bytes of a plane for this width. */
int32_t pixel_format_min_stride(const struct pixel_format *format, int plane, int32_t width);
/** Rows of a plane. */
int32_t pixel_format_plane_height(const struct pixel_format *format, int plane, int32_t height);
/** Returns the stride of a plane, given the first plane's (wl_shm). */
size_t pixel_format_plane_stride(const struct pixel_format *format, int plane, size_t stride);
/**
 * Returns the bytes of all planes, one after the other, with strides as above; at most INT64_MAX.
 * `stride` and `height` fit into 31 bits.
 */
int64_t pixel_format_size(const struct pixel_format *format, size_t stride, int32_t height);
/**
 * Converts a wl_shm code, which differs for two formats. Returns DRM_FORMAT_INVALID for unknown
 * codes.
 */
uint32_t pixel_format_from_shm(uint32_t wl_shm_format);
uint32_t pixel_format_to_shm(uint32_t fourcc);
/** Writes the name ("AR24") into the caller's buffer. */
const char *pixel_format_name(uint32_t fourcc, char name[static 5]);

/**
 * Returns whether the modifier is one of AMD's compressed (DCC) layouts, which no copy engine
 * writes, and SDMA reads if the configuration allows it.
 */
bool modifier_is_compressed(uint64_t modifier);
/** Returns the same tiling without AMD's compression. */
uint64_t modifier_without_compression(uint64_t modifier);

/** The modifiers that go with one format. */
struct format_modifiers {
	uint32_t format;
	size_t n_modifiers;
	uint64_t *modifiers;
};

bool format_has_modifier(const struct format_modifiers *format, uint64_t modifier);

/** Formats in insertion order; owned arrays. Zero-initialised is the empty set. */
struct format_set {
	size_t n_formats;
	struct format_modifiers *formats;
};

void format_set_finish(struct format_set *set);
/** Adds a pair; duplicates are ignored. */
void format_set_add(struct format_set *set, uint32_t format, uint64_t modifier);
bool format_set_has(const struct format_set *set, uint32_t format, uint64_t modifier);
const struct format_modifiers *format_set_get(const struct format_set *set, uint32_t format);
/** Returns whether both have the same pairs in the same order. */
bool format_set_equal(const struct format_set *a, const struct format_set *b);
void format_set_copy(struct format_set *out, const struct format_set *in);
/** Stores the pairs of both sets; `out` is empty and neither of them. */
void format_set_intersect(
	struct format_set *out, const struct format_set *a, const struct format_set *b);
