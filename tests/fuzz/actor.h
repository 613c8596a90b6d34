/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Hostile client: sends random requests, most of them plausible, so that it lives for a while and
 * reaches deep states.
 */

#include "fuzz/random.h"
#include "fuzz/wire.h"

struct actor {
	struct wire wire;
	struct random *random;
	bool deaf; /* never reads events */
	uint32_t n_bound; /* globals */
	uint32_t press; /* serial of the last button, touch or key event */
	uint32_t configured; /* serial of the last output configuration */
	uint32_t lock; /* id of the active ext_session_lock_v1, 0: none */
	uint64_t n_requests, n_leases;
	/**
	 * Returns a descriptor for a request of this interface, or -1 for a random one; may be
	 * NULL.
	 */
	int (*make_fd)(void *data, const char *interface);
	void *data; /* for make_fd */
};

void actor_init(struct actor *actor, struct wl_display *display, struct random *random);
void actor_finish(struct actor *actor);
/** Returns false once the connection has ended. */
bool actor_alive(const struct actor *actor);
/** Reads and answers events, then sends a request. */
void actor_act(struct actor *actor);

/** Returns the id of a live object of the interface (NULL: any), preferring new ones, or 0. */
uint32_t actor_pick(struct actor *actor, const char *interface);
/** Binds the global of this interface at its highest version. Returns its id, or 0. */
uint32_t actor_bind(struct actor *actor, const char *interface);
/**
 * Sends a request by name with some arguments given; others, and those that are ARGUMENT_ANY, are
 * random. Returns the id of the new object, or 0 if there is none or nothing was sent, for example
 * because the object does not exist.
 */
uint32_t actor_ask(
	struct actor *actor, uint32_t id, const char *name, const int64_t *fixed, int n_fixed);
#define ASK(actor, id, name, ...)                                                                  \
	actor_ask(actor, id, name, (const int64_t[]){__VA_ARGS__},                                 \
		sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
/** Attaches a buffer to the surface and commits. */
void actor_show(struct actor *actor, uint32_t surface);
/** Creates a window or popup that is drawn when configured. Returns its wl_surface, or 0. */
uint32_t actor_make_window(struct actor *actor);
