#pragma once

/** The renderer and allocator of a server: chosen at the start, built again after a loss. */

#include <stdbool.h>

struct server;

/** Fills in server->device. False with *error one line (the caller frees it). */
bool device_create(struct server *server, char **error);
void device_destroy(struct server *server);
