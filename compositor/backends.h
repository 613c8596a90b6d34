#pragma once

/** The backend of a server: the one asked for, or the best that can be had. */

#include <stdbool.h>

struct config;
struct server;

/** Fills in server->backend, and for screens server->session. False with *error one line. */
bool backends_create(struct server *server, const struct config *config, char **error);
/** Outputs and devices are announced. False with *error one line. */
bool backends_start(struct server *server, char **error);
void backends_destroy(struct server *server);
