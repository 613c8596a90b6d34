/* SPDX-License-Identifier: MIT */
/* Duration histogram: quantiles are updated with each sample. */

#include "frame/duration_histogram.h"

/* Each octave has 2^BUCKET_BITS buckets; the first octave starts at 2^FIRST_OCTAVE ns. */
#define BUCKET_BITS 3
#define FIRST_OCTAVE 10

static uint8_t bucket_of(int64_t duration)
{
	if (duration < DURATION_RESOLUTION) {
		return 0;
	}
	int octave = 63 - __builtin_clzll((unsigned long long)duration);
	int part = (int)(duration >> (octave - BUCKET_BITS)) & ((1 << BUCKET_BITS) - 1);
	int bucket = 1 + ((octave - FIRST_OCTAVE) << BUCKET_BITS) + part;
	return (uint8_t)(bucket < DURATION_BUCKETS ? bucket : DURATION_BUCKETS - 1);
}

/* Returns the upper end of the bucket. */
static int64_t duration_of(uint8_t bucket)
{
	if (bucket == 0) {
		return 0;
	}
	int octave = FIRST_OCTAVE + ((bucket - 1) >> BUCKET_BITS);
	int64_t part = (bucket - 1) & ((1 << BUCKET_BITS) - 1);
	return ((1 << BUCKET_BITS) + part + 1) << (octave - BUCKET_BITS);
}

/* Moves the quantile to the sample of its rank, after `counts` have changed. */
static void update_quantile(
	struct duration_quantile *quantile, const uint8_t counts[DURATION_BUCKETS], unsigned rank)
{
	while (quantile->below > rank) {
		quantile->bucket--;
		quantile->below = (uint8_t)(quantile->below - counts[quantile->bucket]);
	}
	while (quantile->below + counts[quantile->bucket] <= rank) {
		quantile->below = (uint8_t)(quantile->below + counts[quantile->bucket]);
		quantile->bucket++;
	}
}

void duration_histogram_add(struct duration_histogram *history, int64_t duration)
{
	uint8_t bucket = bucket_of(duration);
	uint8_t *place = &history->samples[history->next];
	history->next = (history->next + 1) % DURATION_SAMPLES;
	if (history->n_samples == DURATION_SAMPLES) {
		uint8_t oldest = *place;
		if (oldest == bucket) {
			return;
		}
		history->counts[oldest]--;
		history->median.below -= oldest < history->median.bucket;
		history->high.below -= oldest < history->high.bucket;
	} else {
		history->n_samples++;
	}
	*place = bucket;
	history->counts[bucket]++;
	history->median.below += bucket < history->median.bucket;
	history->high.below += bucket < history->high.bucket;
	update_quantile(&history->median, history->counts, history->n_samples / 2U);
	update_quantile(&history->high, history->counts, history->n_samples * 9U / 10);
}

int64_t duration_histogram_median(const struct duration_histogram *history)
{
	return duration_of(history->median.bucket);
}

int64_t duration_histogram_high(const struct duration_histogram *history)
{
	return duration_of(history->high.bucket);
}
