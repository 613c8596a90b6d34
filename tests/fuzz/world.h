/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Environment of hostile clients: a server with input devices and outputs, random events, and reset
 * to a known state.
 */

#include "backend/headless.h"
#include "backend/input_tablet.h"
#include "fuzz/random.h"
#include "harness/peer.h"

#define WORLD_N_ACTORS 3

struct world {
	struct fixture *fixture;
	struct random random;
	struct input_device *devices[4]; /* by enum input_type, up to INPUT_TABLET */
	struct input_tool tool;
	struct input_device pad;
	struct input_pad parts;
	int32_t width, height; /* of added outputs */
	int64_t nap; /* longest pause between events in ns */
	bool changed; /* the initial outputs were replaced */
};

struct server *world_server(const struct world *world);
/** Adds the input devices. The caller sets `world->fixture` and sizes before. */
void world_init(struct world *world);
/** Destroys the devices and the fixture. */
void world_finish(struct world *world);
/**
 * Causes at most one random event (input, output or device change, renderer loss, frame), then
 * dispatches.
 */
void world_happen(struct world *world);
/** Releases all buttons, unlocks the session, and replaces all outputs by a new one. */
void world_calm_down(struct world *world);
