#pragma once

/** The random player: lets hostile clients loose on a server, by seed, on some stage. */

#include "fuzz/actor.h"
#include "fuzz/world.h"

/** The devices that a server runs on. */
struct player_stage {
	/** Sets world->fixture and adds devices. */
	void (*begin)(struct world *world, uint32_t seed);
	/** Prepares a client that has just connected; may be NULL. */
	void (*join)(struct world *world, struct actor *actor);
	/** Draws one event of the devices, or none; then pumps. */
	void (*happen)(struct world *world);
	/** Returns to one idle, unlocked output. */
	void (*calm_down)(struct world *world);
	/** Destroys the fixture and the devices. */
	void (*finish)(struct world *world);
	bool has_pixels; /* fixture_pixel() works */
	bool has_faults; /* calls fail by chance in every fourth seed */
};

struct player_totals {
	uint64_t requests, steps, locked;
	uint64_t leases; /* granted */
};

/** Sets up the process; once. */
void player_start(void);
/** Plays a seed. Fails the test if a well-behaved client suffers or a descriptor leaks. */
void player_play(const struct player_stage *stage, uint32_t seed, int n_rounds,
	struct player_totals *totals);
/** Plays seeds first, first + 1, ..., then checks and prints the totals, which it returns. */
struct player_totals player_run(
	const struct player_stage *stage, uint32_t first, uint32_t count, int n_rounds);
