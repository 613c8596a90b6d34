#pragma once

/**
 * How long something took lately: quantiles of the last samples, at a cost that does not grow with
 * their number. Samples are counted in buckets an eighth of an octave wide, and a quantile is known
 * as its bucket's upper end: at most an eighth too long, never too short. Below DURATION_RESOLUTION
 * everything counts as nothing.
 */

#include <stdint.h>

#define DURATION_SAMPLES 32
#define DURATION_RESOLUTION 1024 /* ns */
/* Up to 2^34 ns, 17 s; longer ones count as that. */
#define DURATION_BUCKETS 193

/** The bucket that holds the sample of a rank, and how many samples lie in those below it. */
struct duration_quantile {
	uint8_t bucket, below;
};

/** Zeroed: nothing was measured. */
struct duration_histogram {
	uint8_t samples[DURATION_SAMPLES]; /* buckets, a ring */
	uint8_t counts[DURATION_BUCKETS]; /* samples in each bucket */
	uint8_t n_samples, next;
	struct duration_quantile median, high;
};

/** It took `duration` ns (less than 0 counts as 0). The oldest sample goes, if there are enough. */
void duration_histogram_add(struct duration_histogram *history, int64_t duration);
/** ns; 0 without samples. Half of the samples are not longer. */
int64_t duration_histogram_median(const struct duration_histogram *history);
/** ns; 0 without samples. Nine of ten samples are not longer. */
int64_t duration_histogram_high(const struct duration_histogram *history);
