/* Lists of strings, ended by NULL. */

#include "util/strings.h"
#include "util/xalloc.h"
#include <stdlib.h>

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

void strings_destroy(char **list)
{
	for (char **string = list; string && *string; string++) {
		free(*string);
	}
	free(list);
}
