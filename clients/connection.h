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
 * Connects to the session of this display; NULL: of $WAYLAND_DISPLAY. Returns false after a message on standard
 * error, which names the sessions that run.
 */
bool connection_open(struct connection *connection, const char *display);
void connection_close(struct connection *connection);
