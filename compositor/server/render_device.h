/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Render devices: the server's own, created at the start and used by all protocols, and one for
 * each further GPU that drives an output. Each is created again after a GPU reset.
 */

#include <stdbool.h>

struct render_device;
struct output;
struct server;

/** Creates server->device. Returns false with *error, one line, which the caller frees. */
bool device_create(struct server *server, char **error);
/** Destroys all devices. */
void device_destroy(struct server *server);
/**
 * Returns the device that composes an output: that of its GPU. Returns NULL after logging an error.
 */
struct render_device *device_for(struct server *server, const struct output *output);
/**
 * Destroys devices without outputs, so that their GPUs can sleep, after the configured time
 * (gpu.close_after) if they are still unused.
 */
void device_release_unused(struct server *server);
/**
 * Updates the meaning of `animations = auto`: call after the power supply or the renderer changed.
 */
void device_update_motion(struct server *server);
