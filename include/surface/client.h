#pragma once

/**
 * A client, as far as anything below protocol/ needs to know one: whom surfaces belong to and what
 * is allowed. protocol/client.c makes one per connection; unit tests make their own.
 */

#include <stdbool.h>
#include <sys/types.h>

struct account;
struct gpu;

struct client {
	pid_t pid; /* 0 if unknown */
	uid_t uid;
	gid_t gid;
	/**
	 * The GPU that it is told to render on, the same for its life unless that GPU goes; NULL: none. What
	 * the rules would give it now is `next_gpu`, which counts when it starts the next time.
	 */
	struct gpu *gpu, *next_gpu;
	char *rule; /* name of the rule that is its as of now, NULL: none */
	bool named; /* its windows were compared with the rules */
	/** It sees the globals that name a GPU, and the one that names a node. Fixed. */
	bool sees_feedback, sees_node;
	/** Came through the control socket: sees that protocol and nothing else. */
	bool control;
	/** Came through a security context: sees no privileged globals. */
	bool sandboxed;
	/** Charged for what the compositor holds for it, see util/account.h. NULL in unit tests. */
	struct account *account;
	char *sandbox_engine, *sandbox_app_id, *sandbox_instance_id; /* NULL if not given */
};
