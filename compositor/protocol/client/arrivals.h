/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Accepted connections that wait for facts about their processes (required by application rules)
 * before they become clients; after a deadline they continue without the facts.
 */

#include <stdbool.h>

struct arrivals;
struct protocols;
struct wl_client;

/**
 * Creates an empty queue. `arrived` is called for each connection, possibly inside arrivals_add():
 * with the client before its first request is read, or with NULL if the peer hung up or no client
 * could be created. `arrived` may be NULL.
 */
struct arrivals *arrivals_create(struct protocols *protocols,
	void (*arrived)(void *data, struct wl_client *client), void *data);
/** Closes the waiting connections. NULL is legal. */
void arrivals_destroy(struct arrivals *arrivals);
/**
 * Takes over the connection `fd`. With `at_once` the client is created immediately, without facts
 * that may block.
 */
void arrivals_add(struct arrivals *arrivals, int fd, bool at_once);
/** Returns true if the number of waiting connections has reached its limit. */
bool arrivals_is_full(const struct arrivals *arrivals);
bool arrivals_is_empty(const struct arrivals *arrivals);
