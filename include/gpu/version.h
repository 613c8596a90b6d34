#pragma once

/** What changes when the drivers of GPUs do, found without opening any: for whatever is kept of what they do. */

struct gpu;

/**
 * The version of a kernel driver that is not the kernel's own, which may be replaced without it: a word, newly
 * allocated; NULL: it has none. A file is read for it: struct gpu has it.
 */
char *gpu_read_driver_version(const char *driver);
/** A word of the GPU's kernel driver, and of its version where that is not the kernel's. Newly allocated. */
char *gpu_driver_version(const struct gpu *gpu);
/**
 * Words for what all of them stand on: the kernel, and Mesa by the identity of a library of it, since its version
 * can only be asked of a GPU that was opened. Newly allocated.
 */
char *gpu_software_version(void);
