/* SPDX-License-Identifier: MIT */
#pragma once

/** The connection of causewayctl to a running Causeway. */

#include <stdbool.h>
#include <stdint.h>

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
/** Returns whether the control protocol has this version; prints an error if it is older. */
bool connection_supports(const struct connection *connection, uint32_t version);
/** Prints that the connection ended before a reply. Returns the exit code. */
int connection_lost(void);
void connection_close(struct connection *connection);
