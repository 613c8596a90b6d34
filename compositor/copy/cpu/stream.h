#pragma once

/**
 * Reads of memory that the CPU does not cache (a GPU's, through its window on the bus), by
 * non-temporal loads: they fetch a whole line at a time where ordinary loads fetch a word. From
 * cached memory they are as good as any.
 */

#include <stdbool.h>
#include <stddef.h>

enum stream_method {
	STREAM_PLAIN, /* loads of words: for CPUs without better */
	STREAM_NEON,
	STREAM_SSE41,
	STREAM_AVX2,
	STREAM_AVX512,
	STREAM_METHODS,
};

const char *stream_method_name(enum stream_method method);
/** Whether this CPU, and this build, can do it. */
bool stream_method_available(enum stream_method method);
enum stream_method stream_method_best(void);

/**
 * Any addresses, any size; lines of 64 bytes that the range touches are read as a whole. The
 * destination is ordinary memory and gets ordinary stores.
 */
void stream_read(enum stream_method method, void *to, const void *from, size_t size);
