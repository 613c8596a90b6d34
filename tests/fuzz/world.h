#pragma once

/**
 * The surroundings of hostile clients: a server with input devices and outputs, the events that
 * reach it while clients act, and the way back to a known state.
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
	int32_t width, height; /* of outputs that are added */
	int64_t nap; /* ns of the longest pause between events */
	bool changed; /* outputs are no longer the ones it began with */
};

struct server *world_server(const struct world *world);
/** Adds the input devices. `world->fixture` and sizes must be set. */
void world_init(struct world *world);
/** Destroys the fixture too. */
void world_finish(struct world *world);
/** Draws one event: input, a change of outputs or devices, a lost renderer, a frame, or none; then pumps. */
void world_happen(struct world *world);
/** Releases all buttons, unlocks, and replaces all outputs by a new one. */
void world_calm_down(struct world *world);
