/* SPDX-License-Identifier: MIT */
/* Random numbers by seed (splitmix64), or from the bytes of a fuzzer's input. */

#include "fuzz/random.h"

static uint32_t take(struct random *random, size_t n)
{
	uint32_t value = 0;
	for (size_t i = 0; i < n && random->size > 0; i++) {
		value |= (uint32_t)*random->data++ << (8 * i);
		random->size--;
	}
	return value;
}

uint32_t random_next(struct random *random)
{
	if (random->data) {
		return take(random, 4);
	}
	uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)(z >> 32);
}

int32_t random_between(struct random *random, int32_t lo, int32_t hi)
{
	uint32_t range = (uint32_t)hi - (uint32_t)lo + 1, value;
	if (random->data) {
		value = take(random, range == 0 || range > 65536 ? 4 : range > 256 ? 2 : 1);
	} else {
		value = random_next(random);
	}
	return (int32_t)((uint32_t)lo + (range ? value % range : value));
}

bool random_chance(struct random *random, int percent)
{
	uint32_t value = random->data ? take(random, 1) * 100 / 256 : random_next(random) % 100;
	return value < (uint32_t)percent;
}

bool random_exhausted(const struct random *random)
{
	return random->data && random->size == 0;
}
