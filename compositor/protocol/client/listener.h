/* SPDX-License-Identifier: MIT */
#pragma once

/** Client listeners: accept connections on a listening socket and make clients of them. */

#include <stdbool.h>

struct client_listener;
struct protocols;
struct wl_client;

/**
 * Accepts clients on `fd`, a non-blocking listening socket that the caller keeps open until
 * client_listener_destroy(). Other programs must not share it; see client_listener_use_threads().
 *
 * `accepted` is called for each client before its first request is read, and with NULL as the last
 * call, after the socket was shut down; it may then destroy the listener. `accepted` may be NULL.
 * Returns NULL if `fd` cannot be watched.
 */
struct client_listener *client_listener_create(struct protocols *protocols, int fd,
	void (*accepted)(void *data, struct wl_client *client), void *data);
/**
 * Accepts clients as long as any descriptor is free, reserve included: for tools that help to
 * diagnose an overload.
 */
void client_listener_use_reserve(struct client_listener *listener);
/**
 * Accepts clients on threads, for a socket that a client shares: after taking the connection itself
 * and clearing O_NONBLOCK, the client could let accept() wait for ever. A socket that does not
 * answer for CLIENT_FD_TIMEOUT is shut down.
 */
void client_listener_use_threads(struct client_listener *listener);
/** Stops accepting clients. NULL is legal. */
void client_listener_destroy(struct client_listener *listener);
