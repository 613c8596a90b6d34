/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Buffers of clients' dma-bufs. CPU access maps linear buffers whose planes are in one file, and
 * brackets accesses with DMA_BUF_IOCTL_SYNC. Some clients send a memfd instead of a dma-buf: it is
 * accessed without that ioctl, under the guard against truncation (buffer/sigbus.h).
 */

#include "buffer/buffer.h"

/**
 * Creates a buffer that takes over the descriptors of `dmabuf`; on failure, closes them. Returns
 * NULL with errno EINVAL if a plane begins beyond the end of its file, a linear plane exceeds its
 * file or has a stride shorter than its rows, or a side is not between 1 and 65536 pixels.
 */
struct buffer *dmabuf_buffer_create(struct dmabuf *dmabuf, struct gpu *home);
bool buffer_is_client_dmabuf(const struct buffer *buffer);
