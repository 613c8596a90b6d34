/* SPDX-License-Identifier: MIT */
/* Text in two columns of lines. */

#include "text_columns.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Columns of the left half of the list. */
#define HALF_MAX 50

char *text_in_columns(const char *text)
{
	int n = 1, widest = 0;
	for (const char *at = text; (at = strchr(at, '\n')); at++) {
		n++;
	}
	const char *second = text;
	for (int i = 0; i < (n + 1) / 2 && *second; i++) {
		const int length = (int)strcspn(second, "\n");
		widest = length > widest ? length : widest;
		second += length + (second[length] == '\n');
	}
	char *joined = NULL;
	size_t size;
	FILE *stream = open_memstream(&joined, &size);
	if (!stream) {
		abort(); /* out of memory, as in xmalloc() */
	}
	widest = widest > HALF_MAX ? HALF_MAX : widest;
	for (const char *left = text, *right = second; left < second;) {
		const int length = (int)strcspn(left, "\n"), other = (int)strcspn(right, "\n");
		fprintf(stream, "%s%-*.*s   %.*s", left == text ? "" : "\n", widest,
			length < widest ? length : widest, left, other, right);
		left += length + 1;
		right += other + (right[other] == '\n');
	}
	fclose(stream);
	return joined;
}
