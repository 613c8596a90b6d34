/* SPDX-License-Identifier: MIT */
#pragma once

/** Choice of the backend: the requested one, or the best available. */

#include <stdbool.h>

struct config;
struct server;

/**
 * Creates server->backend, and server->session for DRM. Returns false with *error, one line, which
 * the caller frees.
 */
bool backends_create(struct server *server, const struct config *config, char **error);
/**
 * Starts the backends, which announce their outputs and input devices. Returns false with *error,
 * one line, which the caller frees.
 */
bool backends_start(struct server *server, char **error);
void backends_destroy(struct server *server);
