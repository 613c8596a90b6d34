/* SPDX-License-Identifier: MIT */
/* Images mapped by the CPU, and copies between them. */

#include "copy/cpu/image.h"
#include "copy/amd/detile.h"
#include "copy/engine.h"
#include "gpu/format.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/fence.h"
#include "util/xalloc.h"
#include <errno.h>
#include <linux/dma-buf.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static uint32_t divide_up(uint32_t value, uint32_t by)
{
	return (value + by - 1) / by;
}

static bool init_tiled(struct cpu_plane *plane, uint64_t modifier)
{
	struct tiling_mode mode;
	uint32_t pitch = plane->stride / plane->bytes;
	plane->tiled = true;
	return (plane->bytes & (plane->bytes - 1)) == 0 &&
	       tiling_mode_from_modifier(&mode, modifier) && !mode.dcc &&
	       tiling_init(&plane->tiling, &mode, (unsigned)__builtin_ctz(plane->bytes)) &&
	       plane->stride % plane->bytes == 0 && pitch % plane->tiling.block_width == 0 &&
	       pitch >= plane->width;
}

/* Describes a plane; *size is the least size of its file. */
static int init_plane(struct cpu_plane *plane, const struct dmabuf *dmabuf,
	const struct pixel_format *format, int i, const char **reason)
{
	uint64_t size;
	*plane = (struct cpu_plane){
		.bytes = format->bytes[i],
		.hsub = i > 0 ? format->hsub : 1,
		.vsub = i > 0 ? format->vsub : 1,
		.offset = dmabuf->offset[i],
		.stride = dmabuf->stride[i],
	};
	plane->width = divide_up((uint32_t)dmabuf->width, plane->hsub);
	plane->height = divide_up((uint32_t)dmabuf->height, plane->vsub);
	if (dmabuf->modifier == DRM_FORMAT_MOD_LINEAR) {
		*reason = "its stride is too small";
		if ((uint64_t)plane->width * plane->bytes > plane->stride) {
			return -ENOTSUP;
		}
		size = (uint64_t)plane->stride * (plane->height - 1) +
		       (uint64_t)plane->width * plane->bytes;
	} else {
		*reason = dmabuf->modifier == DRM_FORMAT_MOD_INVALID
				  ? "its modifier is implicit"
				  : "the CPU cannot read its modifier";
		if (!init_tiled(plane, dmabuf->modifier)) {
			return -ENOTSUP;
		}
		size = tiling_size(&plane->tiling, plane->stride / plane->bytes, plane->height);
	}
	*reason = "it is too large";
	if (size > SIZE_MAX - plane->offset) {
		return -ENOTSUP;
	}
	plane->size = (size_t)size + plane->offset;
	return 0;
}

static bool format_known(const struct pixel_format *format)
{
	return format && format->n_planes <= CPU_PLANES_MAX &&
	       !(format->n_planes == 1 && format->hsub > 1);
}

bool cpu_mapping_layout_known(uint32_t fourcc, uint64_t modifier)
{
	const struct pixel_format *format = pixel_format_get(fourcc);
	struct dmabuf dmabuf;
	struct cpu_plane plane;
	const char *reason;
	if (!format_known(format) || !copy_trial_init(&dmabuf, fourcc, modifier)) {
		return false;
	}
	for (int i = 0; i < format->n_planes; i++) {
		if (init_plane(&plane, &dmabuf, format, i, &reason) < 0) {
			return false;
		}
	}
	return true;
}

static int init(
	struct cpu_mapping *mapping, const struct dmabuf *dmabuf, bool write, const char **reason)
{
	const struct pixel_format *format = pixel_format_get(dmabuf->format);
	int protection = write ? PROT_READ | PROT_WRITE : PROT_READ;
	*reason = "its format is unknown";
	if (!format_known(format) || format->n_planes > dmabuf->n_planes) {
		return -ENOTSUP;
	}
	*reason = "its modifier has an additional plane";
	if (dmabuf->n_planes > format->n_planes) {
		return -ENOTSUP;
	}
	mapping->dmabuf = fd_is_dmabuf(dmabuf->fd[0]);
	for (int i = 0; i < format->n_planes; i++) {
		struct cpu_plane *plane = &mapping->planes[i];
		int error = init_plane(plane, dmabuf, format, i, reason);
		void *map;
		if (error < 0) {
			return error;
		}
		*reason = "its memory is too small";
		/* A shrinking file would raise SIGBUS. */
		if (!dmabuf_memory_stays(dmabuf->fd[i], (int64_t)plane->size)) {
			return -ENOTSUP;
		}
		map = mmap(NULL, plane->size, protection, MAP_SHARED, dmabuf->fd[i], 0);
		*reason = errno == EPERM ? "its driver refuses to map it"
					 : "its memory cannot be mapped";
		if (map == MAP_FAILED) {
			return error_may_pass(-errno) ? -errno : -ENOTSUP;
		}
		plane->map = map;
		mapping->n_planes++;
	}
	return 0;
}

static void finish(struct cpu_mapping *mapping)
{
	for (int i = 0; i < mapping->n_planes; i++) {
		munmap(mapping->planes[i].map, mapping->planes[i].size);
	}
}

int cpu_mapping_check(const struct dmabuf *dmabuf, bool write, const char **reason)
{
	struct cpu_mapping mapping = {0};
	int error = init(&mapping, dmabuf, write, reason);
	finish(&mapping);
	return error;
}

int cpu_mapping_create(const struct dmabuf *dmabuf, bool write, struct cpu_mapping **out)
{
	struct cpu_mapping *mapping = xcalloc(1, sizeof(*mapping));
	const char *reason;
	int error = init(mapping, dmabuf, write, &reason);
	mapping->n_refs = 1;
	for (int i = 0; i < CPU_PLANES_MAX; i++) {
		mapping->fd[i] = -1;
	}
	for (int i = 0; i < mapping->n_planes && error == 0; i++) {
		mapping->fd[i] = fd_dup(dmabuf->fd[i]);
		error = mapping->fd[i] < 0 ? mapping->fd[i] : 0;
	}
	if (error < 0) {
		cpu_mapping_unref(mapping);
		return error;
	}
	*out = mapping;
	return 0;
}

struct cpu_mapping *cpu_mapping_ref(struct cpu_mapping *mapping)
{
	__atomic_add_fetch(&mapping->n_refs, 1, __ATOMIC_RELAXED);
	return mapping;
}

void cpu_mapping_unref(struct cpu_mapping *mapping)
{
	if (__atomic_sub_fetch(&mapping->n_refs, 1, __ATOMIC_ACQ_REL) > 0) {
		return;
	}
	finish(mapping);
	for (int i = 0; i < CPU_PLANES_MAX; i++) {
		fd_close(&mapping->fd[i]);
	}
	free(mapping);
}

static int announce_all(struct cpu_mapping *mapping, uint64_t flags)
{
	for (int i = 0; mapping->dmabuf && i < mapping->n_planes; i++) {
		int error = fence_dmabuf_access(mapping->fd[i], flags);
		if (error < 0) {
			return error;
		}
	}
	return 0;
}

int cpu_mapping_begin(struct cpu_mapping *mapping, bool write)
{
	return announce_all(
		mapping, DMA_BUF_SYNC_START | (write ? DMA_BUF_SYNC_RW : DMA_BUF_SYNC_READ));
}

int cpu_mapping_end(struct cpu_mapping *mapping, bool write)
{
	return announce_all(
		mapping, DMA_BUF_SYNC_END | (write ? DMA_BUF_SYNC_RW : DMA_BUF_SYNC_READ));
}

/* Returns the elements of a plane that the box touches. */
static void scale(const struct cpu_plane *plane, const pixman_box32_t *box, pixman_box32_t *out)
{
	out->x1 = box->x1 / plane->hsub;
	out->y1 = box->y1 / plane->vsub;
	out->x2 = (int32_t)divide_up((uint32_t)box->x2, plane->hsub);
	out->y2 = (int32_t)divide_up((uint32_t)box->y2, plane->vsub);
}

uint64_t cpu_mapping_bytes(const struct cpu_mapping *mapping, const pixman_box32_t *box)
{
	uint64_t bytes = 0;
	for (int i = 0; i < mapping->n_planes; i++) {
		pixman_box32_t elements;
		scale(&mapping->planes[i], box, &elements);
		bytes += (uint64_t)(elements.x2 - elements.x1) *
			 (uint64_t)(elements.y2 - elements.y1) * mapping->planes[i].bytes;
	}
	return bytes;
}

static uint8_t *at(const struct cpu_plane *plane, int32_t x, int32_t y)
{
	return plane->map + plane->offset + (size_t)y * plane->stride + (size_t)x * plane->bytes;
}

/*
 * Tiled memory is read in whole blocks, front to back, into cached memory; the elements are picked
 * there.
 */
static void copy_from_tiled(enum stream_method method, const struct cpu_plane *source,
	const pixman_box32_t *box, uint8_t *to, size_t stride)
{
	const struct tiling *tiling = &source->tiling;
	uint32_t width = tiling->block_width, height = tiling->block_height;
	uint32_t first = (uint32_t)box->x1 / width, last = ((uint32_t)box->x2 - 1) / width;
	uint32_t pitch = source->stride / source->bytes;
	size_t size = (size_t)(last - first + 1) << tiling->log2_block;
	uint8_t *blocks = xcalloc(1, size);
	uint32_t next;
	for (uint32_t y = (uint32_t)box->y1; y < (uint32_t)box->y2; y = next) {
		uint32_t row = y / height;
		size_t from = ((size_t)row * (pitch / width) + first) << tiling->log2_block;
		struct detile window = {
			.tiling = tiling,
			.pitch = pitch,
			.x = (uint32_t)box->x1,
			.y = y,
			.width = (uint32_t)(box->x2 - box->x1),
		};
		next = (row + 1) * height < (uint32_t)box->y2 ? (row + 1) * height
							      : (uint32_t)box->y2;
		window.height = next - y;
		stream_read(method, blocks, source->map + source->offset + from, size);
		/* The position in a block depends on the block's own coordinates. */
		uintptr_t start = (uintptr_t)blocks - from;
		detile(&window, (void *)start, to + (y - (uint32_t)box->y1) * stride, stride);
	}
	free(blocks);
}

static void copy_to_tiled(enum stream_method method, const struct cpu_plane *source,
	const pixman_box32_t *box, struct cpu_plane *destination, int32_t x, int32_t y)
{
	size_t row = (size_t)(box->x2 - box->x1) * source->bytes;
	uint8_t *line = xcalloc(1, row);
	for (int32_t i = 0; i < box->y2 - box->y1; i++) {
		struct detile window = {
			.tiling = &destination->tiling,
			.pitch = destination->stride / destination->bytes,
			.x = (uint32_t)x,
			.y = (uint32_t)(y + i),
			.width = (uint32_t)(box->x2 - box->x1),
			.height = 1,
		};
		stream_read(method, line, at(source, box->x1, box->y1 + i), row);
		retile(&window, destination->map + destination->offset, line, row);
	}
	free(line);
}

static void copy_linear(enum stream_method method, const struct cpu_plane *source,
	const pixman_box32_t *box, uint8_t *to, size_t stride)
{
	size_t row = (size_t)(box->x2 - box->x1) * source->bytes;
	for (int32_t y = box->y1; y < box->y2; y++) {
		stream_read(method, to, at(source, box->x1, y), row);
		to += stride;
	}
}

void cpu_mapping_copy(enum stream_method method, const struct cpu_mapping *source,
	struct cpu_mapping *destination, const pixman_box32_t *box, int32_t dx, int32_t dy)
{
	for (int i = 0; i < source->n_planes; i++) {
		const struct cpu_plane *from = &source->planes[i];
		struct cpu_plane *to = &destination->planes[i];
		pixman_box32_t elements;
		int32_t x, y;
		scale(from, box, &elements);
		x = elements.x1 + dx / from->hsub;
		y = elements.y1 + dy / from->vsub;
		if (to->tiled) {
			copy_to_tiled(method, from, &elements, to, x, y);
		} else if (from->tiled) {
			copy_from_tiled(method, from, &elements, at(to, x, y), to->stride);
		} else {
			copy_linear(method, from, &elements, at(to, x, y), to->stride);
		}
	}
}
