#pragma once

/**
 * Devices that compose: the server's own, which is there from the start and serves everyone, and one
 * more for each further GPU that drives an output. Each is built again after a loss.
 */

#include <stdbool.h>

struct render_device;
struct gpu;
struct output;
struct server;

/** Fills in server->device. False with *error one line (the caller frees it). */
bool device_create(struct server *server, char **error);
/** All of them. */
void device_destroy(struct server *server);
/** The device for what an output shows: that of its GPU. NULL after a logged error. */
struct render_device *device_for(struct server *server, const struct output *output);
/**
 * Gives up those that no output uses any more, so that their GPUs can sleep: after the time that the
 * configuration says, if no output has come to use them by then.
 */
void device_release_unused(struct server *server);
