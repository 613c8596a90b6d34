/* SPDX-License-Identifier: MIT */
/* Fuzz target: desktop files, and the expansion of their command lines. */

#include "apps/desktop_entry.h"
#include "fuzz/target.h"
#include "util/strings.h"
#include <stdlib.h>

static void expand(const struct desktop_entry *entry, const char *const *files)
{
	char *error = NULL;
	char **argv = desktop_entry_arguments(entry, files, &error);
	if (!argv != (error != NULL) || (argv && !argv[0])) {
		abort();
	}
	strings_destroy(argv);
	free(error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const none[] = {NULL}, *const two[] = {"a file", "http://b", NULL};
	struct desktop_entry entry;
	char *error = NULL;
	FILE *stream = target_open(data, size);
	if (desktop_entry_parse(&entry, stream, "/usr/share/a.desktop", "a", &error)) {
		expand(&entry, none);
		expand(&entry, two);
		desktop_entry_finish(&entry);
	} else if (!error) {
		abort();
	}
	fclose(stream);
	free(error);
	return 0;
}
