/* SPDX-License-Identifier: MIT */
#pragma once

/** Versions of GPU drivers, found without opening a GPU: keys of caches. */

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
 * Returns words that identify the kernel's release and Mesa, for the caller to free. Mesa's version
 * would need an open GPU, so size and time of its library identify it.
 */
char *gpu_software_version(void);
