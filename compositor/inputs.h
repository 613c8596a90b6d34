#pragma once

/** Input devices of the backends, as the configuration wants them, in the seat. */

struct input_device;
struct server;

/** Follows the device until it goes. */
void server_inputs_add(struct server *server, struct input_device *device);
/** Applies the configuration to all of them again. */
void server_inputs_configure(struct server *server);
void server_inputs_finish(struct server *server);
