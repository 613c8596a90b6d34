#pragma once

/** The connection of causewayctl to a running Causeway. */

#include <stdbool.h>

struct causeway_control_v1;
struct wl_display;

struct connection {
	struct wl_display *display;
	struct causeway_control_v1 *control;
};

/** False after a message on standard error. */
bool connection_open(struct connection *connection);
void connection_close(struct connection *connection);
