/* SPDX-License-Identifier: MIT */
#pragma once

/** Versions of GPU drivers, found without opening a GPU: keys of caches. */

#include <stdint.h>

struct gpu;

/**
 * Reads the version of an out-of-tree kernel driver from /sys/module: one word, which the caller
 * frees; NULL for drivers of the kernel itself. gpu.driver_version holds it for known GPUs.
 */
char *gpu_read_driver_version(const char *driver);
/**
 * Returns one word with the GPU's kernel driver and, if out-of-tree, its version. The caller frees
 * it.
 */
char *gpu_driver_version(const struct gpu *gpu);
/**
 * Returns a number that changes with the content of the drivers in a folder of libraries: Mesa's,
 * and Vulkan's, which lie there too.
 */
uint64_t gpu_identify_drivers(const char *folder);
/**
 * Returns words that identify the kernel's release and the drivers, for the caller to free. Their
 * versions would need an open GPU, so the build ids of their libraries identify them.
 */
char *gpu_software_version(void);
