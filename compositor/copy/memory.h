#pragma once

/** Pictures in system memory that a copy engine writes and the CPU reads. */

#include "buffer/buffer.h"

/** Takes the description over. NULL with errno if it cannot be mapped. */
struct buffer *copy_memory_create(struct dmabuf *dmabuf);
/**
 * Memory of the machine's that no GPU has allocated, as a linear dma-buf where the kernel makes one of it, else
 * as a file, which only software takes for one; rows at multiples of `alignment` bytes. NULL with errno: ENOTSUP for formats of several planes.
 */
struct buffer *copy_memory_allocate(
	int32_t width, int32_t height, uint32_t fourcc, uint32_t alignment);
