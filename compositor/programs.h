#pragma once

/** Starting programs: what server_spawn() does, for those who want to know which process it is. */

#include <sys/types.h>

struct server;

/** Its pid; or negative errno with *error set (owned by the caller). */
pid_t spawn_program(struct server *server, const char *const *argv, const char *gpu, char **error);
