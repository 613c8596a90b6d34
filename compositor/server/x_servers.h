/* SPDX-License-Identifier: MIT */
#pragma once

/** X servers of the session, as configured by [xwayland]. */

struct launch;
struct server;
struct xwayland_server;

/**
 * Creates X servers if [xwayland] enables them, or destroys them if it disables them, and applies
 * its other keys. Without Xwayland, an informational line is logged.
 */
void x_servers_configure(struct server *server);
/** Ends all X servers; call while clients still exist. */
void x_servers_finish(struct server *server);
/**
 * Adds DISPLAY and XAUTHORITY of the program's X server to `environment`, a list for
 * children_spawn(), and returns the list. Sets *own to the program's own X server, for which
 * xwayland_server_set_program() is due, or to NULL.
 */
char **x_servers_add_environment(struct server *server, const struct launch *launch,
	char **environment, struct xwayland_server **own);
