/* SPDX-License-Identifier: MIT */
#pragma once

/** Child processes of the compositor. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <wayland-util.h>

struct session_children;

struct session_children *children_create(void);
/** Sends SIGTERM to the process groups of all running children and forgets them. */
void children_destroy(struct session_children *children);

/** Most descriptors that a child inherits, apart from standard input, output and error. */
#define CHILD_FDS_MAX 8

struct child_start {
	const char *const *argv; /* NULL-terminated; the program is found through $PATH */
	/** "NAME=value" that are set and "NAME" that are unset, NULL-terminated. */
	const char *const *environment;
	const char *directory; /* working directory; NULL: ours */
	const char *desktop_id; /* id of its desktop file; NULL: none */
	/** Descriptors that it inherits as 3, 4 and so on, `n_fds` at most CHILD_FDS_MAX. */
	const int *fds;
	int n_fds;
	int error_fd; /* its standard error; 0: ours */
	bool many_files; /* our limit on open files, not the one that we were started with */
};

/**
 * Starts a program in a new session, with default signals, our standard input, output and error,
 * and no other descriptors than start->fds. Returns its pid once the program is executing, or
 * negative errno if it cannot be started.
 */
pid_t children_spawn(struct session_children *children, const struct child_start *start);
/**
 * Returns the desktop id that a running child was started with, or NULL. `start_time` (of
 * process_start_time()) guards against reused pids.
 */
const char *children_desktop_id(
	const struct session_children *children, pid_t pid, uint64_t start_time);

/**
 * Reaps ended children: call on SIGCHLD. Calls `ended` for each of them with its exit code (128 +
 * signal number if killed).
 */
void children_reap(struct session_children *children,
	void (*ended)(void *data, pid_t pid, int code), void *data);
