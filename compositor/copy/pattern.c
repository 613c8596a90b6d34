/* SPDX-License-Identifier: MIT */
/* Images with a pattern, for tests of copy engines on real drivers. */

#include "copy/pattern.h"
#include "buffer/udmabuf.h"
#include "gpu/format.h"
#include "gpu/gbm.h"
#include "gpu/gpu.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/fence.h"
#include <errno.h>
#include <gbm.h>
#include <linux/dma-buf.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#define FORMAT DRM_FORMAT_XRGB8888
#define MODIFIERS_MAX 256
#define COPY_TIMEOUT 10000 /* ms */

const char *pattern_memory_name(enum pattern_memory kind)
{
	static const char *const names[PATTERN_KINDS] = {
		[PATTERN_ENGINE] = "engine",
		[PATTERN_GBM] = "gbm",
		[PATTERN_UDMABUF] = "udmabuf",
	};
	return names[kind];
}

static int allocate_pages(struct dmabuf *out)
{
	int file = fd_create_memory("causeway-report", PATTERN_BYTES, true);
	if (file < 0) {
		return file;
	}
	int fd = udmabuf_create(file, 0, PATTERN_BYTES);
	close(file);
	if (fd < 0) {
		return fd;
	}
	dmabuf_init_linear(out, PATTERN_WIDTH, PATTERN_HEIGHT, FORMAT, fd, PATTERN_WIDTH * 4);
	return 0;
}

int pattern_allocate(
	enum pattern_memory kind, struct copy_engine *engine, struct gpu *gpu, struct dmabuf *out)
{
	switch (kind) {
	case PATTERN_ENGINE:
		return engine->impl->allocate
			       ? engine->impl->allocate(engine, PATTERN_WIDTH, PATTERN_HEIGHT,
					 FORMAT, PATTERN_ALIGNMENT, out)
			       : -ENOTSUP;
	case PATTERN_GBM:
		return gpu_allocate_linear(
			gpu, PATTERN_WIDTH, PATTERN_HEIGHT, FORMAT, PATTERN_ALIGNMENT, out);
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

int pattern_allocate_native(struct copy_engine *engine, struct gpu *gpu,
	const struct format_modifiers *known, struct dmabuf *out)
{
	uint64_t modifiers[MODIFIERS_MAX];
	unsigned n =
		known ? find_modifiers(engine, known->modifiers, known->n_modifiers, modifiers) : 0;
	errno = ENOTSUP;
	struct gbm_bo *bo = gpu->gbm && n > 0 ? gbm_bo_create_with_modifiers2(gpu->gbm,
							PATTERN_WIDTH, PATTERN_HEIGHT, FORMAT,
							modifiers, n, GBM_BO_USE_RENDERING)
					      : NULL;
	if (!bo) {
		return -errno;
	}
	dmabuf_init(out);
	out->width = PATTERN_WIDTH;
	out->height = PATTERN_HEIGHT;
	out->format = FORMAT;
	out->modifier = gbm_bo_get_modifier(bo);
	int error = gbm_export_planes(bo, out);
	gbm_bo_destroy(bo);
	if (error < 0) {
		dmabuf_finish(out);
	}
	return error;
}

bool pattern_retile(
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

int pattern_map(struct pattern_mapping *mapping, const struct dmabuf *dmabuf)
{
	off_t size = lseek(dmabuf->fd[0], 0, SEEK_END);
	if (size < 0) {
		return -errno;
	}
	void *data = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf->fd[0], 0);
	if (data == MAP_FAILED) {
		return -errno;
	}
	*mapping = (struct pattern_mapping){.dmabuf = dmabuf, .data = data, .size = (size_t)size};
	return 0;
}

void pattern_unmap(struct pattern_mapping *mapping)
{
	munmap(mapping->data, mapping->size);
}

static uint32_t *row_of(const struct pattern_mapping *mapping, int32_t y)
{
	return (uint32_t *)((char *)mapping->data + mapping->dmabuf->offset[0] +
			    (size_t)y * mapping->dmabuf->stride[0]);
}

static uint32_t pixel_at(int32_t x, int32_t y, uint32_t seed)
{
	uint32_t value = (uint32_t)(y * PATTERN_WIDTH + x) * 2654435761U + seed * 40503U;
	return (value ^ value >> 15) & 0xffffff;
}

void pattern_fill(const struct pattern_mapping *mapping, uint32_t seed)
{
	fence_dmabuf_access(mapping->dmabuf->fd[0], DMA_BUF_SYNC_START | DMA_BUF_SYNC_WRITE);
	for (int32_t y = 0; y < mapping->dmabuf->height; y++) {
		uint32_t *row = row_of(mapping, y);
		for (int32_t x = 0; x < mapping->dmabuf->width; x++) {
			row[x] = pixel_at(x, y, seed) | 0xff000000;
		}
	}
	fence_dmabuf_access(mapping->dmabuf->fd[0], DMA_BUF_SYNC_END | DMA_BUF_SYNC_WRITE);
}

int64_t pattern_compare(const struct pattern_mapping *mapping, uint32_t seed)
{
	int64_t wrong = 0;
	fence_dmabuf_access(mapping->dmabuf->fd[0], DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ);
	for (int32_t y = 0; y < mapping->dmabuf->height; y++) {
		const uint32_t *row = row_of(mapping, y);
		for (int32_t x = 0; x < mapping->dmabuf->width; x++) {
			wrong += (row[x] & 0xffffff) != pixel_at(x, y, seed);
		}
	}
	fence_dmabuf_access(mapping->dmabuf->fd[0], DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ);
	return wrong;
}

static int wait_for(int fence)
{
	struct pollfd wait = {.fd = fence, .events = POLLIN};
	int n;
	do {
		n = poll(&wait, 1, COPY_TIMEOUT);
	} while (n < 0 && errno == EINTR);
	int status = n > 0 ? fence_status(fence) : 0;
	return status > 0 ? 0 : status < 0 ? status : -ETIME;
}

int pattern_copy(struct copy_engine *engine, struct copy_image *source,
	struct copy_image *destination, const pixman_box32_t *box, int64_t *ns)
{
	pixman_box32_t all = {0, 0, source->dmabuf.width, source->dmabuf.height};
	pixman_region32_t damage;
	pixman_region32_init_with_extents(&damage, box ? box : &all);
	int64_t start = clock_monotonic();
	struct copy_request request = {
		.source = source,
		.destination = destination,
		.damage = &damage,
		.wait_fd = -1,
		.now = start,
	};
	int fence = -1;
	int error = copy_engine_submit(engine, &request, &fence);
	pixman_region32_fini(&damage);
	if (error == 0 && fence >= 0) {
		error = wait_for(fence);
		close(fence);
	}
	if (ns) {
		*ns = clock_monotonic() - start;
	}
	if (error != -ETIME) {
		copy_engine_reap(engine, start);
	}
	return error;
}
