#pragma once

/** The description of a picture in dma-bufs: plain data that crosses APIs. */

#include <stdbool.h>
#include <stdint.h>

#define DMABUF_MAX_PLANES 4

struct dmabuf {
	int32_t width, height; /* pixels */
	uint32_t format; /* DRM fourcc */
	uint64_t modifier; /* DRM_FORMAT_MOD_INVALID: implicit */
	int n_planes;
	int fd[DMABUF_MAX_PLANES];
	uint32_t offset[DMABUF_MAX_PLANES]; /* bytes */
	uint32_t stride[DMABUF_MAX_PLANES]; /* bytes */
};

/** All fds -1, modifier invalid. */
void dmabuf_init(struct dmabuf *dmabuf);
/** One plane, linear, from the beginning of the memory on. Takes the fd over; `stride` in bytes. */
void dmabuf_init_linear(struct dmabuf *dmabuf, int32_t width, int32_t height, uint32_t format,
	int fd, uint32_t stride);
/** Closes the fds. */
void dmabuf_finish(struct dmabuf *dmabuf);
/** Duplicates the fds; negative errno on failure, then `out` is empty. */
int dmabuf_copy(struct dmabuf *out, const struct dmabuf *in);

/** Whether two descriptors are of the same memory. */
bool dmabuf_same_file(int a, int b);
/**
 * Whether it has this many bytes for good: a dma-buf's size is for ever, a memory file's once it is
 * sealed. Of what is mapped and read without a guard, a client could otherwise make our SIGBUS.
 */
bool dmabuf_memory_stays(int fd, int64_t size);
