/* SPDX-License-Identifier: MIT */
/* Candidates for staging memory, and cached results of allocations. */

#include "staging/allocation.h"
#include "harness/unit.h"
#include <drm_fourcc.h>
#include <stdlib.h>

static unsigned count(enum allocation_use use)
{
	struct allocation allocation;
	unsigned n = 0;
	while (allocation_nth(use, n, &allocation)) {
		n++;
	}
	return n;
}

static bool equal(const struct allocation *a, const struct allocation *b)
{
	return a->from == b->from && a->alignment == b->alignment;
}

static void candidates_are_distinct(void **state)
{
	for (int use = 0; use < ALLOCATION_USES; use++) {
		unsigned n = count(use);
		assert_in_range(n, 3, 20);
		for (unsigned i = 0; i < n; i++) {
			struct allocation a, b;
			allocation_nth(use, i, &a);
			assert_true(a.from != ALLOCATION_NONE);
			assert_true(use == ALLOCATION_SAMPLED || a.from != ALLOCATION_READER);
			assert_true(a.from == ALLOCATION_READER || a.alignment > 0);
			for (unsigned j = 0; j < i; j++) {
				allocation_nth(use, j, &b);
				assert_false(equal(&a, &b));
			}
		}
	}
}

static void scanout_memory_comes_first(void **state)
{
	struct allocation first;
	allocation_nth(ALLOCATION_SAMPLED, 0, &first);
	assert_true(first.from == ALLOCATION_READER && first.alignment == 0);
	allocation_nth(ALLOCATION_CPU, 0, &first);
	assert_int_equal(first.from, ALLOCATION_SOURCE);
}

/* Memory of the source's GPU needs no rights on /dev/udmabuf. */
static void memory_of_the_source_comes_before_system_memory(void **state)
{
	for (int use = 0; use < ALLOCATION_USES; use++) {
		struct allocation allocation;
		unsigned n = 0;
		while (allocation_nth(use, n, &allocation) &&
			allocation.from == ALLOCATION_READER) {
			n++;
		}
		assert_true(allocation_nth(use, n, &allocation));
		assert_int_equal(allocation.from, ALLOCATION_SOURCE);
		assert_int_equal(allocation.alignment, 256);
	}
}

static const struct allocation none = {ALLOCATION_NONE, 0};
static const struct allocation system_256 = {ALLOCATION_SYSTEM, 256};
static const struct allocation reader = {ALLOCATION_READER, 0};

static struct allocation_key make_key(void)
{
	return (struct allocation_key){
		.source = (const struct gpu *)1,
		.reader = (const struct gpu *)2,
		.engine = "sdma",
		.use = ALLOCATION_SAMPLED,
		.format = DRM_FORMAT_XRGB8888,
		.modifier = 3,
	};
}

static void results_apply_to_their_key_only(void **state)
{
	struct allocation_table *table = calloc(1, sizeof(*table));
	struct allocation_key key = make_key(), others[] = {key, key, key, key, key, key};
	struct allocation out;
	assert_false(allocation_table_get(table, &key, 1, &out));
	assert_true(allocation_table_set(table, &key, 1, &system_256));
	assert_false(allocation_table_set(table, &key, 2, &system_256));
	assert_true(allocation_table_get(table, &key, INT64_C(1) << 60, &out));
	assert_true(equal(&out, &system_256));
	others[0].source = NULL;
	others[1].reader = NULL;
	others[2].engine = "gles";
	others[3].use = ALLOCATION_CPU;
	others[4].format = DRM_FORMAT_ARGB8888;
	others[5].modifier = 0;
	for (int i = 0; i < 6; i++) {
		assert_false(allocation_table_get(table, &others[i], 1, &out));
	}
	free(table);
}

static void failures_expire(void **state)
{
	struct allocation_table *table = calloc(1, sizeof(*table));
	struct allocation_key key = make_key();
	struct allocation out;
	assert_true(allocation_table_set(table, &key, 0, &none));
	assert_false(allocation_table_set(table, &key, 0, &none));
	assert_true(allocation_table_get(table, &key, 4999999999, &out));
	assert_int_equal(out.from, ALLOCATION_NONE);
	assert_false(allocation_table_get(table, &key, 5000000000, &out));
	assert_true(allocation_table_set(table, &key, 5000000000, &reader));
	free(table);
}

/* Sizes without memory do not matter to others, and the first allocation that works is for all. */
static void failures_apply_to_their_size_only(void **state)
{
	static const struct allocation source = {ALLOCATION_SOURCE, 256};
	struct allocation_table *table = calloc(1, sizeof(*table));
	struct allocation_key key = make_key(), other = make_key();
	struct allocation out;
	key.width = key.height = 100;
	other.width = 200;
	other.height = 100;
	assert_true(allocation_table_set(table, &key, 0, &none));
	assert_false(allocation_table_get(table, &other, 0, &out));
	/* The same failure for another size is nothing new. */
	assert_false(allocation_table_set(table, &other, 0, &none));
	assert_true(allocation_table_get(table, &other, 0, &out));
	assert_int_equal(out.from, ALLOCATION_NONE);

	assert_true(allocation_table_set(table, &other, 0, &source));
	assert_true(allocation_table_get(table, &key, 0, &out));
	assert_int_equal(out.from, ALLOCATION_NONE);
	assert_true(allocation_table_get(table, &key, 5000000000, &out));
	assert_true(equal(&out, &source));
	/* A fallback for one size leaves the result for other ones. */
	assert_true(allocation_table_set(table, &key, 5000000000, &system_256));
	assert_true(allocation_table_get(table, &key, 5000000000, &out));
	assert_true(equal(&out, &system_256));
	assert_true(allocation_table_get(table, &other, 5000000000, &out));
	assert_true(equal(&out, &source));
	free(table);
}

/* A client that resizes its window displaces other failures only. */
static void failures_make_room_for_each_other(void **state)
{
	struct allocation_table *table = calloc(1, sizeof(*table));
	struct allocation_key key = make_key();
	struct allocation out;
	for (int i = 0; i < 4 * ALLOCATIONS_MAX; i++) {
		key.modifier = 3;
		key.width = i;
		allocation_table_set(table, &key, 1, &none);
		assert_true(allocation_table_get(table, &key, 1, &out));
		if (i < ALLOCATIONS_MAX - 1) {
			key.modifier = 4 + (uint64_t)i;
			allocation_table_set(table, &key, 1, &system_256);
		}
	}
	for (int i = 0; i < ALLOCATIONS_MAX - 1; i++) {
		key.modifier = 4 + (uint64_t)i;
		assert_true(allocation_table_get(table, &key, 1, &out));
		assert_true(equal(&out, &system_256));
	}
	free(table);
}

static void new_engines_clear_failures(void **state)
{
	struct allocation_table *table = calloc(1, sizeof(*table));
	struct allocation_key key = make_key(), other = make_key();
	struct allocation out;
	other.modifier = 4;
	allocation_table_set(table, &key, 1, &none);
	allocation_table_set(table, &other, 1, &system_256);
	allocation_table_retry(table);
	assert_false(allocation_table_get(table, &key, 1, &out));
	assert_true(allocation_table_get(table, &other, 1, &out));
	free(table);
}

static void oldest_result_is_replaced(void **state)
{
	struct allocation_table *table = calloc(1, sizeof(*table));
	struct allocation_key key = make_key();
	struct allocation out;
	for (int i = 0; i <= ALLOCATIONS_MAX; i++) {
		key.modifier = (uint64_t)i;
		allocation_table_set(table, &key, 1, &system_256);
	}
	assert_true(allocation_table_get(table, &key, 1, &out));
	key.modifier = 0;
	assert_false(allocation_table_get(table, &key, 1, &out));
	key.modifier = 1;
	assert_true(allocation_table_get(table, &key, 1, &out));
	free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(candidates_are_distinct),
		cmocka_unit_test(scanout_memory_comes_first),
		cmocka_unit_test(memory_of_the_source_comes_before_system_memory),
		cmocka_unit_test(results_apply_to_their_key_only),
		cmocka_unit_test(failures_expire),
		cmocka_unit_test(failures_apply_to_their_size_only),
		cmocka_unit_test(failures_make_room_for_each_other),
		cmocka_unit_test(new_engines_clear_failures),
		cmocka_unit_test(oldest_result_is_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
