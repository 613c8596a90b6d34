/* SPDX-License-Identifier: MIT */
#pragma once

/** Program starts: server_spawn() with the process id, and programs of the session. */

#include <sys/types.h>

struct server;

/**
 * Starts a program like server_spawn(). Returns its pid, or negative errno with *error, which the
 * caller frees.
 */
pid_t spawn_program(struct server *server, const char *const *argv, const char *gpu, char **error);
/**
 * Starts a program of the session, by its rule; it sees every GPU, since others are started from
 * it. Returns like spawn_program().
 */
pid_t spawn_session_program(struct server *server, const char *const *argv, char **error);
