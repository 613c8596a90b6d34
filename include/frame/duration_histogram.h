/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Quantiles of recent durations, at a cost that does not grow with the number of samples.
 *
 * Samples are counted in buckets an eighth of an octave wide. A quantile is reported as the upper
 * end of its bucket: at most an eighth too long, never too short. Durations below
 * DURATION_RESOLUTION count as 0.
 */

#include <stdint.h>

#define DURATION_SAMPLES 32
#define DURATION_RESOLUTION 1024 /* ns */
/* Up to 2^34 ns (17 s); longer durations are clamped. */
#define DURATION_BUCKETS 193

/** The bucket that holds the sample of a rank, and the number of samples in lower buckets. */
struct duration_quantile {
	uint8_t bucket, below;
};

/** Zero-initialise it. */
struct duration_histogram {
	uint8_t samples[DURATION_SAMPLES]; /* buckets, a ring */
	uint8_t counts[DURATION_BUCKETS]; /* samples in each bucket */
	uint8_t n_samples, next;
	struct duration_quantile median, high;
};

/** Adds a sample of `duration` ns (negative: 0). Replaces the oldest one if the ring is full. */
void duration_histogram_add(struct duration_histogram *history, int64_t duration);
/** Returns the median in ns; 0 without samples. */
int64_t duration_histogram_median(const struct duration_histogram *history);
/** Returns the 90th percentile in ns; 0 without samples. */
int64_t duration_histogram_high(const struct duration_histogram *history);
