/* SPDX-License-Identifier: MIT */
/*
 * Linear buffers in system memory, written by a copy engine and read by the CPU. The memory is
 * cached and snooped, so CPU access skips DMA_BUF_IOCTL_SYNC: it would wait for copies to other
 * pixels of the same buffer. The reader knows by fences which pixels are valid.
 */

#include "staging/system_memory.h"
#include "buffer/udmabuf.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* llvmpipe reads and writes blocks of so many rows, also at the bottom of an image. */
#define BLOCK_ROWS 4

struct system_memory {
	struct buffer base;
	struct dmabuf dmabuf;
	void *map;
	size_t size;
};

static void destroy(struct buffer *buffer)
{
	struct system_memory *memory = wl_container_of(buffer, memory, base);
	buffer_finish(buffer);
	munmap(memory->map, memory->size);
	dmabuf_finish(&memory->dmabuf);
	free(memory);
}

static const struct dmabuf *describe(struct buffer *buffer)
{
	struct system_memory *memory = wl_container_of(buffer, memory, base);
	return &memory->dmabuf;
}

static int begin_access(struct buffer *buffer, unsigned access, void **data, size_t *stride)
{
	struct system_memory *memory = wl_container_of(buffer, memory, base);
	*data = (char *)memory->map + memory->dmabuf.offset[0];
	*stride = memory->dmabuf.stride[0];
	return 0;
}

static bool end_access(struct buffer *buffer)
{
	return true;
}

static const struct buffer_impl impl = {
	.destroy = destroy,
	.dmabuf = describe,
	.begin_access = begin_access,
	.end_access = end_access,
};

int system_memory_import(struct dmabuf *dmabuf, struct buffer **out)
{
	off_t size = lseek(dmabuf->fd[0], 0, SEEK_END);
	void *map = size > 0 ? mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED,
				       dmabuf->fd[0], 0)
			     : MAP_FAILED;
	if (map == MAP_FAILED) {
		int error = size > 0 ? -errno : -EINVAL;
		dmabuf_finish(dmabuf);
		return error;
	}
	struct system_memory *memory = xcalloc(1, sizeof(*memory));
	buffer_init(&memory->base, &impl, dmabuf->width, dmabuf->height, dmabuf->format);
	memory->dmabuf = *dmabuf;
	memory->map = map;
	memory->size = (size_t)size;
	dmabuf_init(dmabuf);
	*out = &memory->base;
	return 0;
}

int system_memory_allocate(
	int32_t width, int32_t height, uint32_t fourcc, uint32_t alignment, struct buffer **out)
{
	struct dmabuf dmabuf;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t size = dmabuf_lay_out(&dmabuf, width, height, fourcc, alignment);
	if (size == 0) {
		return -ENOTSUP;
	}
	size += (BLOCK_ROWS - 1) * (uint64_t)dmabuf.stride[dmabuf.n_planes - 1];
	size = (size + page - 1) / page * page;
	int file = fd_create_memory("causeway-staging", (off_t)size, true);
	if (file < 0) {
		return file;
	}
	int fd = udmabuf_create(file, 0, size);
	if (fd >= 0) {
		close(file);
		file = fd;
	}
	int error = dmabuf_take_memory(&dmabuf, file);
	return error < 0 ? error : system_memory_import(&dmabuf, out);
}
