/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Quirks of GPU drivers with memory of others: restrictions that imports do not show, by the name
 * of the kernel driver. Found without opening the GPU. For quirks of displays see
 * compositor/backend/drm/quirks.c.
 */

#include <stdbool.h>

struct gpu;

/**
 * Returns whether the GPU samples what the CPU has just written to cached system memory (udmabuf).
 * Accepts NULL: software renderers.
 */
bool gpu_samples_cpu_writes(const struct gpu *gpu);
/**
 * Returns whether the GPU's planes may scan out cached system memory of no GPU. The driver may
 * still refuse it. Accepts NULL.
 */
bool gpu_scans_out_system_memory(const struct gpu *gpu);
/**
 * Returns whether planes of the GPU may scan out its buffers that another GPU writes. Otherwise the
 * kernel moves such a buffer twice for each frame. Accepts NULL.
 */
bool gpu_scans_out_shared_memory(const struct gpu *gpu);
/**
 * Returns whether other GPUs can map the linear buffers that GBM allocates on this one: memory that
 * is, or is moved to, system memory.
 */
bool gpu_shares_linear_memory(const struct gpu *gpu);
/**
 * Returns whether the GPU's renderer reads linear system memory, or memory of other GPUs, exactly.
 * Copies by Vulkan are not concerned. Accepts NULL: software renderers.
 */
bool gpu_samples_foreign_memory(const struct gpu *gpu);
/**
 * Returns whether the GPU's renderer reads a client's dma-buf that belongs to no GPU; `exporter`:
 * see dmabuf_read_exporter(). Accepts a NULL GPU.
 */
bool gpu_samples_exporter(const struct gpu *gpu, const char *exporter);
/** Returns whether the GPU's driver is NVIDIA's own. */
bool gpu_is_nvidia(const struct gpu *gpu);
