/* SPDX-License-Identifier: MIT */
/* Descriptions of dma-bufs, which own their descriptors. */

#include "gpu/dmabuf.h"
#include "gpu/format.h"
#include "util/fd.h"
#include <sys/stat.h>
#include <unistd.h>

/* Beyond this, the lengths of rows do not fit an int. */
#define SIDE_MAX 65536
#define PLANE_ALIGNMENT 4096

void dmabuf_init(struct dmabuf *dmabuf)
{
	*dmabuf = (struct dmabuf){.modifier = DRM_FORMAT_MOD_INVALID};
	for (int i = 0; i < DMABUF_PLANES_MAX; i++) {
		dmabuf->fd[i] = -1;
	}
}

void dmabuf_init_linear(struct dmabuf *dmabuf, int32_t width, int32_t height, uint32_t format,
	int fd, uint32_t stride)
{
	dmabuf_init(dmabuf);
	dmabuf->width = width;
	dmabuf->height = height;
	dmabuf->format = format;
	dmabuf->modifier = DRM_FORMAT_MOD_LINEAR;
	dmabuf->n_planes = 1;
	dmabuf->fd[0] = fd;
	dmabuf->stride[0] = stride;
}

static uint64_t round_up(uint64_t value, uint64_t to)
{
	return (value + to - 1) / to * to;
}

/*
 * Drivers import planes at multiples of their image alignment: 256 bytes on AMD's GPUs, a page on
 * others.
 */
uint64_t dmabuf_lay_out(
	struct dmabuf *out, int32_t width, int32_t height, uint32_t fourcc, uint32_t alignment)
{
	const struct pixel_format *format = pixel_format_get(fourcc);
	uint64_t size = 0;
	dmabuf_init(out);
	if (!format || width <= 0 || height <= 0 || width > SIDE_MAX || height > SIDE_MAX) {
		return 0;
	}
	out->width = width;
	out->height = height;
	out->format = fourcc;
	out->modifier = DRM_FORMAT_MOD_LINEAR;
	for (int i = 0; i < format->n_planes; i++) {
		uint64_t least = (uint64_t)pixel_format_min_stride(format, i, width);
		uint64_t rows = (uint64_t)pixel_format_plane_height(format, i, height);
		size = round_up(size, PLANE_ALIGNMENT);
		if (size > UINT32_MAX) {
			return 0;
		}
		out->offset[i] = (uint32_t)size;
		out->stride[i] = (uint32_t)round_up(least, alignment);
		size += out->stride[i] * rows;
	}
	out->n_planes = format->n_planes;
	return size;
}

void dmabuf_carrier_size(
	const struct dmabuf *planes, uint64_t size, int32_t *width, int32_t *height)
{
	*width = (int32_t)(planes->stride[0] / 4);
	*height = (int32_t)((size + planes->stride[0] - 1) / planes->stride[0]);
}

int dmabuf_take_memory(struct dmabuf *dmabuf, int fd)
{
	dmabuf->fd[0] = fd;
	for (int i = 1; i < dmabuf->n_planes; i++) {
		dmabuf->fd[i] = fd_dup(fd);
		if (dmabuf->fd[i] < 0) {
			int error = dmabuf->fd[i];
			dmabuf_finish(dmabuf);
			return error;
		}
	}
	return 0;
}

void dmabuf_finish(struct dmabuf *dmabuf)
{
	for (int i = 0; i < DMABUF_PLANES_MAX; i++) {
		fd_close(&dmabuf->fd[i]);
	}
	dmabuf->n_planes = 0;
}

int dmabuf_copy(struct dmabuf *out, const struct dmabuf *in)
{
	struct dmabuf copy = *in;
	for (int i = 0; i < DMABUF_PLANES_MAX; i++) {
		copy.fd[i] = -1;
	}
	for (int i = 0; i < in->n_planes; i++) {
		int fd = fd_dup(in->fd[i]);
		if (fd < 0) {
			dmabuf_finish(&copy);
			dmabuf_init(out);
			return fd;
		}
		copy.fd[i] = fd;
	}
	*out = copy;
	return 0;
}

bool dmabuf_same_file(int a, int b)
{
	struct stat x, y;
	return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

bool dmabuf_memory_stays(int fd, int64_t size)
{
	return fd_is_dmabuf(fd) ? lseek(fd, 0, SEEK_END) >= size : fd_cannot_shrink_below(fd, size);
}
