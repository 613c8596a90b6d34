#pragma once

/**
 * Accepted connections that become clients once the facts that rules need of their processes are read, or at the deadline
 * without them.
 */

#include <stdbool.h>

struct arrivals;
struct protocols;
struct wl_client;

/**
 * `arrived` is called for each connection, perhaps inside arrivals_add(): with the client before its first request is
 * read, or with NULL if the peer hung up before or no client can be made. It may be NULL itself.
 */
struct arrivals *arrivals_create(struct protocols *protocols,
	void (*arrived)(void *data, struct wl_client *client), void *data);
/** Closes the connections that wait. NULL is legal. */
void arrivals_destroy(struct arrivals *arrivals);
/** Takes over a connection. Reads nothing that may block, and waits for nothing, if `at_once`. */
void arrivals_add(struct arrivals *arrivals, int fd, bool at_once);
/** True if as many connections wait as may. */
bool arrivals_is_full(const struct arrivals *arrivals);
bool arrivals_is_empty(const struct arrivals *arrivals);
