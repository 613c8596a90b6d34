/* SPDX-License-Identifier: MIT */
#pragma once

/** Kinds of object floods: ways for a client to create thousands of objects. */

#include "fuzz/actor.h"
#include "fuzz/argument.h"

/** Objects of higher ranks are destroyed first: roles before surfaces, popups before their base. */
#define FLOOD_N_RANKS 4

struct flood_id {
	uint32_t id;
	int rank;
	const char *destructor;
};

struct flood {
	struct actor actor;
	struct random *random;
	struct flood_id *ids;
	int n_ids, capacity;
	/** Bound by flood_begin(). */
	uint32_t compositor, subcompositor, base, shm, seat, single, viewporter;
	uint32_t pixel; /* a wl_buffer of one pixel */
	uint32_t root, last; /* wl_surfaces, or xdg_surfaces for popups and toplevels */
};

struct flood_kind {
	const char *name;
	/** Creates the object with this index, and the objects that it needs. */
	void (*add)(struct flood *flood, int index);
	/** Called after the last object; may be NULL. */
	void (*end)(struct flood *flood);
	/** Maximum number of objects; 0: unlimited. */
	int most;
};

/** Binds globals; the registry was read before. */
void flood_begin(struct flood *flood);
/** Returns a kind, or NULL after the last. */
const struct flood_kind *flood_kind_at(int index);
