#pragma once

/** Versions of GPU drivers, found without opening a GPU: keys of caches. */

struct gpu;

/**
 * Reads the version of an out-of-tree kernel driver: a word, newly allocated; NULL without one.
 * Reads a file; struct gpu has the result.
 */
char *gpu_read_driver_version(const char *driver);
/** Returns a word for the GPU's kernel driver and its version, if out-of-tree. Newly allocated. */
char *gpu_driver_version(const struct gpu *gpu);
/**
 * Returns words for the common software: the kernel, and Mesa by the identity of its library, since
 * its version needs an open GPU. Newly allocated.
 */
char *gpu_software_version(void);
