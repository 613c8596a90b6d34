#pragma once

/**
 * A hostile client: sends requests that are drawn at random, most of them plausible, so that it
 * lives for a while and reaches far.
 */

#include "fuzz/wire.h"

struct random {
	uint64_t state;
};

/** The same numbers for the same seed, everywhere. */
uint32_t random_next(struct random *random);
/** lo..hi, both included. */
int32_t random_between(struct random *random, int32_t lo, int32_t hi);
bool random_chance(struct random *random, int percent);

struct actor {
	struct wire wire;
	struct random *random;
	bool deaf; /* never reads */
	uint32_t n_bound; /* globals */
	uint64_t n_requests;
};

void actor_init(struct actor *actor, struct wl_display *display, struct random *random);
void actor_finish(struct actor *actor);
/** False once its connection has ended. */
bool actor_alive(const struct actor *actor);
/** Reads and answers events, then sends something. */
void actor_act(struct actor *actor);
