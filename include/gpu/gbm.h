/* SPDX-License-Identifier: MIT */
#pragma once

/** GBM buffers as dma-bufs. */

#include "gpu/dmabuf.h"
#include <stdint.h>

struct gbm_bo;
struct gpu;

/**
 * Describes the planes of the buffer, with descriptors that allow writing if possible. Returns 0,
 * or -errno with the planes exported so far, which the caller finishes. Sets neither size nor
 * format.
 */
int gbm_export_planes(struct gbm_bo *bo, struct dmabuf *dmabuf);
/**
 * Allocates a linear image on an open GPU, which other GPUs import; rows start at multiples of
 * `alignment` bytes. The caller owns *out, which keeps the memory. Returns 0 or -errno: -ENOTSUP if
 * the GPU is not open, or its linear memory cannot be mapped by other devices.
 */
int gpu_allocate_linear(struct gpu *gpu, int32_t width, int32_t height, uint32_t format,
	uint32_t alignment, struct dmabuf *out);
