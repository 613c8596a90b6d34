/* SPDX-License-Identifier: MIT */
/* Pixel formats: the table of known formats, and sets of pairs. */

#include "gpu/format.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>
#include <wayland-server-protocol.h>

#define RGB(code, size, bits)                                                                      \
	{                                                                                          \
		.fourcc = DRM_FORMAT_##code, .opaque = DRM_FORMAT_##code, .n_planes = 1,           \
		.bytes = {size}, .hsub = 1, .vsub = 1, .depth = bits                               \
	}
#define YUV(code, planes, h, v, bits, ...)                                                         \
	{                                                                                          \
		.fourcc = DRM_FORMAT_##code, .opaque = DRM_FORMAT_##code, .yuv = true,             \
		.n_planes = planes, .bytes = {__VA_ARGS__}, .hsub = h, .vsub = v, .depth = bits    \
	}

/* clang-format off */

/* A format with alpha, followed by the one without. */
#define RGBA(code, without, size, bits)                                                            \
	{                                                                                          \
		.fourcc = DRM_FORMAT_##code, .opaque = DRM_FORMAT_##without, .has_alpha = true,    \
		.n_planes = 1, .bytes = {size}, .hsub = 1, .vsub = 1, .depth = bits                \
	},                                                                                         \
	RGB(without, size, bits)

static const struct pixel_format table[] = {
	RGBA(ARGB8888, XRGB8888, 4, 8),
	RGBA(ABGR8888, XBGR8888, 4, 8),
	RGBA(RGBA8888, RGBX8888, 4, 8),
	RGBA(BGRA8888, BGRX8888, 4, 8),
	RGB(RGB888, 3, 8),
	RGB(BGR888, 3, 8),
	RGB(RGB565, 2, 6),
	RGB(BGR565, 2, 6),
	RGBA(ARGB4444, XRGB4444, 2, 4),
	RGBA(ABGR4444, XBGR4444, 2, 4),
	RGBA(RGBA4444, RGBX4444, 2, 4),
	RGBA(BGRA4444, BGRX4444, 2, 4),
	RGBA(ARGB1555, XRGB1555, 2, 5),
	RGBA(ABGR1555, XBGR1555, 2, 5),
	RGBA(RGBA5551, RGBX5551, 2, 5),
	RGBA(BGRA5551, BGRX5551, 2, 5),
	RGBA(ARGB2101010, XRGB2101010, 4, 10),
	RGBA(ABGR2101010, XBGR2101010, 4, 10),
	RGBA(ABGR16161616, XBGR16161616, 8, 16),
	RGBA(ABGR16161616F, XBGR16161616F, 8, 16),
	RGBA(ARGB16161616, XRGB16161616, 8, 16),
	RGBA(ARGB16161616F, XRGB16161616F, 8, 16),
	RGB(R8, 1, 8),
	RGB(GR88, 2, 8),
	YUV(YUYV, 1, 2, 1, 8, 2),
	YUV(YVYU, 1, 2, 1, 8, 2),
	YUV(UYVY, 1, 2, 1, 8, 2),
	YUV(NV12, 2, 2, 2, 8, 1, 2),
	YUV(NV21, 2, 2, 2, 8, 1, 2),
	YUV(NV16, 2, 2, 1, 8, 1, 2),
	YUV(P010, 2, 2, 2, 10, 2, 4),
	YUV(P012, 2, 2, 2, 12, 2, 4),
	YUV(P016, 2, 2, 2, 16, 2, 4),
	YUV(YUV420, 3, 2, 2, 8, 1, 1, 1),
	YUV(YVU420, 3, 2, 2, 8, 1, 1, 1),
	YUV(YUV422, 3, 2, 1, 8, 1, 1, 1),
	YUV(YUV444, 3, 1, 1, 8, 1, 1, 1),
};
/* clang-format on */
#define N_FORMATS (sizeof(table) / sizeof(table[0]))

const struct pixel_format *pixel_format_get(uint32_t fourcc)
{
	for (size_t i = 0; i < N_FORMATS; i++) {
		if (table[i].fourcc == fourcc) {
			return &table[i];
		}
	}
	return NULL;
}

const struct pixel_format *pixel_format_table(size_t *n)
{
	*n = N_FORMATS;
	return table;
}

static int32_t divide_up(int32_t value, int32_t by)
{
	return value / by + (value % by != 0);
}

unsigned pixel_format_pixel_bytes(const struct pixel_format *format)
{
	int32_t share = format->hsub * format->vsub, chroma = 0;
	for (int i = 1; i < format->n_planes; i++) {
		chroma += format->bytes[i];
	}
	return (unsigned)(format->bytes[0] + divide_up(chroma, share));
}

int32_t pixel_format_min_stride(const struct pixel_format *format, int plane, int32_t width)
{
	int64_t stride;
	if (format->n_planes == 1) {
		/* Packed formats with shared chroma hold whole groups of pixels. */
		stride = (int64_t)divide_up(width, format->hsub) * format->hsub * format->bytes[0];
	} else {
		stride = (int64_t)divide_up(width, plane > 0 ? format->hsub : 1) *
			 format->bytes[plane];
	}
	return stride > INT32_MAX ? INT32_MAX : (int32_t)stride;
}

int32_t pixel_format_plane_height(const struct pixel_format *format, int plane, int32_t height)
{
	return plane > 0 ? divide_up(height, format->vsub) : height;
}

size_t pixel_format_plane_stride(const struct pixel_format *format, int plane, size_t stride)
{
	return plane == 0 ? stride
			  : stride * format->bytes[plane] / (format->bytes[0] * format->hsub);
}

int64_t pixel_format_size(const struct pixel_format *format, size_t stride, int32_t height)
{
	int64_t size = 0;
	for (int i = 0; i < format->n_planes; i++) {
		int64_t plane = (int64_t)pixel_format_plane_stride(format, i, stride) *
				pixel_format_plane_height(format, i, height);
		/* A plane fits into 62 bits, three of them do not. */
		size = plane > INT64_MAX - size ? INT64_MAX : size + plane;
	}
	return size;
}

uint32_t pixel_format_from_shm(uint32_t wl_shm_format)
{
	switch (wl_shm_format) {
	case WL_SHM_FORMAT_ARGB8888: return DRM_FORMAT_ARGB8888;
	case WL_SHM_FORMAT_XRGB8888: return DRM_FORMAT_XRGB8888;
	case DRM_FORMAT_ARGB8888:
	case DRM_FORMAT_XRGB8888: return DRM_FORMAT_INVALID; /* wl_shm names them otherwise */
	default: return wl_shm_format;
	}
}

uint32_t pixel_format_to_shm(uint32_t fourcc)
{
	switch (fourcc) {
	case DRM_FORMAT_ARGB8888: return WL_SHM_FORMAT_ARGB8888;
	case DRM_FORMAT_XRGB8888: return WL_SHM_FORMAT_XRGB8888;
	default: return fourcc;
	}
}

const char *pixel_format_name(uint32_t fourcc, char name[static 5])
{
	for (int i = 0; i < 4; i++) {
		char c = (char)(fourcc >> (8 * i) & 0x7f);
		name[i] = c > ' ' && c < 0x7f ? c : '?';
	}
	name[4] = '\0';
	return name;
}

bool modifier_is_compressed(uint64_t modifier)
{
	return IS_AMD_FMT_MOD(modifier) && AMD_FMT_MOD_GET(DCC, modifier);
}

uint64_t modifier_without_compression(uint64_t modifier)
{
	/* All fields about DCC, from DCC to DCC_CONSTANT_ENCODE. */
	return modifier_is_compressed(modifier) ? modifier & ~UINT64_C(0x1fe000) : modifier;
}

void format_set_finish(struct format_set *set)
{
	for (size_t i = 0; i < set->n_formats; i++) {
		free(set->formats[i].modifiers);
	}
	free(set->formats);
	*set = (struct format_set){0};
}

bool format_has_modifier(const struct format_modifiers *format, uint64_t modifier)
{
	for (size_t i = 0; i < format->n_modifiers; i++) {
		if (format->modifiers[i] == modifier) {
			return true;
		}
	}
	return false;
}

static struct format_modifiers *get(const struct format_set *set, uint32_t format)
{
	for (size_t i = 0; i < set->n_formats; i++) {
		if (set->formats[i].format == format) {
			return &set->formats[i];
		}
	}
	return NULL;
}

const struct format_modifiers *format_set_get(const struct format_set *set, uint32_t format)
{
	return get(set, format);
}

void format_set_add(struct format_set *set, uint32_t format, uint64_t modifier)
{
	struct format_modifiers *entry = get(set, format);
	if (!entry) {
		set->formats = xrealloc(set->formats, set->n_formats + 1, sizeof(*set->formats));
		entry = &set->formats[set->n_formats++];
		*entry = (struct format_modifiers){.format = format};
	}
	if (format_has_modifier(entry, modifier)) {
		return;
	}
	entry->modifiers =
		xrealloc(entry->modifiers, entry->n_modifiers + 1, sizeof(*entry->modifiers));
	entry->modifiers[entry->n_modifiers++] = modifier;
}

bool format_set_has(const struct format_set *set, uint32_t format, uint64_t modifier)
{
	const struct format_modifiers *entry = get(set, format);
	return entry && format_has_modifier(entry, modifier);
}

bool format_set_equal(const struct format_set *a, const struct format_set *b)
{
	if (a->n_formats != b->n_formats) {
		return false;
	}
	for (size_t i = 0; i < a->n_formats; i++) {
		const struct format_modifiers *one = &a->formats[i], *other = &b->formats[i];
		if (one->format != other->format || one->n_modifiers != other->n_modifiers ||
			(one->n_modifiers > 0 &&
				memcmp(one->modifiers, other->modifiers,
					one->n_modifiers * sizeof(*one->modifiers)) != 0)) {
			return false;
		}
	}
	return true;
}

void format_set_copy(struct format_set *out, const struct format_set *in)
{
	*out = (struct format_set){
		.n_formats = in->n_formats,
		.formats = xcalloc(in->n_formats, sizeof(*out->formats)),
	};
	for (size_t i = 0; i < in->n_formats; i++) {
		size_t n = in->formats[i].n_modifiers;
		out->formats[i] = in->formats[i];
		out->formats[i].modifiers = xcalloc(n, sizeof(uint64_t));
		memcpy(out->formats[i].modifiers, in->formats[i].modifiers, n * sizeof(uint64_t));
	}
}

void format_set_intersect(
	struct format_set *out, const struct format_set *a, const struct format_set *b)
{
	for (size_t i = 0; i < a->n_formats; i++) {
		const struct format_modifiers *format = &a->formats[i];
		for (size_t j = 0; j < format->n_modifiers; j++) {
			if (format_set_has(b, format->format, format->modifiers[j])) {
				format_set_add(out, format->format, format->modifiers[j]);
			}
		}
	}
}
