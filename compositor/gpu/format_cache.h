/* SPDX-License-Identifier: MIT */
#pragma once

/** Cache files of GPU capabilities, one for each kind of GPU, in the user's cache folder. */

#include "gpu/probe.h"
#include <stdio.h>

/** Returns the path, newly allocated; NULL without a cache folder ($XDG_CACHE_HOME, ~/.cache). */
char *format_cache_path(const struct gpu *gpu);
/**
 * Returns the key that a file must have: the driver with its version if out-of-tree, the kernel,
 * Mesa by the identity of its library (its version needs an open GPU), and the prober
 * (gpu_look.variant). Newly allocated.
 */
char *format_cache_key(const struct gpu *gpu, const char *variant);
/**
 * Loads a file. Returns false without a file, or if its key differs or it is damaged; then `out` is
 * empty.
 */
bool format_cache_load(const char *path, const char *key, struct gpu_facts *out);
/** Loads an open stream, which the caller closes. */
bool format_cache_read(FILE *stream, const char *key, struct gpu_facts *out);
/** Writes what format_cache_read() reads; errors are those of the stream. */
void format_cache_write(FILE *stream, const char *key, const struct gpu_facts *facts);
/** Replaces the file atomically; creates its folder. Returns 0 or -errno. Waits for the disk. */
int format_cache_save(const char *path, const char *key, const struct gpu_facts *facts);
