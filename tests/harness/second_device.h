/* SPDX-License-Identifier: MIT */
#pragma once

/** A further render device of the server, as of a second GPU that drives outputs. */

#include "protocol/server_device.h"

struct format_set;
struct server;

/**
 * Adds a device for outputs of `display`, whose renderer is the CPU. `gpu`: the GPU
 * that it claims to compose on, or NULL. `formats`: the pairs that its renderer shows; copied.
 */
struct server_device *second_device_add(struct server *server, struct gpu *display, struct gpu *gpu,
	const struct format_set *formats);
/** Removes and destroys the device. Call it before the fixture is destroyed. */
void second_device_remove(struct server_device *device);
