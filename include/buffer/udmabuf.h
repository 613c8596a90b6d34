/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Shared memory as a dma-buf: the kernel's udmabuf driver wraps the pages of a client's memory
 * file, for GPUs to sample and outputs to scan out without a copy.
 *
 * The file must be sealed against shrinking (F_SEAL_SHRINK), writable (no F_SEAL_WRITE), and is
 * wrapped in whole pages: Linux, drivers/dma-buf/udmabuf.c.
 */

#include "buffer/buffer.h"

/**
 * Creates a dma-buf of whole pages of such a file; `offset` and `size` in bytes. Returns -errno on
 * failure.
 */
int udmabuf_create(int file, uint64_t offset, uint64_t size);
/** Returns whether the file suits the driver: the seals, and whole pages around the buffer. */
bool udmabuf_suits(struct buffer *shm);
/**
 * Returns the memory of an shm buffer as a linear dma-buf without a home, locked; created once, and
 * cached with the shm buffer, which stays locked while the dma-buf is. Returns NULL with errno,
 * cached too unless transient (util/error.h): EINVAL (does not suit), or the driver's error.
 */
struct buffer *udmabuf_lock(struct buffer *shm);
/** Cleans CPU caches that a device does not snoop, before it reads the client's pixels. */
void udmabuf_written(struct buffer *dmabuf);
