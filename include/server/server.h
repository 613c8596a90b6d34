/* SPDX-License-Identifier: MIT */
#pragma once

/** The server: creates and connects all parts, and tears them down in reverse. */

#include "protocol/server.h"

/**
 * Creates the server and starts listening; `options` must outlive it. Returns NULL with *error, one
 * line, which the caller frees.
 */
struct server *server_create(const struct server_options *options, char **error);
/** Runs the event loop until server_quit(). Returns the exit code. */
int server_run(struct server *server);
void server_quit(struct server *server, int exit_code);
void server_destroy(struct server *server);
/**
 * Reads the configuration again. On error keeps the previous one, logs the errors, shows them on
 * screen and returns false with *error, which the caller frees.
 */
bool server_reload(struct server *server, char **error);
/**
 * Starts a program as a client: see launch_prepare(). Returns true once it is executing, or false
 * with *error, which the caller frees.
 */
bool server_spawn(struct server *server, const char *const *argv, const char *gpu, char **error);
/**
 * Returns changes to the environment of X programs that run on a GPU (a valid selector; NULL: the
 * default one), as for children_spawn(); NULL: none. Free them with strings_destroy().
 */
char **server_x_environment(struct server *server, const char *gpu);
/** Returns the desktop id that a child process was started with, or NULL. */
const char *server_desktop_id(const struct server *server, pid_t pid, uint64_t start_time);
