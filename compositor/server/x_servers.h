/* SPDX-License-Identifier: MIT */
#pragma once

/** X servers of the session, as configured by [xwayland]. */

struct launch;
struct server;
struct x_server;

/**
 * Creates X servers if [xwayland] enables them, or destroys them if it disables them, and applies
 * its other keys. Without Xwayland, an informational line is logged.
 */
void server_configure_x_servers(struct server *server);
/** Ends all X servers; call while clients still exist. */
void server_end_x_servers(struct server *server);
/**
 * Adds DISPLAY and XAUTHORITY of the program's X server to `environment`, a list for
 * children_spawn(), and returns the list. Sets *own to the program's own X server, for which
 * x_server_set_program() is due, or to NULL.
 */
char **server_add_x_environment(struct server *server, const struct launch *launch,
	char **environment, struct x_server **own);
