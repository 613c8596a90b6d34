/* SPDX-License-Identifier: MIT */
#pragma once

/** Answers of a session about clicks, on a socket, for the programs of x_clicks.c. */

#include <wayland-server-core.h>

struct server;

/**
 * Listens on a socket at `path`. A client writes the number of its X display and then points of
 * the X screen, "X Y" each, on lines of their own, and shuts down its side. The answer is a line
 * for each point: the X window that a click there is sent to, 0 for another surface or none, and
 * the place in that window. A client without points gets the number of X windows that are shown.
 */
struct wl_event_source *click_answers_start(struct server *server, const char *path);
