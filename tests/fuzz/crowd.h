#pragma once

/** Kinds of crowds: ways for a client to make thousands of objects. */

#include "fuzz/actor.h"
#include "fuzz/argument.h"

/** Objects of higher ranks are destroyed first: roles before surfaces, popups before their base. */
#define CROWD_N_RANKS 4

struct crowd_id {
	uint32_t id;
	int rank;
	const char *destructor;
};

struct crowd {
	struct actor actor;
	struct random *random;
	struct crowd_id *ids;
	int n_ids, capacity;
	/** Bound by crowd_begin(). */
	uint32_t compositor, subcompositor, base, shm, seat, single, viewporter;
	uint32_t pixel; /* a wl_buffer of one pixel */
	uint32_t root, last; /* wl_surfaces, or xdg_surfaces for popups and toplevels */
};

struct crowd_kind {
	const char *name;
	/** Makes the object with this index, and what belongs to it. */
	void (*add)(struct crowd *crowd, int index);
	/** Called after the last object; may be NULL. */
	void (*end)(struct crowd *crowd);
	/** Objects at most; 0: as many as asked for. */
	int most;
};

/** Binds globals. The registry has been read. */
void crowd_begin(struct crowd *crowd);
/** Returns a kind, or NULL after the last. */
const struct crowd_kind *crowd_kind_at(int index);
