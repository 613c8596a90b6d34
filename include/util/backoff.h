/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Pauses between tries of a change that the kernel refuses, perhaps for a while: 1, 2, 4, 8, 16
 * seconds, then 30, for ten minutes. Later, only events start another try.
 */

#include <stdint.h>

/** Five pauses of up to 16 s and nineteen of 30 s: 601 s. */
#define BACKOFF_TRIES 24

/** Returns the pause (ns) after the try number `n`, from 0 to BACKOFF_TRIES - 1. */
static inline int64_t backoff_pause(int n)
{
	const int64_t first = INT64_C(1000000000), longest = INT64_C(30000000000);
	return n < 5 ? first << n : longest;
}
