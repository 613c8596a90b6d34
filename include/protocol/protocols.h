/* SPDX-License-Identifier: MIT */
#pragma once

/** Wayland protocols of the server; wl_resource is used only in this folder. */

#include <stdbool.h>
#include <stdint.h>

struct protocols;
struct seat_sink_impl;
struct server;
struct surface;
struct wl_client;
struct x_selection_host;
struct x_server;

/** Creates all globals; scene, seat, shell and renderer of the server must exist. */
struct protocols *protocols_create(struct server *server);
/**
 * Accepts clients on a listening socket, which the caller keeps. Returns false on failure to watch
 * it.
 */
bool protocols_listen(struct protocols *protocols, int fd);
/** Disconnects all clients. Call before scene, seat and shell are destroyed. */
void protocols_destroy(struct protocols *protocols);

/** Flushes pending events to clients; call before the event loop sleeps. */
void protocols_flush(struct protocols *protocols);

/** Handles changed rules for applications: updates the state that clients can follow. */
void protocols_rules_changed(struct protocols *protocols);

/**
 * Makes a client of the connection `fd` of an X server, and takes `fd` over: the client is charged
 * and told a GPU as `server` says, and sees the globals for X servers. Sets server->client. Returns
 * NULL on failure, with `fd` closed.
 */
struct wl_client *protocols_connect_x_server(
	struct protocols *protocols, struct x_server *server, int fd);
/** Sends the boxes of all outputs again, after a change of client->density. */
void protocols_send_outputs(struct protocols *protocols, struct wl_client *client);
/** Returns the surface of the client's wl_surface with the object id `id`, or NULL. */
struct surface *protocols_find_surface(struct wl_client *client, uint32_t id);
/** Returns the surface of the client with a serial of xwayland_shell_v1, or NULL. */
struct surface *protocols_find_serial(struct wl_client *client, uint64_t serial);

/** Returns the selections as window managers of X servers use them. */
struct x_selection_host *protocols_x_selections(const struct protocols *protocols);

/** Returns the static sink that sends a seat's events to clients. */
const struct seat_sink_impl *seat_sink(void);
/**
 * Returns an activation token for a program started by the compositor, whose window may then take
 * the focus; the caller frees it.
 */
char *activation_token_create(struct protocols *protocols);
/**
 * Uses up the token of this name, which an X program got. Returns whether its window may take the
 * focus.
 */
bool activation_token_redeem(struct protocols *protocols, const char *name);
