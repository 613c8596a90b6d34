#pragma once

/** What changes when the drivers of GPUs do, found without opening any: for whatever is kept of what they do. */

struct gpu;

/** A word of the GPU's kernel driver, and of its version where that is not the kernel's. Newly allocated. */
char *gpu_driver_version(const struct gpu *gpu);
/**
 * Words for what all of them stand on: the kernel, and Mesa by the identity of a library of it, since its version
 * can only be asked of a GPU that was opened. Newly allocated.
 */
char *gpu_software_version(void);
