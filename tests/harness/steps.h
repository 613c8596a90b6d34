/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Lives of random models. A step is one random action of a user, client or device, which is
 * applied, and checked against the oracle before the next time passes.
 *
 * MODEL_STEPS=N plays seeds until there are N steps, MODEL_SECONDS=N until this time has passed.
 * The environment variable of the model, FIRST or FIRST,LAST, chooses seeds: the first one of
 * these runs, or all of them.
 */

#include <stdbool.h>
#include <stdint.h>

struct steps {
	const char *model;
	uint64_t first, last; /* seeds */
	uint64_t seed; /* that plays */
	uint64_t n, enough; /* steps */
	int64_t started, until; /* ns of real time; 0: no limit */
};

/**
 * Begins the run of this program: of at least `enough` steps from seed 1, a tenth of it with a
 * sanitizer, or of the seeds that the environment names in `variable`. steps_next() chooses the
 * first one.
 */
struct steps *steps_begin(const char *model, const char *variable, uint64_t enough);
/**
 * Chooses the next seed. Returns false at the end of the run. The count of steps is printed when
 * the program ends, also by a failure, whose seed is then the last one.
 */
bool steps_next(struct steps *steps);
