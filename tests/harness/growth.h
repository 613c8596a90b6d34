/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Growth of time with the amount of work: compares CPU time of the calling thread for n and 4 n,
 * independently of the machine's speed and load.
 */

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/** Returns the CPU time of this thread (ns). */
static inline int64_t growth_clock(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/**
 * Returns true if `measure` (which returns ns) takes less than 10 times as long for 4 n as for n:
 * linear work takes 4 times as long, slightly more if caches overflow; quadratic work takes 16
 * times as long. Repeats a failed measurement, since other programs share the caches.
 */
static inline bool growth_is_linear(int64_t (*measure)(void *data, int n), void *data, int n)
{
	for (int i = 0; i < 4; i++) {
		int64_t few = measure(data, n), many = measure(data, 4 * n);
		if (many < 10 * few) {
			return true;
		}
	}
	return false;
}
