/* SPDX-License-Identifier: MIT */
#pragma once

/** Rates: amounts per second, computed on request without a timer. */

#include <stdint.h>

#define RATE_NS INT64_C(1000000000)

/** Initialise with zeros. */
struct rate {
	int64_t second; /* of the clock; of `amount` */
	uint64_t amount, before; /* in that second, and in the previous one */
};

static inline void rate_add(struct rate *rate, uint64_t amount, int64_t now)
{
	int64_t second = now / RATE_NS;
	if (second != rate->second) {
		rate->before = second == rate->second + 1 ? rate->amount : 0;
		rate->amount = 0;
		rate->second = second;
	}
	rate->amount += amount;
}

/** Returns the amount in the last full second before `now`. */
static inline uint64_t rate_get(const struct rate *rate, int64_t now)
{
	int64_t second = now / RATE_NS;
	return second == rate->second       ? rate->before
	       : second == rate->second + 1 ? rate->amount
					    : 0;
}
