/* SPDX-License-Identifier: MIT */
#pragma once

/** Random numbers for hostile clients, from a seed or from a fuzzer's input. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct random {
	uint64_t state;
	/** Input used instead of the seed, from its start; NULL: use the seed. */
	const uint8_t *data;
	size_t size;
};

/**
 * Returns the same numbers for the same seed or input on every machine. 0 after the last input
 * byte.
 */
uint32_t random_next(struct random *random);
/** Returns a number in lo..hi, both included. Consumes as few bytes of input as the range needs. */
int32_t random_between(struct random *random, int32_t lo, int32_t hi);
bool random_chance(struct random *random, int percent);
/** Returns true once all bytes of an input have been consumed; always false by seed. */
bool random_exhausted(const struct random *random);
