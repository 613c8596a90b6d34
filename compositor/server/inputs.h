/* SPDX-License-Identifier: MIT */
#pragma once

/** Input devices: configured and added to the seat. */

struct input_device;
struct server;

/** Configures a device and adds it to the seat until it is removed. */
void server_inputs_add(struct server *server, struct input_device *device);
/** Applies the configuration to all devices again. */
void server_inputs_configure(struct server *server);
void server_inputs_finish(struct server *server);
