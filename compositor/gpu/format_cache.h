#pragma once

/** Files of formats and layouts, one for each kind of GPU, in the user's cache folder. */

#include "gpu/format.h"

struct gpu;

/** Newly allocated; NULL if there is no folder for it ($XDG_CACHE_HOME, ~/.cache). */
char *format_cache_path(const struct gpu *gpu);
/**
 * What has to be the same for a file to be true: the driver, the kernel, and the Mesa at hand, by the
 * identity of its library, since its version can only be asked of a GPU that was opened. Newly allocated.
 */
char *format_cache_key(const struct gpu *gpu);
/** False if there is no such file, or it is of another key, or damaged; then `out` is empty. */
bool format_cache_load(const char *path, const char *key, struct format_set *out);
/** Replaces the file as a whole; makes its folder. Negative errno. */
int format_cache_save(const char *path, const char *key, const struct format_set *formats);
