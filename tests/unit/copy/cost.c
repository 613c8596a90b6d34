/* SPDX-License-Identifier: MIT */
/* Copy costs: linear estimates, merging of rectangles, fits to measurements, and the cost file. */

#include "copy/cost.h"
#include "harness/unit.h"
#include "util/region.h"
#include "util/xalloc.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void estimates_follow_measurements(void **state)
{
	const struct cost_line *line = cost_default(COST_TRANSFER, COST_OUT);

	assert_int_equal(cost_estimate(line, 0, 1, false), line->latency);
	assert_int_equal(cost_estimate(line, 0, 4, false), line->latency + 3 * line->rectangle);
	assert_int_equal(cost_estimate(line, 0, 1, true), line->latency + line->busy);
	/* Measured: 256 MiB in 5,549 us, a tiled 3840x2160 buffer in 695 us. */
	assert_in_range(cost_estimate(line, 256 << 20, 1, false), 5450000, 5650000);
	assert_in_range(cost_estimate(line, 3840 * 2160 * 4, 1, false), 650000, 740000);
	/* While the graphics queue is busy, transfer queues are faster. */
	assert_true(cost_estimate(line, 1 << 20, 1, true) <
		    cost_estimate(cost_default(COST_GRAPHICS, COST_OUT), 1 << 20, 1, true));
	for (int kind = 0; kind < COST_KINDS; kind++) {
		for (int direction = 0; direction < COST_DIRECTIONS; direction++) {
			line = cost_default(kind, direction);
			assert_true(line->bandwidth > 0);
		}
	}
	/* The CPU is the slowest reader of VRAM. */
	assert_true(cost_estimate(cost_default(COST_CPU, COST_OUT), 1 << 20, 1, true) >
		    cost_estimate(cost_default(COST_SDMA, COST_OUT), 1 << 20, 1, true));
}

static void add(pixman_region32_t *region, int x, int y, unsigned width, unsigned height)
{
	pixman_region32_union_rect(region, region, x, y, width, height);
}

static void close_rectangles_are_merged(void **state)
{
	static const struct cost_line line = {.bandwidth = 1, .rectangle = 1000};
	pixman_region32_t region, before, allowed;

	pixman_region32_init(&region);
	pixman_region32_init(&before);
	pixman_region32_init_rect(&allowed, 0, 0, 100, 100);

	/* A gap of 100 pixels of 4 bytes costs less than a rectangle; one of 1,000 does not. */
	add(&region, 0, 0, 10, 10);
	add(&region, 20, 0, 10, 10);
	cost_merge(&line, &region, NULL, 4);
	assert_int_equal(pixman_region32_n_rects(&region), 1);
	assert_int_equal(pixman_region32_extents(&region)->x2, 30);

	pixman_region32_clear(&region);
	add(&region, 0, 0, 10, 10);
	add(&region, 110, 0, 10, 10);
	pixman_region32_copy(&before, &region);
	cost_merge(&line, &region, NULL, 4);
	assert_true(pixman_region32_equal(&region, &before));

	/* Rectangles are not merged across pixels outside of `allowed`. */
	pixman_region32_clear(&region);
	add(&region, 90, 0, 10, 10);
	add(&region, 105, 0, 10, 10);
	pixman_region32_copy(&before, &region);
	cost_merge(&line, &region, &allowed, 4);
	assert_true(pixman_region32_equal(&region, &before));
	cost_merge(&line, &region, NULL, 4);
	assert_int_equal(pixman_region32_n_rects(&region), 1);

	/* Neighbours are merged, distant rectangles stay separate. */
	pixman_region32_clear(&region);
	for (int i = 0; i < 8; i++) {
		add(&region, 12 * i, 12 * i, 4, 4);
	}
	add(&region, 10000, 10000, 4, 4);
	cost_merge(&line, &region, NULL, 4);
	assert_true(pixman_region32_n_rects(&region) < 9);
	assert_false(pixman_region32_contains_point(&region, 5000, 5000, NULL));

	pixman_region32_fini(&allowed);
	pixman_region32_fini(&before);
	pixman_region32_fini(&region);
}

/* Pixman cuts rectangles beside each other into bands, which the engines join again. */
static void distant_rectangles_at_different_heights_stay(void **state)
{
	pixman_region32_t region, before;
	pixman_region32_init(&region);
	pixman_region32_init(&before);
	for (int i = 0; i < 12; i++) {
		add(&region, i % 4 * 960 + i, i / 4 * 720 + i, 300, 220);
	}
	pixman_region32_copy(&before, &region);
	assert_true(pixman_region32_n_rects(&region) > 12);
	cost_merge(cost_default(COST_TRANSFER, COST_OUT), &region, NULL, 4);
	assert_true(pixman_region32_equal(&region, &before));
	assert_int_equal(region_join_bands(&region, NULL), 12);
	pixman_region32_fini(&before);
	pixman_region32_fini(&region);
}

/* A copy of linear pixels is compared with reading them in place. */
static void copy_pays_if_faster_than_reading_in_place(void **state)
{
	const uint64_t window = 1920 * 1080 * 4;

	for (int kind = 0; kind < COST_UPLOAD; kind++) {
		const struct cost_line *line = cost_default(kind, COST_OUT);

		/* Cached system memory is fastest to read in place. */
		assert_false(cost_copy_pays(line, COST_MEMORY_SYSTEM, 4));
		assert_false(cost_copy_pays(line, COST_MEMORY_SYSTEM, window));
		/* Every engine copies out of VRAM faster than the CPU reads it while composing. */
		assert_true(cost_copy_pays(line, COST_MEMORY_BUS, window));
		assert_true(cost_copy_pays(line, COST_MEMORY_UNCACHED, window));
	}
	/* Reading 2 KiB of a cursor takes 33 us; an engine takes 38 us to start. */
	assert_false(cost_copy_pays(
		cost_default(COST_TRANSFER, COST_OUT), COST_MEMORY_BUS, UINT64_C(2) << 10));
	assert_true(cost_copy_pays(
		cost_default(COST_TRANSFER, COST_OUT), COST_MEMORY_BUS, UINT64_C(4) << 10));
}

/* Merging random rectangles covers all of them and never adds a rectangle. */
static void merged_rectangles_cover_the_region(void **state)
{
	const struct cost_line *line = cost_default(COST_SDMA, COST_OUT);

	for (int round = 0; round < 200; round++) {
		pixman_region32_t region, before;

		pixman_region32_init(&region);
		pixman_region32_init(&before);
		for (int i = random_between(1, 20); i > 0; i--) {
			add(&region, random_between(0, 2000), random_between(0, 2000),
				(unsigned)random_between(1, 90), (unsigned)random_between(1, 90));
		}
		pixman_region32_copy(&before, &region);
		cost_merge(line, &region, NULL, 4);
		assert_true(region_join_bands(&region, NULL) <= region_join_bands(&before, NULL));
		pixman_region32_subtract(&before, &before, &region);
		assert_false(pixman_region32_not_empty(&before));
		pixman_region32_fini(&before);
		pixman_region32_fini(&region);
	}
}

static void fit_recovers_latency_and_bandwidth(void **state)
{
	struct cost_table table;
	const struct cost_line *line;

	cost_table_init(&table);
	line = cost_table_get(&table, "a>b", COST_SDMA, COST_OUT);
	assert_ptr_equal(line, cost_default(COST_SDMA, COST_OUT));
	for (int i = 0; i < 40; i++) {
		uint64_t bytes = UINT64_C(1000) << (i % 14);

		cost_table_add(&table, "a>b", COST_SDMA, COST_OUT, bytes, 3,
			20000 + 2 * cost_default(COST_SDMA, COST_OUT)->rectangle +
				(int64_t)bytes / 8,
			i);
	}
	assert_true(table.changed);
	line = cost_table_get(&table, "a>b", COST_SDMA, COST_OUT);
	assert_in_range(line->latency, 19000, 21000);
	assert_true(line->bandwidth > 7.9 && line->bandwidth < 8.1);
	/* Other pairs and directions keep their defaults. */
	assert_ptr_equal(cost_table_get(&table, "a>b", COST_SDMA, COST_IN),
		cost_default(COST_SDMA, COST_IN));
	assert_ptr_equal(cost_table_get(&table, "a>c", COST_SDMA, COST_OUT),
		cost_default(COST_SDMA, COST_OUT));

	/* Samples of a single size: latency and bandwidth differ from the default by one factor. */
	for (int i = 0; i < 40; i++) {
		cost_table_add(
			&table, "a>d", COST_SDMA, COST_OUT, 14080000, 1, 2 * (62000 + 1000000), i);
	}
	line = cost_table_get(&table, "a>d", COST_SDMA, COST_OUT);
	assert_in_range(line->latency, 123999, 124001);
	assert_true(line->bandwidth > 7.03 && line->bandwidth < 7.05);

	/* Implausible samples, where larger copies were faster, still give positive values. */
	for (int i = 0; i < 40; i++) {
		cost_table_add(&table, "a>e", COST_SDMA, COST_OUT, 1000u << (i % 8), 1,
			1000000 >> (i % 8), i);
	}
	line = cost_table_get(&table, "a>e", COST_SDMA, COST_OUT);
	assert_true(line->bandwidth > 0 && line->latency >= 0);
	cost_table_finish(&table);
}

static void cost_file_survives_malformed_lines(void **state)
{
	char folder[] = "/tmp/causeway-cost-XXXXXX";
	struct cost_table table;
	char *path, *parent;
	FILE *file;

	assert_non_null(mkdtemp(folder));
	parent = xasprintf("%s/causeway", folder);
	path = xasprintf("%s/copy-costs", parent);
	cost_table_init(&table);
	assert_false(cost_table_load(&table, path));
	for (int i = 0; i < 32; i++) {
		cost_table_add(&table, "1002:73bf>cpu", COST_CPU, COST_IN, 1u << (12 + i % 8), 1,
			1000 + (1 << (12 + i % 8)) / 4, i);
	}
	cost_table_add(&table, "few>cpu", COST_CPU, COST_IN, 4096, 1, 1, 1);
	assert_int_equal(cost_table_save(&table, path), 0);
	assert_false(table.changed);
	cost_table_finish(&table);

	file = fopen(path, "a");
	assert_non_null(file);
	fprintf(file, "x>y sdma out -1 5\nx>y sdma sideways 1 5\nx>y sdma out 1 0\nbroken\n"
		      "x>y nobody out 1 5\nx>z sdma out 7000 nan\n");
	fclose(file);
	cost_table_init(&table);
	assert_true(cost_table_load(&table, path));
	const struct cost_line *line = cost_table_get(&table, "1002:73bf>cpu", COST_CPU, COST_IN);
	assert_in_range(line->latency, 990, 1010);
	assert_true(line->bandwidth > 3.99 && line->bandwidth < 4.01);
	assert_ptr_equal(cost_table_get(&table, "few>cpu", COST_CPU, COST_IN),
		cost_default(COST_CPU, COST_IN));
	assert_ptr_equal(cost_table_get(&table, "x>y", COST_SDMA, COST_OUT),
		cost_default(COST_SDMA, COST_OUT));
	assert_ptr_equal(cost_table_get(&table, "x>z", COST_SDMA, COST_OUT),
		cost_default(COST_SDMA, COST_OUT));
	cost_table_finish(&table);

	unlink(path);
	rmdir(parent);
	rmdir(folder);
	free(path);
	free(parent);
}

/* Costs of uploads are learned like those of copies. */
static void upload_costs_are_learned(void **state)
{
	struct cost_table table;
	cost_table_init(&table);
	for (int i = 0; i < 64; i++) {
		uint64_t bytes = UINT64_C(4096) << i % 10;
		assert_int_equal(
			cost_table_knows(&table, "1002:73bf>cpu", COST_UPLOAD, COST_IN), i >= 32);
		cost_table_add(&table, "1002:73bf>cpu", COST_UPLOAD, COST_IN, bytes, 1,
			3000 + (int64_t)bytes / 4, i);
	}
	assert_false(cost_table_knows(&table, "1002:73bf>itself", COST_DRAW, COST_IN));
	assert_false(cost_table_knows(&table, "1002:73bf>cpu", COST_UPLOAD, COST_OUT));
	const struct cost_line *line =
		cost_table_get(&table, "1002:73bf>cpu", COST_UPLOAD, COST_IN);
	assert_in_range(line->latency, 2990, 3010);
	assert_true(line->bandwidth > 3.9 && line->bandwidth < 4.1);
	cost_table_finish(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(estimates_follow_measurements),
		cmocka_unit_test(close_rectangles_are_merged),
		cmocka_unit_test(distant_rectangles_at_different_heights_stay),
		cmocka_unit_test(copy_pays_if_faster_than_reading_in_place),
		cmocka_unit_test(merged_rectangles_cover_the_region),
		cmocka_unit_test(fit_recovers_latency_and_bandwidth),
		cmocka_unit_test(upload_costs_are_learned),
		cmocka_unit_test(cost_file_survives_malformed_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
