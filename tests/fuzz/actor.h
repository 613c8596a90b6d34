#pragma once

/**
 * A hostile client: sends requests that are drawn at random, most of them plausible, so that it
 * lives for a while and reaches far.
 */

#include "fuzz/random.h"
#include "fuzz/wire.h"

struct actor {
	struct wire wire;
	struct random *random;
	bool deaf; /* never reads */
	uint32_t n_bound; /* globals */
	uint32_t press; /* serial of the last button, touch or key that it was told of */
	uint32_t configured; /* serial of the last state of outputs */
	uint32_t lock; /* id of the ext_session_lock_v1 that holds, 0 if none */
	uint64_t n_requests, n_leases;
	/** Makes a descriptor for a request of this interface, or returns -1 to leave it to chance; may be NULL. */
	int (*make_fd)(void *data, const char *interface);
	void *data; /* for make_fd */
};

void actor_init(struct actor *actor, struct wl_display *display, struct random *random);
void actor_finish(struct actor *actor);
/** False once its connection has ended. */
bool actor_alive(const struct actor *actor);
/** Reads and answers events, then sends something. */
void actor_act(struct actor *actor);

/** A live object of the interface (NULL: any), the newer the likelier; 0 if there is none. */
uint32_t actor_pick(struct actor *actor, const char *interface);
/** Binds the global of this interface at its newest version. Returns its id, or 0 if there is none. */
uint32_t actor_bind(struct actor *actor, const char *interface);
/**
 * A request by name, with some arguments given and the rest (also those that are ARGUMENT_ANY) drawn. The id of
 * what it made; 0 if it makes nothing or was not sent, as one of an object that is not there.
 */
uint32_t actor_ask(
	struct actor *actor, uint32_t id, const char *name, const int64_t *fixed, int n_fixed);
#define ASK(actor, id, name, ...)                                                                  \
	actor_ask(actor, id, name, (const int64_t[]){__VA_ARGS__},                                 \
		sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
/** Gives a surface something to show, and commits. */
void actor_show(struct actor *actor, uint32_t surface);
/** A window or popup that will show something when it is configured; gives its wl_surface, or 0. */
uint32_t actor_make_window(struct actor *actor);
