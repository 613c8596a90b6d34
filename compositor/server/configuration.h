/* SPDX-License-Identifier: MIT */
#pragma once

/** The server's configuration: loading at the start, with a fallback for errors, and reloading. */

#include <stdbool.h>

struct config;
struct server;

/**
 * Reads the configuration at the start. If it has errors, returns the last valid one or the
 * defaults, and stores the errors in server.config_error.
 */
struct config *configuration_begin(struct server *server);
/**
 * Call once the backend is known. Returns false with *error if the configuration has errors and the
 * backend is nested or headless: then the start must fail, as a terminal shows the errors.
 */
bool configuration_may_have_errors(struct server *server, char **error);
/**
 * Logs and shows the errors of the start, or else its warnings, and begins to watch the files: call
 * once the shell exists.
 */
void configuration_report(struct server *server);
/** Waits until the copy is written, and frees the errors. */
void configuration_finish(struct server *server);
