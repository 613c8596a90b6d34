/* SPDX-License-Identifier: MIT */
#pragma once

/** Wayland protocols of the server; wl_resource is used only in this folder. */

#include <stdbool.h>

struct protocols;
struct seat_sink_impl;
struct server;

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

/** Returns the static sink that sends a seat's events to clients. */
const struct seat_sink_impl *seat_sink(void);
/**
 * Returns an activation token for a program started by the compositor, whose window may then take
 * the focus; the caller frees it.
 */
char *activation_token_create(struct protocols *protocols);
