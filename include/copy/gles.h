/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * GLES copy engine: the GPU's graphics queue samples the source and draws into the destination. For
 * GPUs without a copy queue, and for buffers that other engines cannot read. Copies share the queue
 * with clients. Bytes are exact for unorm formats of 5 to 16 bits, and half floats except NaN.
 */

#include "copy/engine.h"

struct gpu;

/**
 * Creates an engine that uses the GPU, which must outlive it; NULL: the software renderer. Leaves
 * no context current. Returns 0 or -errno: -ENODEV if it cannot draw, -ENOTSUP if it cannot import
 * dma-bufs or has no fences to poll.
 */
int gles_engine_create(struct gpu *gpu, struct copy_engine **engine);
