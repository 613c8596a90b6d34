#pragma once

/** Processes that the compositor started. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <wayland-util.h>

struct session_children;

struct session_children *children_create(void);
/** Asks those that still run to end (SIGTERM to their process groups) and forgets them. */
void children_destroy(struct session_children *children);

struct child_start {
	const char *const *argv; /* NULL-terminated; the program is found through $PATH */
	/** "NAME=value" that are set and "NAME" that are unset, NULL-terminated. */
	const char *const *environment;
	const char *directory; /* to run in; NULL: ours */
	const char *desktop_id; /* of the desktop file that it is started by; NULL: of none */
};

/**
 * Starts a program in a session of its own, with default signals, with standard input, output and error
 * as ours and no other descriptor open. Returns once the program is executing, with its pid; or
 * negative errno if it cannot be started.
 */
pid_t children_spawn(struct session_children *children, const struct child_start *start);
/** NULL unless this very process, which still runs, was started by way of a desktop file. */
const char *children_desktop_id(
	const struct session_children *children, pid_t pid, uint64_t start_time);

/** Call on SIGCHLD: calls back for each of ours that ended, with its exit code (128 + signal). */
void children_reap(struct session_children *children,
	void (*ended)(void *data, pid_t pid, int code), void *data);
