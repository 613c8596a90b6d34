/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Streaming reads of uncached memory (a GPU's, across the bus) by non-temporal loads, which fetch a
 * line at a time instead of a word. As fast as memcpy() on cached memory.
 */

#include <stdbool.h>
#include <stddef.h>

enum stream_method {
	STREAM_PLAIN, /* loads of words: the fallback */
	STREAM_NEON,
	STREAM_SSE41,
	STREAM_AVX2,
	STREAM_AVX512,
	STREAM_METHODS,
};

const char *stream_method_name(enum stream_method method);
/** Returns whether this CPU and this build support the method. */
bool stream_method_available(enum stream_method method);
enum stream_method stream_method_best(void);

/**
 * Copies any size between any addresses. Reads every 64-byte line that the range touches as a
 * whole. The destination is ordinary memory.
 */
void stream_read(enum stream_method method, void *to, const void *from, size_t size);
