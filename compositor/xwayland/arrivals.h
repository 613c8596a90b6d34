/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Connections to a shared display, accepted and handed to the X server of their program: its
 * process is read by a thread when it connects for the first time.
 */

#include "xwayland/servers.h"

struct x_assignment;
struct x_channel;
struct x_display;
struct x_programs;

struct x_arrivals_options {
	const struct x_servers_options *servers;
	const struct x_display *display;
	struct x_programs *programs;
	void *data;
	/**
	 * Assigns a process, NULL if it is unknown; assignment->server is set. The caller frees the
	 * strings.
	 */
	void (*assign)(void *data, const struct process *process, struct x_assignment *assignment);
	/** Returns the channel of a server. */
	const struct x_channel *(*channel)(const struct x_server *server);
};

/** Most connections that wait for their program to be read, or for room in a channel. */
#define X_ARRIVALS_MAX 64
/**
 * Most connections that wait for room in one channel; further ones are closed, so that a server
 * that has stopped to accept does not delay the programs of others.
 */
#define X_ARRIVALS_HELD_MAX 16
/** Time (ns) that a connection waits for its program to be read; after it, the default server. */
#define X_ARRIVALS_TIMEOUT INT64_C(1000000000)

struct x_arrivals *x_arrivals_create(const struct x_arrivals_options *options);
/** Closes all connections that wait. Accepts NULL. */
void x_arrivals_destroy(struct x_arrivals *arrivals);
