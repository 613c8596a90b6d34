/* SPDX-License-Identifier: MIT */
#pragma once

/** Program starts: server_spawn() with the process id. */

#include <sys/types.h>

struct server;

/**
 * Starts a program like server_spawn(). Returns its pid, or negative errno with *error, which the
 * caller frees.
 */
pid_t spawn_program(struct server *server, const char *const *argv, const char *gpu, char **error);
