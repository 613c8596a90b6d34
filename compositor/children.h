#pragma once

/** Processes that the compositor started. */

#include <stdbool.h>
#include <sys/types.h>
#include <wayland-util.h>

struct session_children;

struct session_children *children_create(void);
/** Asks those that still run to end (SIGTERM to their process groups) and forgets them. */
void children_destroy(struct session_children *children);

/**
 * Starts a program, found through $PATH, in a session of its own, with default signals, with
 * standard input, output and error as ours and no other descriptor open. `environment`: strings
 * "NAME=value" that are set and "NAME" that are unset, NULL-terminated. Returns once the program is
 * executing, with its pid; or negative errno if it cannot be started.
 */
pid_t children_spawn(
	struct session_children *children, const char *const *argv, const char *const *environment);

/** Call on SIGCHLD: calls back for each of ours that ended, with its exit code (128 + signal). */
void children_reap(struct session_children *children,
	void (*ended)(void *data, pid_t pid, int code), void *data);
