/* SPDX-License-Identifier: MIT */
/* Duration histograms: quantiles of recent durations, compared with sorting. */

#include "frame/duration_histogram.h"
#include "harness/unit.h"
#include <stdlib.h>

/* Fails unless `bound` is the upper bound of the bucket of `exact`: at most an eighth more. */
static void assert_about(int64_t bound, int64_t exact)
{
	if (exact < DURATION_RESOLUTION) {
		assert_int_equal(bound, 0);
		return;
	}
	assert_in_range(bound, exact, exact + exact / 8 + 1);
}

static void short_durations_count_as_zero(void **state)
{
	struct duration_histogram history = {0};
	assert_int_equal(duration_histogram_median(&history), 0);
	assert_int_equal(duration_histogram_high(&history), 0);
	duration_histogram_add(&history, -5);
	duration_histogram_add(&history, DURATION_RESOLUTION - 1);
	assert_int_equal(duration_histogram_median(&history), 0);
	assert_int_equal(duration_histogram_high(&history), 0);
}

static void extremes_are_clamped_and_forgotten(void **state)
{
	struct duration_histogram history = {0};
	for (int i = 0; i < DURATION_SAMPLES; i++) {
		duration_histogram_add(&history, i % 2 ? INT64_MAX : INT64_MIN);
	}
	/* Longer durations than the last bucket are reported as its bound. */
	assert_int_equal(duration_histogram_high(&history), INT64_C(1) << 34);
	for (int i = 0; i < DURATION_SAMPLES; i++) {
		duration_histogram_add(&history, 5000);
	}
	assert_about(duration_histogram_high(&history), 5000);
	assert_about(duration_histogram_median(&history), 5000);
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

/* Returns a random duration by kind: of every size, of four sizes, or of two close groups. */
static int64_t draw(unsigned *seed, int kind)
{
	*seed = *seed * 1103515245 + 12345;
	unsigned r = *seed >> 8;
	switch (kind) {
	case 0: return (int64_t)(r % 0xffff) << (r % 16);
	case 1: return (int64_t)(r % 4) * 3000000;
	default: return r % 10 == 0 ? 9000000 : 400000 + r % 100000;
	}
}

static void quantiles_match_sorting(void **state)
{
	unsigned seed = 1;
	for (int kind = 0; kind < 3; kind++) {
		struct duration_histogram history = {0};
		int64_t ring[DURATION_SAMPLES], sorted[DURATION_SAMPLES];
		for (int i = 0; i < 2000; i++) {
			int64_t duration = draw(&seed, kind);
			ring[i % DURATION_SAMPLES] = duration;
			duration_histogram_add(&history, duration);
			int n = i < DURATION_SAMPLES ? i + 1 : DURATION_SAMPLES;
			for (int k = 0; k < n; k++) {
				sorted[k] = ring[k];
			}
			qsort(sorted, (size_t)n, sizeof(*sorted), compare);
			assert_about(duration_histogram_median(&history), sorted[n / 2]);
			assert_about(duration_histogram_high(&history), sorted[n * 9 / 10]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_durations_count_as_zero),
		cmocka_unit_test(extremes_are_clamped_and_forgotten),
		cmocka_unit_test(quantiles_match_sorting),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
