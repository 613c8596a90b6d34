/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Allocation that cannot fail: small allocations abort when memory is exhausted. Allocations that a
 * client can make large (pools, arrays sized by a request) have error paths and do not use these.
 */

#include <stddef.h>

/** Allocates zeroed memory. Free it with free(). */
void *xcalloc(size_t n, size_t size) __attribute__((malloc, returns_nonnull));
void *xrealloc(void *old, size_t n, size_t size) __attribute__((returns_nonnull));
/** Copies a string; NULL gives NULL. */
char *xstrdup(const char *string);
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2), returns_nonnull));
