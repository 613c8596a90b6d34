/* SPDX-License-Identifier: MIT */
#pragma once

/** Linear buffers in cached system memory: written by a copy engine, read by the CPU. */

#include "buffer/buffer.h"

/**
 * Maps a dma-buf and stores a buffer of it, which owns the description. Returns 0 or -errno; the
 * description is finished in either case.
 */
int system_memory_import(struct dmabuf *dmabuf, struct buffer **out);
/**
 * Allocates pages that no GPU owns, as a linear dma-buf if the kernel has udmabuf, otherwise as a
 * memfd, which only software engines accept. Rows start at multiples of `alignment` bytes. Returns
 * 0 or -errno.
 */
int system_memory_allocate(
	int32_t width, int32_t height, uint32_t fourcc, uint32_t alignment, struct buffer **out);
