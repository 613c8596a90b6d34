#pragma once

/**
 * Buffers of clients' dma-bufs. CPU access maps it (linear, single plane only) and brackets reads
 * with DMA_BUF_IOCTL_SYNC; a memfd instead of a dma-buf, which drivers that only mmap accept, is
 * read without it, under the guard against truncation.
 */

#include "buffer/buffer.h"

/**
 * Creates a buffer, which owns the descriptors of `dmabuf`, also on failure. Returns NULL with
 * errno EINVAL if a plane exceeds its file, or the rows of a linear one their stride.
 */
struct buffer *dmabuf_buffer_create(struct dmabuf *dmabuf, struct gpu *home);
bool buffer_is_client_dmabuf(const struct buffer *buffer);
