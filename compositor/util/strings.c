/* SPDX-License-Identifier: MIT */
/* Lists of strings, ended by NULL. */

#include "util/strings.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

size_t strings_count(char *const *list)
{
	size_t n = 0;
	while (list && list[n]) {
		n++;
	}
	return n;
}

char **strings_add(char **list, char *string)
{
	size_t n = strings_count(list);
	list = xrealloc(list, n + 2, sizeof(*list));
	list[n] = string;
	list[n + 1] = NULL;
	return list;
}

char *strings_join(const char *const *list, const char *separator, const char *last)
{
	size_t most = strlen(separator) > strlen(last) ? strlen(separator) : strlen(last);
	size_t size = 1;
	for (size_t i = 0; list[i]; i++) {
		size += strlen(list[i]) + most;
	}
	char *text = xcalloc(size, 1), *end = text;
	for (size_t i = 0; list[i]; i++) {
		end = stpcpy(end, i == 0 ? "" : list[i + 1] ? separator : last);
		end = stpcpy(end, list[i]);
	}
	return text;
}

void strings_destroy(char **list)
{
	for (char **string = list; string && *string; string++) {
		free(*string);
	}
	free(list);
}
