#pragma once

/**
 * A client, as far as anything below protocol/ needs to know one: whom surfaces belong to and what
 * is allowed. protocol/client.c makes one per connection; unit tests make their own.
 */

#include <stdbool.h>
#include <sys/types.h>

struct client {
	pid_t pid; /* 0 if unknown */
	uid_t uid;
	gid_t gid;
	char *exe; /* path of the executable, NULL if unknown */
	/** Came through the control socket: sees that protocol and nothing else. */
	bool control;
	/** Came through a security context: sees no privileged globals. */
	bool sandboxed;
	/** Rectangles of its regions, and of those that its surfaces have pending: bounded. */
	int n_rectangles;
	char *sandbox_engine, *sandbox_app_id, *sandbox_instance_id; /* NULL if not given */
};
