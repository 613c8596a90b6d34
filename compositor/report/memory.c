/* SPDX-License-Identifier: MIT */
/* Images of the hardware report: tiled ones of a GPU, and kinds of linear memory. */

#include "memory.h"
#include "buffer/udmabuf.h"
#include "gpu/format.h"
#include "gpu/gbm.h"
#include "gpu/gpu.h"
#include "util/fd.h"
#include <errno.h>
#include <gbm.h>
#include <linux/dma-buf.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define FORMAT DRM_FORMAT_XRGB8888
/* The strictest alignment of rows: SDMA's and scan-out's. */
#define ROW_ALIGNMENT 256
#define MODIFIERS_MAX 256

const char *memory_kind_name(enum memory_kind kind)
{
	static const char *const names[MEMORY_KINDS] = {
		[MEMORY_ENGINE] = "engine",
		[MEMORY_GBM] = "gbm",
		[MEMORY_UDMABUF] = "udmabuf",
	};
	return names[kind];
}

static int allocate_pages(struct dmabuf *out)
{
	int file = fd_create_memory("causeway-report", IMAGE_BYTES, true);
	if (file < 0) {
		return file;
	}
	int fd = udmabuf_create(file, 0, IMAGE_BYTES);
	close(file);
	if (fd < 0) {
		return fd;
	}
	dmabuf_init_linear(out, IMAGE_WIDTH, IMAGE_HEIGHT, FORMAT, fd, IMAGE_WIDTH * 4);
	return 0;
}

int memory_allocate(
	enum memory_kind kind, struct copy_engine *engine, struct gpu *gpu, struct dmabuf *out)
{
	switch (kind) {
	case MEMORY_ENGINE:
		return engine->impl->allocate ? engine->impl->allocate(engine, IMAGE_WIDTH,
							IMAGE_HEIGHT, FORMAT, ROW_ALIGNMENT, out)
					      : -ENOTSUP;
	case MEMORY_GBM:
		return gpu_allocate_linear(
			gpu, IMAGE_WIDTH, IMAGE_HEIGHT, FORMAT, ROW_ALIGNMENT, out);
	default: return allocate_pages(out);
	}
}

/* Finds layouts that GBM might choose; which ones the GPU has, the allocation shows. */
static unsigned find_modifiers(
	struct copy_engine *engine, const uint64_t *known, size_t n, uint64_t *modifiers)
{
	unsigned found = 0;
	for (size_t i = 0; i < n && found < MODIFIERS_MAX; i++) {
		if (known[i] != DRM_FORMAT_MOD_LINEAR && known[i] != DRM_FORMAT_MOD_INVALID &&
			copy_engine_reads(engine, FORMAT, known[i])) {
			modifiers[found++] = known[i];
		}
	}
	return found;
}

int memory_allocate_native(struct copy_engine *engine, struct gpu *gpu,
	const struct format_modifiers *known, struct dmabuf *out)
{
	uint64_t modifiers[MODIFIERS_MAX];
	unsigned n =
		known ? find_modifiers(engine, known->modifiers, known->n_modifiers, modifiers) : 0;
	errno = ENOTSUP;
	struct gbm_bo *bo = gpu->gbm && n > 0 ? gbm_bo_create_with_modifiers2(gpu->gbm, IMAGE_WIDTH,
							IMAGE_HEIGHT, FORMAT, modifiers, n,
							GBM_BO_USE_RENDERING)
					      : NULL;
	if (!bo) {
		return -errno;
	}
	dmabuf_init(out);
	out->width = IMAGE_WIDTH;
	out->height = IMAGE_HEIGHT;
	out->format = FORMAT;
	out->modifier = gbm_bo_get_modifier(bo);
	int error = gbm_export_planes(bo, out);
	gbm_bo_destroy(bo);
	if (error < 0) {
		dmabuf_finish(out);
	}
	return error;
}

bool memory_retile(
	struct copy_engine *engine, const struct format_modifiers *known, struct dmabuf *image)
{
	uint64_t modifier, linear = image->modifier;
	if (!known) {
		return false;
	}
	for (size_t i = 0; i < known->n_modifiers; i++) {
		/* Sides are multiples of any block of tiles, so that both layouts have one size. */
		if (find_modifiers(engine, &known->modifiers[i], 1, &modifier) == 1) {
			image->modifier = modifier;
			if (copy_engine_check(
				    engine, image, COPY_SOURCE | COPY_DESTINATION, NULL) == 0) {
				return true;
			}
		}
	}
	image->modifier = linear;
	return false;
}

int mapping_init(struct mapping *mapping, const struct dmabuf *dmabuf)
{
	off_t size = lseek(dmabuf->fd[0], 0, SEEK_END);
	if (size < 0) {
		return -errno;
	}
	void *data = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf->fd[0], 0);
	if (data == MAP_FAILED) {
		return -errno;
	}
	*mapping = (struct mapping){.dmabuf = dmabuf, .data = data, .size = (size_t)size};
	return 0;
}

void mapping_finish(struct mapping *mapping)
{
	munmap(mapping->data, mapping->size);
}

static void sync_access(const struct mapping *mapping, uint64_t flags)
{
	struct dma_buf_sync sync = {.flags = flags};
	ioctl(mapping->dmabuf->fd[0], DMA_BUF_IOCTL_SYNC, &sync);
}

static uint32_t *row_of(const struct mapping *mapping, int32_t y)
{
	return (uint32_t *)((char *)mapping->data + mapping->dmabuf->offset[0] +
			    (size_t)y * mapping->dmabuf->stride[0]);
}

static uint32_t pixel_at(int32_t x, int32_t y, uint32_t seed)
{
	uint32_t value = (uint32_t)(y * IMAGE_WIDTH + x) * 2654435761U + seed * 40503U;
	return (value ^ value >> 15) & 0xffffff;
}

void mapping_fill(const struct mapping *mapping, uint32_t seed)
{
	sync_access(mapping, DMA_BUF_SYNC_START | DMA_BUF_SYNC_WRITE);
	for (int32_t y = 0; y < IMAGE_HEIGHT; y++) {
		uint32_t *row = row_of(mapping, y);
		for (int32_t x = 0; x < IMAGE_WIDTH; x++) {
			row[x] = pixel_at(x, y, seed) | 0xff000000;
		}
	}
	sync_access(mapping, DMA_BUF_SYNC_END | DMA_BUF_SYNC_WRITE);
}

int64_t mapping_compare(const struct mapping *mapping, uint32_t seed)
{
	int64_t wrong = 0;
	sync_access(mapping, DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ);
	for (int32_t y = 0; y < IMAGE_HEIGHT; y++) {
		const uint32_t *row = row_of(mapping, y);
		for (int32_t x = 0; x < IMAGE_WIDTH; x++) {
			wrong += (row[x] & 0xffffff) != pixel_at(x, y, seed);
		}
	}
	sync_access(mapping, DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ);
	return wrong;
}
