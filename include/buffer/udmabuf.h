/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Shared memory as a dma-buf: the kernel's udmabuf driver wraps the pages of a client's memory
 * file, for GPUs to sample and outputs to scan out without a copy.
 *
 * The file must be sealed against shrinking (F_SEAL_SHRINK), writable (no F_SEAL_WRITE), and is
 * wrapped in whole pages: Linux, drivers/dma-buf/udmabuf.c.
 *
 * The memory is cached by the CPU. Only devices that snoop its caches read what the client has
 * written: gpu/quirks.h.
 */

#include "buffer/buffer.h"

/** Returns the largest size (bytes) that the driver accepts: by default, 64 MiB. */
uint64_t udmabuf_max_size(void);
/**
 * Creates a dma-buf of whole pages of such a file; `offset` and `size` in bytes. Returns -errno on
 * failure, -EFBIG beyond udmabuf_max_size().
 */
int udmabuf_create(int file, uint64_t offset, uint64_t size);
/** Returns whether the file suits the driver: seals, size, and whole pages around the buffer. */
bool udmabuf_suits(struct buffer *shm);
/**
 * Returns the memory of an shm buffer as a linear dma-buf without a home, locked; created once, and
 * cached with the shm buffer, which stays locked while the dma-buf is. Returns NULL with errno,
 * cached too unless transient (util/error.h): EINVAL (does not suit), or the driver's error.
 */
struct buffer *udmabuf_lock(struct buffer *shm);
/**
 * Ends an access of the CPU, before a device reads the client's pixels. On x86, the kernel cleans
 * no caches for it (end_cpu_udmabuf()). Skipped if it would wait for the device.
 */
void udmabuf_written(struct buffer *dmabuf);
