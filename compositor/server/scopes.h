/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Systemd scopes by the user's service manager over D-Bus. Without a manager, or without sd-bus in
 * the build, nothing is connected and no program waits.
 */

#include <stdbool.h>
#include <sys/types.h>
#include <wayland-server-core.h>

struct scopes;

/** Connects only when a program is started. */
struct scopes *scopes_create(struct wl_event_loop *loop);
void scopes_destroy(struct scopes *scopes);
/**
 * Returns whether a program can get a scope: there is a manager, and it has not failed several
 * times. Accepts NULL.
 */
bool scopes_usable(struct scopes *scopes);
/**
 * Requests the scope of a process, and takes `fd`, a socket: writes SCOPE_REQUESTED to it when the
 * manager has accepted, and closes it then, on failure, and after a second.
 */
void scopes_request(
	struct scopes *scopes, const char *unit, pid_t pid, const char *description, int fd);
/**
 * Moves this process into a new scope, for causeway-run; waits a second and a half at most. Returns
 * whether it is there.
 */
bool scope_join(const char *unit, const char *description);
