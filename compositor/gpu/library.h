/* SPDX-License-Identifier: MIT */
#pragma once

/** Identities of shared libraries, for keys of caches. */

#include <stdint.h>

/**
 * Returns a number that changes with the library's content: of its build id, or if it has none of
 * its path without links, inode, size and time. 0 if there is no such file. Times and sizes alone
 * do not tell: images of systems set all times to the same value.
 */
uint64_t library_identify(const char *path);
/** Continues a hash (FNV-1a), which begins with LIBRARY_HASH. */
uint64_t library_hash(uint64_t hash, const void *data, uint64_t size);
#define LIBRARY_HASH UINT64_C(0xcbf29ce484222325)
