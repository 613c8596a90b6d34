/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Virtual vblanks: vblank n of an output with a refresh rate of `refresh` mHz is exactly n * 10^12
 * / refresh ns after its start, rounded down; no error accumulates. `refresh` is
 * 1..HEADLESS_REFRESH_MAX.
 */

#include <stdint.h>

#define HEADLESS_REFRESH_MAX 1000000 /* mHz; keeps products within 64 bits */

static inline int64_t vblank_time(int64_t start, int32_t refresh, uint64_t n)
{
	const uint64_t second1000 = UINT64_C(1000000000000);
	uint64_t whole = n / (uint64_t)refresh, rest = n % (uint64_t)refresh;
	return start + (int64_t)(whole * second1000 + rest * second1000 / (uint64_t)refresh);
}

/** Returns the number of the first vblank after `now`, which is at or after `start`. */
static inline uint64_t vblank_after(int64_t start, int32_t refresh, int64_t now)
{
	const uint64_t second1000 = UINT64_C(1000000000000);
	uint64_t elapsed = (uint64_t)(now - start);
	uint64_t n = elapsed / second1000 * (uint64_t)refresh +
		     elapsed % second1000 * (uint64_t)refresh / second1000;
	while (vblank_time(start, refresh, n) <= now) {
		n++;
	}
	return n;
}
