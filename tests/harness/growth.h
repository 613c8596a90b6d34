#pragma once

/**
 * How time grows with the amount of work: CPU time of the calling thread for n and for 4 n, so that a slow or busy
 * machine does not matter.
 */

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/** CPU time of this thread, ns. */
static inline int64_t growth_clock(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/**
 * True if `measure` (which returns ns) takes less than 10 times as long for 4 n as for n: linear work takes 4 times as
 * long, a little more where caches overflow; quadratic work takes 16 times as long. Repeats a measurement that
 * fails, since other programs share the caches.
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
