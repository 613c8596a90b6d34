/* SPDX-License-Identifier: MIT */
#pragma once

/** Time and seeds of random models on one emulated card. */

#include "server_common.h"

#define SECOND INT64_C(1000000000)

/**
 * Advances the clock by `ns` and dispatches events, from one timer to the next: time without timers
 * costs nothing. Page flips complete within a period.
 */
void course_pass(struct world *world, struct fake_card *card, int64_t ns);

/**
 * Plays seeds: those of `variable` in the environment, FIRST or FIRST,LAST, otherwise 1 to `n`,
 * a tenth with sanitizers.
 * `play` returns the number of its steps, whose sum is printed at the end. The log is hidden unless
 * one seed is played. After a failure, course_tear_down() prints the seed.
 */
void course_play(const char *variable, uint32_t n, uint64_t (*play)(uint32_t seed));
int course_tear_down(void **state);
/** Returns whether one seed is played: models then print their steps. */
bool course_is_loud(void);
