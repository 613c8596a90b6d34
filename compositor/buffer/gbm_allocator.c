/* SPDX-License-Identifier: MIT */
/* Allocator of GBM buffers on one GPU. */

#include "buffer/allocator.h"
#include "gpu/gbm.h"
#include "gpu/gpu.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <assert.h>
#include <errno.h>
#include <gbm.h>
#include <stdlib.h>
#include <string.h>

struct gbm_allocator {
	struct allocator base;
	struct gpu *gpu;
	uint32_t flags; /* enum gbm_bo_flags */
};

struct gbm_buffer {
	struct buffer base;
	struct dmabuf dmabuf;
	struct gbm_bo *bo;
	/** CPU access: a mapping, or a linear copy that the driver makes. */
	void *map_data; /* GBM's */
	void *data;
	uint32_t map_stride;
	int n_accesses;
};

static const struct allocator_impl impl;

static struct gbm_allocator *gbm_from_allocator(struct allocator *allocator)
{
	assert(allocator->impl == &impl);
	struct gbm_allocator *self = wl_container_of(allocator, self, base);
	return self;
}

static struct gbm_buffer *gbm_from_buffer(struct buffer *buffer)
{
	struct gbm_buffer *self = wl_container_of(buffer, self, base);
	return self;
}

static void destroy_buffer(struct buffer *buffer)
{
	struct gbm_buffer *gbm = gbm_from_buffer(buffer);
	struct gpu *gpu = buffer->home;
	buffer_finish(buffer);
	dmabuf_finish(&gbm->dmabuf);
	gbm_bo_destroy(gbm->bo);
	free(gbm);
	/* Last: it may close the GBM device that the buffer came from. */
	gpu_close(gpu);
}

static const struct dmabuf *describe(struct buffer *buffer)
{
	return &gbm_from_buffer(buffer)->dmabuf;
}

static int begin_access(struct buffer *buffer, unsigned access, void **data, size_t *stride)
{
	struct gbm_buffer *gbm = gbm_from_buffer(buffer);
	if (gbm->n_accesses == 0) {
		/* Read and write, because a nested access may need the other. */
		gbm->map_data = NULL;
		gbm->data =
			gbm_bo_map(gbm->bo, 0, 0, (uint32_t)buffer->width, (uint32_t)buffer->height,
				GBM_BO_TRANSFER_READ_WRITE, &gbm->map_stride, &gbm->map_data);
		if (!gbm->data) {
			return errno != 0 ? -errno : -EIO;
		}
	}
	gbm->n_accesses++;
	*data = gbm->data;
	*stride = gbm->map_stride;
	return 0;
}

static bool end_access(struct buffer *buffer)
{
	struct gbm_buffer *gbm = gbm_from_buffer(buffer);
	gbm->n_accesses--;
	if (gbm->n_accesses == 0) {
		gbm_bo_unmap(gbm->bo, gbm->map_data);
		gbm->data = NULL;
	}
	return true;
}

static const struct buffer_impl buffer_impl = {
	.destroy = destroy_buffer,
	.dmabuf = describe,
	.begin_access = begin_access,
	.end_access = end_access,
};

/*
 * Allocates with explicit modifiers if possible; with an implicit layout only if the caller accepts
 * it.
 */
static struct gbm_bo *allocate(struct gbm_allocator *allocator, int32_t width, int32_t height,
	const struct format_modifiers *format)
{
	struct gbm_device *device = allocator->gpu->gbm;
	bool implicit =
		format->n_modifiers == 0 || format_has_modifier(format, DRM_FORMAT_MOD_INVALID);
	uint64_t *explicit = xcalloc(format->n_modifiers, sizeof(*explicit));
	unsigned n_explicit = 0;
	struct gbm_bo *bo = NULL;
	errno = EINVAL; /* if GBM sets no error */
	for (size_t i = 0; i < format->n_modifiers; i++) {
		if (format->modifiers[i] != DRM_FORMAT_MOD_INVALID) {
			explicit[n_explicit++] = format->modifiers[i];
		}
	}
	if (n_explicit > 0) {
		bo = gbm_bo_create_with_modifiers2(device, (uint32_t)width, (uint32_t)height,
			format->format, explicit, n_explicit, allocator->flags);
	}
	if (!bo && format_has_modifier(format, DRM_FORMAT_MOD_LINEAR)) {
		/* Drivers without modifiers have this flag for the one layout that all share. */
		bo = gbm_bo_create(device, (uint32_t)width, (uint32_t)height, format->format,
			allocator->flags | GBM_BO_USE_LINEAR);
	}
	if (!bo && implicit) {
		bo = gbm_bo_create(device, (uint32_t)width, (uint32_t)height, format->format,
			allocator->flags);
	}
	free(explicit);
	return bo;
}

static struct buffer *create_buffer(struct allocator *base, int32_t width, int32_t height,
	const struct format_modifiers *format)
{
	struct gbm_allocator *allocator = gbm_from_allocator(base);
	struct gbm_bo *bo = allocate(allocator, width, height, format);
	if (!bo) {
		return NULL;
	}
	struct gbm_buffer *gbm = xcalloc(1, sizeof(*gbm));
	dmabuf_init(&gbm->dmabuf);
	gbm->dmabuf.width = width;
	gbm->dmabuf.height = height;
	gbm->dmabuf.format = format->format;
	gbm->dmabuf.modifier = gbm_bo_get_modifier(bo);
	if (format_has_modifier(format, DRM_FORMAT_MOD_LINEAR) && format->n_modifiers == 1) {
		/* A driver without modifiers answers "implicit" to a request for linear. */
		gbm->dmabuf.modifier = DRM_FORMAT_MOD_LINEAR;
	}
	int error = gbm_export_planes(bo, &gbm->dmabuf);
	if (error == 0) {
		/* The buffer keeps the device open beyond the allocator's life. */
		error = gpu_open(allocator->gpu);
	}
	if (error < 0) {
		dmabuf_finish(&gbm->dmabuf);
		gbm_bo_destroy(bo);
		free(gbm);
		errno = -error;
		return NULL;
	}
	buffer_init(&gbm->base, &buffer_impl, width, height, format->format);
	gbm->base.home = allocator->gpu;
	gbm->bo = bo;
	log_debug(LOG_BUFFER, "%s: %dx%d buffer with modifier 0x%llx", allocator->gpu->bus_id,
		width, height, (unsigned long long)gbm->dmabuf.modifier);
	return &gbm->base;
}

static void destroy(struct allocator *base)
{
	struct gbm_allocator *allocator = gbm_from_allocator(base);
	gpu_close(allocator->gpu);
	free(allocator);
}

static const struct allocator_impl impl = {
	.create_buffer = create_buffer,
	.destroy = destroy,
};

struct allocator *gbm_allocator_create(struct gpu *gpu, bool scanout)
{
	int error = gpu_open(gpu);
	if (error < 0) {
		log_error("cannot allocate on %s: %s", gpu->bus_id, strerror(-error));
		errno = -error;
		return NULL;
	}
	struct gbm_allocator *allocator = xcalloc(1, sizeof(*allocator));
	allocator->base.impl = &impl;
	allocator->gpu = gpu;
	allocator->flags = GBM_BO_USE_RENDERING | (scanout ? GBM_BO_USE_SCANOUT : 0);
	return &allocator->base;
}
