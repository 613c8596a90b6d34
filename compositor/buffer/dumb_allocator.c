/* SPDX-License-Identifier: MIT */
/* Allocator of dumb buffers, for KMS devices without a render driver. */

#include "buffer/allocator.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

/* Buffers keep it open beyond the allocator's life. */
struct dumb_device {
	int fd;
	int n_refs;
	bool shadow;
};

struct dumb_allocator {
	struct allocator base;
	struct dumb_device *device;
};

struct dumb_buffer {
	struct buffer base;
	struct dumb_device *device;
	struct dmabuf dmabuf;
	uint32_t handle;
	void *memory; /* of the device */
	size_t size;
	void *shadow; /* of `size` bytes; NULL: none is needed */
	int n_accesses;
	bool writes, limited; /* of current accesses */
	pixman_region32_t written; /* if limited: the region that they change */
};

static void unref(struct dumb_device *device)
{
	device->n_refs--;
	if (device->n_refs == 0) {
		fd_close(&device->fd);
		free(device);
	}
}

static struct dumb_buffer *dumb_from_buffer(struct buffer *buffer)
{
	struct dumb_buffer *self = wl_container_of(buffer, self, base);
	return self;
}

static void release(struct dumb_buffer *dumb)
{
	if (dumb->shadow) {
		munmap(dumb->shadow, dumb->size);
	}
	if (dumb->memory) {
		munmap(dumb->memory, dumb->size);
	}
	dmabuf_finish(&dumb->dmabuf);
	drmModeDestroyDumbBuffer(dumb->device->fd, dumb->handle);
	unref(dumb->device);
	pixman_region32_fini(&dumb->written);
	free(dumb);
}

static void destroy_buffer(struct buffer *buffer)
{
	struct dumb_buffer *dumb = dumb_from_buffer(buffer);
	buffer_finish(buffer);
	release(dumb);
}

static const struct dmabuf *describe(struct buffer *buffer)
{
	return &dumb_from_buffer(buffer)->dmabuf;
}

static int begin_access(struct buffer *buffer, unsigned access, void **data, size_t *stride)
{
	struct dumb_buffer *dumb = dumb_from_buffer(buffer);
	dumb->n_accesses++;
	dumb->writes |= (access & BUFFER_WRITE) != 0;
	*data = dumb->shadow ? dumb->shadow : dumb->memory;
	*stride = dumb->dmabuf.stride[0];
	return 0;
}

static void will_write(struct buffer *buffer, const pixman_region32_t *region)
{
	struct dumb_buffer *dumb = dumb_from_buffer(buffer);
	if (dumb->shadow) {
		pixman_region32_copy(&dumb->written, (pixman_region32_t *)region);
		dumb->limited = true;
	}
}

/* Copies whole words in ascending order, as write-combining needs. */
static void write_through(struct dumb_buffer *dumb, const pixman_box32_t *box)
{
	size_t bytes = pixel_format_get(dumb->base.format)->bytes[0];
	size_t stride = dumb->dmabuf.stride[0];
	size_t length = (size_t)(box->x2 - box->x1) * bytes;
	for (int32_t y = box->y1; y < box->y2; y++) {
		size_t offset = (size_t)y * stride + (size_t)box->x1 * bytes;
		memcpy((char *)dumb->memory + offset, (char *)dumb->shadow + offset, length);
	}
}

static bool end_access(struct buffer *buffer)
{
	struct dumb_buffer *dumb = dumb_from_buffer(buffer);
	pixman_box32_t all = {0, 0, buffer->width, buffer->height};
	const pixman_box32_t *boxes = &all;
	int n = 1;
	dumb->n_accesses--;
	if (dumb->n_accesses > 0 || !dumb->writes) {
		return true;
	}
	dumb->writes = false;
	if (!dumb->shadow) {
		return true;
	}
	if (dumb->limited) {
		pixman_region32_intersect_rect(&dumb->written, &dumb->written, 0, 0,
			(unsigned)buffer->width, (unsigned)buffer->height);
		boxes = pixman_region32_rectangles(&dumb->written, &n);
		dumb->limited = false;
	}
	for (int i = 0; i < n; i++) {
		write_through(dumb, &boxes[i]);
	}
	return true;
}

static const struct buffer_impl buffer_impl = {
	.destroy = destroy_buffer,
	.dmabuf = describe,
	.begin_access = begin_access,
	.end_access = end_access,
	.will_write = will_write,
};

static void *map(int fd, size_t size, off_t offset)
{
	int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
	void *data = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, offset);
	return data != MAP_FAILED ? data : NULL;
}

/* Maps and exports the dumb buffer. Returns 0 or -errno. */
static int init_memory(struct dumb_buffer *dumb)
{
	int fd = dumb->device->fd;
	uint64_t offset;
	int error = drmModeMapDumbBuffer(fd, dumb->handle, &offset);
	if (error < 0) {
		return error;
	}
	dumb->memory = map(fd, dumb->size, (off_t)offset);
	if (!dumb->memory) {
		return -errno;
	}
	if (dumb->device->shadow) {
		dumb->shadow = map(-1, dumb->size, 0);
		if (!dumb->shadow) {
			return -errno;
		}
	}
	if (drmPrimeHandleToFD(fd, dumb->handle, DRM_CLOEXEC | DRM_RDWR, &dumb->dmabuf.fd[0]) < 0) {
		dumb->dmabuf.fd[0] = -1;
		return -errno;
	}
	dumb->dmabuf.n_planes = 1;
	return 0;
}

static bool takes_linear(const struct format_modifiers *format)
{
	bool linear = format->n_modifiers == 0;
	for (size_t i = 0; i < format->n_modifiers; i++) {
		linear |= format->modifiers[i] == DRM_FORMAT_MOD_LINEAR ||
			  format->modifiers[i] == DRM_FORMAT_MOD_INVALID;
	}
	return linear;
}

static struct buffer *create_buffer(struct allocator *base, int32_t width, int32_t height,
	const struct format_modifiers *format)
{
	struct dumb_allocator *allocator = wl_container_of(base, allocator, base);
	const struct pixel_format *info = pixel_format_get(format->format);
	uint32_t handle, stride;
	uint64_t size;
	if (!info || info->n_planes != 1 || !takes_linear(format) || width <= 0 || height <= 0) {
		errno = EINVAL;
		return NULL;
	}
	int error = drmModeCreateDumbBuffer(allocator->device->fd, (uint32_t)width,
		(uint32_t)height, info->bytes[0] * 8u, 0, &handle, &stride, &size);
	if (error < 0) {
		errno = -error;
		return NULL;
	}
	struct dumb_buffer *dumb = xcalloc(1, sizeof(*dumb));
	pixman_region32_init(&dumb->written);
	dumb->device = allocator->device;
	dumb->device->n_refs++;
	dumb->handle = handle;
	dumb->size = size;
	dmabuf_init(&dumb->dmabuf);
	dumb->dmabuf.width = width;
	dumb->dmabuf.height = height;
	dumb->dmabuf.format = format->format;
	dumb->dmabuf.modifier = DRM_FORMAT_MOD_LINEAR;
	dumb->dmabuf.stride[0] = stride;
	error = init_memory(dumb);
	if (error < 0) {
		release(dumb);
		errno = -error;
		return NULL;
	}
	buffer_init(&dumb->base, &buffer_impl, width, height, format->format);
	log_debug(LOG_BUFFER, "%dx%d dumb buffer%s", width, height,
		dumb->shadow ? " with a shadow" : "");
	return &dumb->base;
}

static void destroy(struct allocator *base)
{
	struct dumb_allocator *allocator = wl_container_of(base, allocator, base);
	unref(allocator->device);
	free(allocator);
}

static const struct allocator_impl impl = {
	.create_buffer = create_buffer,
	.destroy = destroy,
};

struct allocator *dumb_allocator_create(int drm_fd)
{
	struct dumb_allocator *allocator = xcalloc(1, sizeof(*allocator));
	uint64_t shadow = 0;
	drmGetCap(drm_fd, DRM_CAP_DUMB_PREFER_SHADOW, &shadow);
	allocator->base.impl = &impl;
	allocator->device = xcalloc(1, sizeof(*allocator->device));
	allocator->device->fd = drm_fd;
	allocator->device->n_refs = 1;
	allocator->device->shadow = shadow != 0;
	return &allocator->base;
}
