/* SPDX-License-Identifier: MIT */
/* Small allocations, which abort the process when memory is exhausted. */

#include "util/xalloc.h"
#include "util/log.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void die(void)
{
	log_error("out of memory");
	abort();
}

/*
 * Up to this size memory is cleared here: calloc() of glibc before 2.41 skips the block freed last,
 * which costs 150 instructions and saves no clearing. Larger blocks may come zeroed from the
 * kernel.
 */
#define SMALL 1024

void *xcalloc(size_t n, size_t size)
{
	/* A size of zero gets a byte, so that NULL always means failure. */
	void *memory;
	if (n == 1 && size <= SMALL) {
		memory = malloc(size > 0 ? size : 1);
		if (memory) {
			return memset(memory, 0, size);
		}
		die();
	}
	memory = calloc(n > 0 ? n : 1, size > 0 ? size : 1);
	if (!memory) {
		die();
	}
	return memory;
}

void *xrealloc(void *old, size_t n, size_t size)
{
	void *memory = reallocarray(old, n > 0 ? n : 1, size > 0 ? size : 1);
	if (!memory) {
		die();
	}
	return memory;
}

char *xstrdup(const char *string)
{
	if (!string) {
		return NULL;
	}
	char *copy = strdup(string);
	if (!copy) {
		die();
	}
	return copy;
}

char *xasprintf(const char *format, ...)
{
	va_list args;
	char *string = NULL;
	va_start(args, format);
	int length = vasprintf(&string, format, args);
	va_end(args);
	if (length < 0) {
		die();
	}
	return string;
}
