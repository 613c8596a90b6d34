/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * The programs of a shared display: the X server of each process, which stays the same for the
 * lifetime of the process, whatever its further connections, its parents and the rules do.
 */

#include "util/fd_watch.h"
#include <stdint.h>
#include <sys/types.h>

struct x_server;

/** Most programs at a time; each has a descriptor. Further ones are assigned at each connection. */
#define X_PROGRAMS_MAX 512

struct x_programs {
	struct wl_event_loop *loop;
	struct clock *clock;
	struct wl_list list; /* x_program.link */
	int n;
};

struct x_program {
	struct wl_list link;
	struct x_programs *all;
	pid_t pid;
	uint64_t start; /* of process_start_time() */
	int pidfd;
	struct fd_watch end; /* of the process */
	struct x_server *server;
	char *exe; /* NULL: unknown */
	char *wine_prefix; /* NULL: it is not Wine's */
	char *reason; /* for this X server */
};

void x_programs_init(struct x_programs *programs, struct wl_event_loop *loop, struct clock *clock);
void x_programs_finish(struct x_programs *programs);
/** Returns the program of a process, or NULL. */
struct x_program *x_programs_find(const struct x_programs *programs, pid_t pid, uint64_t start);
/** Returns the first program of a Wine prefix, or NULL. */
struct x_program *x_programs_find_prefix(const struct x_programs *programs, const char *prefix);
/**
 * Adds a process until its end. Takes over `pidfd`; -1: opens one. Returns NULL if that fails, the
 * process has ended, or there are too many.
 */
struct x_program *x_programs_add(struct x_programs *programs, pid_t pid, uint64_t start, int pidfd);
