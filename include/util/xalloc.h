#pragma once

/**
 * Allocation that cannot fail: small allocations abort when memory is out. What a client can make
 * large (pools, arrays sized by a request) has real error paths and does not use these.
 */

#include <stddef.h>

/** Zeroed. The caller frees with free(). */
void *xcalloc(size_t n, size_t size) __attribute__((malloc, returns_nonnull));
void *xrealloc(void *old, size_t n, size_t size) __attribute__((returns_nonnull));
/** NULL gives NULL. */
char *xstrdup(const char *string);
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2), returns_nonnull));
