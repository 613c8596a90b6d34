#pragma once

/**
 * Shared memory as a dma-buf: the kernel's udmabuf driver makes one of the pages of a client's memory file,
 * for GPUs to sample and screens to scan out what the client has drawn, where it lies.
 *
 * It takes files that cannot shrink (F_SEAL_SHRINK) and that it may write to (no F_SEAL_WRITE), whole pages
 * at a time: Linux, drivers/dma-buf/udmabuf.c.
 */

#include "buffer/buffer.h"

/** A dma-buf of whole pages of such a file; negative errno. `offset` and `size` in bytes. */
int udmabuf_create(int file, uint64_t offset, uint64_t size);
/** Whether the driver would be asked at all: the file has the seals, and whole pages around the buffer. */
bool udmabuf_suits(struct buffer *shm);
/**
 * The memory of an shm buffer as a linear dma-buf of no GPU's, locked; made once, and kept with it. The shm
 * buffer is locked as long as anybody has the dma-buf locked. NULL with errno, which is also kept unless it may pass
 * (util/error.h): EINVAL (does not suit), or why the driver cannot be opened or refused.
 */
struct buffer *udmabuf_lock(struct buffer *shm);
/** Before a device reads what the client has written: caches of the CPU that it does not see are cleaned. */
void udmabuf_written(struct buffer *dmabuf);
