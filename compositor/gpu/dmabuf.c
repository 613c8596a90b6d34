/* SPDX-License-Identifier: MIT */
/* Descriptions of dma-bufs, which own their descriptors. */

#include "gpu/dmabuf.h"
#include "util/fd.h"
#include <drm_fourcc.h>
#include <sys/stat.h>
#include <unistd.h>

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
