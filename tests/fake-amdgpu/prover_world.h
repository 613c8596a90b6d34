/* SPDX-License-Identifier: MIT */
#pragma once

#include "copy/prover.h"
#include "fake.h"
#include "gpu/dmabuf.h"
#include "gpu/gpu.h"
#include "util/clock.h"
#include "util/task.h"

/** World of tests of proofs: one emulated amdgpu, and memory that its engine could not copy. */

#define PROVER_PATH "/emulated/renderD128"
#define PROVER_SIDE 64
/** Result of a proof that has not ended. */
#define PROVER_PENDING 1

struct prover_world {
	struct fake_gpu *fake;
	struct gpu gpu;
	struct wl_event_loop *loop;
	struct clock *clock;
	struct tasks *tasks;
	struct copy_prover *prover;
	struct dmabuf memory;
};

/** Set-up and tear-down of cmocka: the state is a prover_world. */
int prover_world_set_up(void **state);
int prover_world_tear_down(void **state);

/** Creates the memory; the previous one must be finished. */
void prover_create_memory(struct prover_world *world);

/** Dispatches the event loop once, without waiting. */
void prover_turn(struct prover_world *world);

/**
 * Starts to prove the memory. *result becomes PROVER_PENDING, then 0 or -errno.
 * Returns NULL if no proof runs.
 */
struct copy_proof *prover_start(struct prover_world *world, int *result);

/** Proves the memory; returns 0 or -errno. */
int prover_prove(struct prover_world *world);
