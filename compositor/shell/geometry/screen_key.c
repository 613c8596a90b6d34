/* SPDX-License-Identifier: MIT */
/* Keys of screens, by which windows and workspaces find their output again. */

#include "screen_key.h"
#include "backend/output.h"
#include "util/xalloc.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *text(const char *part)
{
	return part ? part : "";
}

char *screen_key(const struct output *output)
{
	return xasprintf("%s\n%s\n%s\n%s", output->name, text(output->serial), text(output->make),
		text(output->model));
}

enum screen_fit screen_key_fit(const char *key, const struct output *output)
{
	char *own = screen_key(output);
	const char *identity = strchr(key, '\n'), *own_identity = strchr(own, '\n');
	const bool same_name = identity - key == own_identity - own &&
			       strncmp(key, own, (size_t)(identity - key)) == 0;
	const bool same_screen = strcmp(identity, own_identity) == 0;
	/* Without a serial number, screens differ by their connectors only. */
	const bool part = same_name || (same_screen && output->serial);
	free(own);
	return same_name && same_screen ? SCREEN_EXACT : part ? SCREEN_PART : SCREEN_OTHER;
}
