/* SPDX-License-Identifier: MIT */
#pragma once

/** The connection of causewayctl to a running Causeway. */

#include <stdbool.h>

struct causeway_control_v1;
struct wl_display;

struct connection {
	struct wl_display *display;
	struct causeway_control_v1 *control;
};

/**
 * Connects to the session of `display`; NULL: $WAYLAND_DISPLAY. On failure prints an error and the
 * running sessions to standard error and returns false.
 */
bool connection_open(struct connection *connection, const char *display);
void connection_close(struct connection *connection);
