#pragma once

/** Files of what is known of GPUs, one for each kind of them, in the user's cache folder. */

#include "gpu/probe.h"
#include <stdio.h>

/** Newly allocated; NULL if there is no folder for it ($XDG_CACHE_HOME, ~/.cache). */
char *format_cache_path(const struct gpu *gpu);
/**
 * What has to be the same for a file to be true: the driver with its version where it has one, the kernel,
 * the Mesa at hand, by the identity of its library, since its version can only be asked of a GPU that was
 * opened, and who looked (gpu_look.variant). Newly allocated.
 */
char *format_cache_key(const struct gpu *gpu, const char *variant);
/** False if there is no such file, or it is of another key, or damaged; then `out` is empty. */
bool format_cache_load(const char *path, const char *key, struct gpu_facts *out);
/** Reads the same from an open stream, which stays the caller's. */
bool format_cache_read(FILE *stream, const char *key, struct gpu_facts *out);
/** Replaces the file as a whole; makes its folder. Negative errno. Waits for the disk. */
int format_cache_save(const char *path, const char *key, const struct gpu_facts *facts);
