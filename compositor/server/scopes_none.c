/* SPDX-License-Identifier: MIT */
/* Stub of scopes.c for builds without sd-bus. */

#include "scopes.h"
#include <unistd.h>

struct scopes *scopes_create(struct wl_event_loop *loop)
{
	return NULL;
}

void scopes_destroy(struct scopes *scopes)
{
}

bool scopes_usable(struct scopes *scopes)
{
	return false;
}

void scopes_request(
	struct scopes *scopes, const char *unit, pid_t pid, const char *description, int fd)
{
	close(fd);
}

bool scope_join(const char *unit, const char *description)
{
	return false;
}
