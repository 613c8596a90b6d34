/* SPDX-License-Identifier: MIT */
/* Clients' dma-bufs as buffers, with CPU access to linear ones. */

#include "buffer/dmabuf_buffer.h"
#include "gpu/format.h"
#include "sigbus.h"
#include "util/account.h"
#include "util/fd.h"
#include "util/fence.h"
#include "util/xalloc.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* No renderer takes more. */
#define SIDE_MAX 65536

struct dmabuf_buffer {
	struct buffer base;
	struct dmabuf dmabuf;
	/* Of plane 0's file, from the first CPU access on; base NULL before. */
	struct sigbus_range range;
	bool writable;
	bool sync; /* a real dma-buf */
	/* Accesses in progress share one bracket; its flags are those of the first. */
	int n_accesses;
	uint64_t sync_flags;
};

static const struct buffer_impl impl;

static struct dmabuf_buffer *dmabuf_from_buffer(struct buffer *buffer)
{
	assert(buffer->impl == &impl);
	struct dmabuf_buffer *self = wl_container_of(buffer, self, base);
	return self;
}

static void destroy(struct buffer *buffer)
{
	struct dmabuf_buffer *self = dmabuf_from_buffer(buffer);
	if (self->range.base) {
		munmap(self->range.base, self->range.size);
		account_uncharge(buffer->account, ACCOUNT_MAPPINGS, 1);
	}
	buffer_finish(buffer);
	dmabuf_finish(&self->dmabuf);
	free(self);
}

static const struct dmabuf *describe(struct buffer *buffer)
{
	return &dmabuf_from_buffer(buffer)->dmabuf;
}

/* Returns whether all rows of a plane lie in its file. */
static bool rows_fit(
	const struct dmabuf *dmabuf, const struct pixel_format *format, int plane, off_t size)
{
	off_t height = pixel_format_plane_height(format, plane, dmabuf->height);
	off_t least = pixel_format_min_stride(format, plane, dmabuf->width);
	off_t stride = dmabuf->stride[plane];
	return stride >= least && dmabuf->offset[plane] + stride * height <= size;
}

/* The first plane's file is mapped: other planes must be in it. */
static bool is_one_piece(const struct dmabuf *dmabuf, const struct pixel_format *format, off_t size)
{
	if (dmabuf->n_planes != format->n_planes || !rows_fit(dmabuf, format, 0, size)) {
		return false;
	}
	for (int i = 1; i < dmabuf->n_planes; i++) {
		if (dmabuf->offset[i] < dmabuf->offset[0] || !rows_fit(dmabuf, format, i, size) ||
			!dmabuf_same_file(dmabuf->fd[0], dmabuf->fd[i])) {
			return false;
		}
	}
	return true;
}

/*
 * Begins the access unless it would wait for the client's fences, which may stay pending: an update
 * applies after its fences, but the client can add others.
 */
static int begin_sync(int fd, uint64_t flags)
{
	if (!fence_dmabuf_is_ready(fd, flags & DMA_BUF_SYNC_WRITE)) {
		return -EAGAIN;
	}
	return fence_dmabuf_access(fd, DMA_BUF_SYNC_START | flags);
}

/*
 * A dma-buf's memory stays as long as it is mapped. A memory file may be truncated by its owner, so
 * it is read under the guard; anything else could block a reader for good and is not mapped.
 */
static int map(struct dmabuf_buffer *self)
{
	const struct dmabuf *dmabuf = &self->dmabuf;
	const struct pixel_format *format = pixel_format_get(dmabuf->format);
	int fd = dmabuf->fd[0];
	bool memory_file = fcntl(fd, F_GET_SEALS) >= 0;
	if (!format || !(dmabuf->modifier == DRM_FORMAT_MOD_LINEAR ||
			       (memory_file && dmabuf->modifier == DRM_FORMAT_MOD_INVALID))) {
		return -ENOTSUP;
	}
	if (!memory_file) {
		int error = begin_sync(fd, DMA_BUF_SYNC_READ);
		if (error < 0) {
			return error;
		}
		fence_dmabuf_access(fd, DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ);
	}
	off_t size = lseek(fd, 0, SEEK_END);
	if (!is_one_piece(dmabuf, format, size)) {
		return -EINVAL;
	}
	self->range.page = fd_page_size(fd);
	self->range.size = fd_whole_pages((size_t)size, self->range.page);
	self->writable = true;
	void *base = mmap(NULL, self->range.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED) {
		self->writable = false;
		base = mmap(NULL, self->range.size, PROT_READ, MAP_SHARED, fd, 0);
	}
	if (base == MAP_FAILED) {
		return -errno;
	}
	self->range.base = base;
	self->range.guaranteed = !memory_file || fd_cannot_shrink_below(fd, size);
	self->sync = !memory_file;
	return 0;
}

static int begin_access(struct buffer *buffer, unsigned access, void **data, size_t *stride)
{
	struct dmabuf_buffer *self = dmabuf_from_buffer(buffer);
	int error;
	if (!self->range.base) {
		error = map(self);
		if (error < 0) {
			return error;
		}
		account_charge(buffer->account, ACCOUNT_MAPPINGS, 1);
	}
	if ((access & BUFFER_WRITE) && !self->writable) {
		return -EACCES;
	}
	if (!sigbus_begin(buffer, &self->range)) {
		return -EBUSY;
	}
	if (self->sync && self->n_accesses == 0) {
		self->sync_flags = access & BUFFER_WRITE ? DMA_BUF_SYNC_RW : DMA_BUF_SYNC_READ;
		error = begin_sync(self->dmabuf.fd[0], self->sync_flags);
		if (error < 0) {
			sigbus_end(buffer);
			return error;
		}
	}
	self->n_accesses++;
	*data = (char *)self->range.base + self->dmabuf.offset[0];
	*stride = self->dmabuf.stride[0];
	return 0;
}

static bool end_access(struct buffer *buffer)
{
	struct dmabuf_buffer *self = dmabuf_from_buffer(buffer);
	assert(self->n_accesses > 0);
	self->n_accesses--;
	if (self->sync && self->n_accesses == 0) {
		fence_dmabuf_access(self->dmabuf.fd[0], DMA_BUF_SYNC_END | self->sync_flags);
	}
	return atomic_load(&sigbus_end(buffer)->missing_from) == SIZE_MAX;
}

static const struct buffer_impl impl = {
	.destroy = destroy,
	.dmabuf = describe,
	.begin_access = begin_access,
	.end_access = end_access,
};

static bool fits(const struct dmabuf *dmabuf)
{
	const struct pixel_format *format = pixel_format_get(dmabuf->format);
	for (int i = 0; i < dmabuf->n_planes; i++) {
		off_t size = lseek(dmabuf->fd[i], 0, SEEK_END);
		/* Only the driver knows the size of a tiled or compressed plane. */
		if (dmabuf->offset[i] >= size) {
			return false;
		}
		if (dmabuf->modifier == DRM_FORMAT_MOD_LINEAR && format && i < format->n_planes &&
			!rows_fit(dmabuf, format, i, size)) {
			return false;
		}
	}
	/* Beyond this, the lengths of rows do not fit an int. */
	return dmabuf->width > 0 && dmabuf->height > 0 && dmabuf->width <= SIDE_MAX &&
	       dmabuf->height <= SIDE_MAX;
}

struct buffer *dmabuf_buffer_create(struct dmabuf *dmabuf, struct gpu *home)
{
	if (!fits(dmabuf)) {
		dmabuf_finish(dmabuf);
		errno = EINVAL;
		return NULL;
	}
	struct dmabuf_buffer *self = xcalloc(1, sizeof(*self));
	buffer_init(&self->base, &impl, dmabuf->width, dmabuf->height, dmabuf->format);
	self->base.home = home;
	self->dmabuf = *dmabuf;
	atomic_init(&self->range.missing_from, SIZE_MAX);
	dmabuf_init(dmabuf);
	return &self->base;
}

bool buffer_is_client_dmabuf(const struct buffer *buffer)
{
	return buffer->impl == &impl;
}
