/* SPDX-License-Identifier: MIT */
/* Allocator of memory files: buffers for the CPU, and for software renderers. */

#include "buffer/allocator.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* A row starts on a cache line of its own; several drivers refuse to import less. */
#define STRIDE_ALIGNMENT 64
/* llvmpipe draws blocks of so many rows, also at the bottom of the image. */
#define ROW_ALIGNMENT 4
#define SIDE_MAX 65536

struct memory_buffer {
	struct buffer base;
	struct dmabuf dmabuf;
	void *data;
	size_t size;
};

static struct memory_buffer *memory_from_buffer(struct buffer *buffer)
{
	struct memory_buffer *self = wl_container_of(buffer, self, base);
	return self;
}

static void destroy_buffer(struct buffer *buffer)
{
	struct memory_buffer *memory = memory_from_buffer(buffer);
	buffer_finish(buffer);
	munmap(memory->data, memory->size);
	dmabuf_finish(&memory->dmabuf);
	free(memory);
}

static const struct dmabuf *describe(struct buffer *buffer)
{
	return &memory_from_buffer(buffer)->dmabuf;
}

static int begin_access(struct buffer *buffer, unsigned access, void **data, size_t *stride)
{
	struct memory_buffer *memory = memory_from_buffer(buffer);
	*data = memory->data;
	*stride = memory->dmabuf.stride[0];
	return 0;
}

static bool end_access(struct buffer *buffer)
{
	return true; /* the file is ours and sealed */
}

static const struct buffer_impl buffer_impl = {
	.destroy = destroy_buffer,
	.dmabuf = describe,
	.begin_access = begin_access,
	.end_access = end_access,
};

static size_t round_up(size_t value, size_t alignment)
{
	return (value + alignment - 1) / alignment * alignment;
}

struct buffer *memory_buffer_create(int32_t width, int32_t height, uint32_t format)
{
	const struct pixel_format *info = pixel_format_get(format);
	if (!info || info->n_planes != 1 || width <= 0 || height <= 0 || width > SIDE_MAX ||
		height > SIDE_MAX) {
		errno = EINVAL;
		return NULL;
	}
	size_t stride = round_up((size_t)pixel_format_min_stride(info, 0, width), STRIDE_ALIGNMENT);
	size_t size = round_up(
		stride * round_up((size_t)height, ROW_ALIGNMENT), (size_t)sysconf(_SC_PAGESIZE));
	int fd = fd_create_memory("causeway-buffer", (off_t)size, true);
	if (fd < 0) {
		errno = -fd;
		return NULL;
	}
	void *data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (data == MAP_FAILED) {
		int error = errno;
		close(fd);
		errno = error;
		return NULL;
	}
	struct memory_buffer *memory = xcalloc(1, sizeof(*memory));
	buffer_init(&memory->base, &buffer_impl, width, height, format);
	memory->data = data;
	memory->size = size;
	dmabuf_init_linear(&memory->dmabuf, width, height, format, fd, (uint32_t)stride);
	return &memory->base;
}

static struct buffer *create_buffer(struct allocator *allocator, int32_t width, int32_t height,
	const struct format_modifiers *format)
{
	/* No list at all leaves the layout to the allocator. */
	bool linear = format->n_modifiers == 0;
	for (size_t i = 0; i < format->n_modifiers; i++) {
		linear |= format->modifiers[i] == DRM_FORMAT_MOD_LINEAR ||
			  format->modifiers[i] == DRM_FORMAT_MOD_INVALID;
	}
	if (!linear) {
		errno = EINVAL;
		return NULL;
	}
	return memory_buffer_create(width, height, format->format);
}

static void destroy(struct allocator *allocator)
{
	free(allocator);
}

static const struct allocator_impl impl = {
	.create_buffer = create_buffer,
	.destroy = destroy,
};

struct allocator *memory_allocator_create(void)
{
	struct allocator *allocator = xcalloc(1, sizeof(*allocator));
	allocator->impl = &impl;
	return allocator;
}
