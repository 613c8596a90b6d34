/* SPDX-License-Identifier: MIT */
#pragma once

/** Client listeners: how they accept connections. client_listener_create() makes them. */

struct client_listener;

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
