#pragma once

/** The server's configuration: at the start, in spite of errors, and when it is read again. */

#include <stdbool.h>

struct config;
struct server;

/**
 * Reads the configuration for a start. If it has errors: the last good one or the defaults, and the errors are in
 * server.config_error.
 */
struct config *configuration_begin(struct server *server);
/**
 * Called once the backend is known: the errors end a start that a terminal of another session shows. Returns false with
 * *error set then.
 */
bool configuration_may_have_errors(struct server *server, char **error);
/** Called once there is a shell: shows the errors of the start. */
void configuration_show_error(struct server *server);
/** Waits for the copy to be written. */
void configuration_finish(struct server *server);
