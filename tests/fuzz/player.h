/* SPDX-License-Identifier: MIT */
#pragma once

/** Random player: plays seeds of hostile clients against a server on a choice of devices. */

#include "fuzz/actor.h"
#include "fuzz/world.h"

/** Devices of the server. */
struct player_stage {
	/** Sets world->fixture and adds devices. */
	void (*begin)(struct world *world, uint32_t seed);
	/** Prepares a client that has just connected; may be NULL. */
	void (*join)(struct world *world, struct actor *actor);
	/** Causes at most one random event of the devices, then dispatches. */
	void (*happen)(struct world *world);
	/** Returns to one idle, unlocked output. */
	void (*calm_down)(struct world *world);
	/** Destroys the fixture and the devices. */
	void (*finish)(struct world *world);
	bool has_pixels; /* fixture_pixel() works */
	bool has_faults; /* inject faults in every fourth seed */
};

struct player_totals {
	uint64_t requests, steps, locked;
	uint64_t leases; /* granted leases */
};

/** Sets up the process, once. */
void player_start(void);
/** Plays a seed. Fails the test if a well-behaved client is affected or a descriptor leaks. */
void player_play(const struct player_stage *stage, uint32_t seed, int n_rounds,
	struct player_totals *totals);
/** Plays `n` seeds from `first` on. Checks, prints and returns the totals. */
struct player_totals player_run(
	const struct player_stage *stage, uint32_t first, uint32_t count, int n_rounds);
