#pragma once

/**
 * A client's dma-buf as a buffer. CPU access maps it (linear, single plane only) and brackets reads
 * with DMA_BUF_IOCTL_SYNC; a memfd in place of a dma-buf, which drivers that only mmap accept, is
 * read without, and under the guard against truncation.
 */

#include "buffer/buffer.h"

/**
 * Takes over the fds of `dmabuf`, also on failure. NULL with errno EINVAL if a plane does not lie
 * within its file, or (linear ones) its rows do not fit their stride.
 */
struct buffer *dmabuf_buffer_create(struct dmabuf *dmabuf, struct gpu *home);
bool buffer_is_client_dmabuf(const struct buffer *buffer);
