/* SPDX-License-Identifier: MIT */
/* Verdicts about copies between two GPUs, in memory and as text. */

#include "staging/verdict.h"
#include "gpu/gpu.h"
#include "harness/unit.h"
#include <stdio.h>
#include <string.h>

static struct gpu source = {.vendor = 0x1002, .device = 0x73bf, .driver = (char *)"amdgpu"};
static struct gpu reader = {
	.bus_id = (char *)"reader", .driver = (char *)"nvidia", .driver_version = (char *)"1.0"};

static struct verdict_path path_of(enum allocation_from from)
{
	size_t n;
	const struct engine_type *types = engine_types(&n);
	return (struct verdict_path){&source, &reader, &types[0], from, &types[n - 1], 0};
}

static void read_text(struct verdict_table *table, const char *text)
{
	FILE *file = fmemopen((void *)text, strlen(text), "r");
	assert_non_null(file);
	verdict_table_read(table, file, "heading");
	fclose(file);
}

static void verdict_belongs_to_memory_and_driver(void **state)
{
	struct verdict_table table = {0};
	struct verdict_path system = path_of(ALLOCATION_SYSTEM), local = path_of(ALLOCATION_LOCAL);
	assert_int_equal(verdict_table_find(&table, &system)->verdict, VERDICT_NONE);
	verdict_table_set(&table, &system, VERDICT_WRONG);
	assert_int_equal(verdict_table_find(&table, &system)->verdict, VERDICT_WRONG);
	assert_int_equal(verdict_table_find(&table, &local)->verdict, VERDICT_NONE);
	assert_true(table.changed);
	reader.driver_version = (char *)"1.1";
	assert_int_equal(verdict_table_find(&table, &system)->verdict, VERDICT_NONE);
	reader.driver_version = (char *)"1.0";
	verdict_table_finish(&table);
}

/* Such as one that was unplugged and plugged again. */
static void wrong_verdict_holds_for_an_identical_reader(void **state)
{
	struct verdict_table table = {0};
	struct verdict_path path = path_of(ALLOCATION_SYSTEM);
	struct gpu again = reader, other = reader;
	other.driver_version = (char *)"1";
	verdict_table_set(&table, &path, VERDICT_EXACT);
	assert_false(verdict_table_has_wrong(&table, &source, &reader));
	verdict_table_set(&table, &path, VERDICT_WRONG);
	assert_true(verdict_table_has_wrong(&table, &source, &again));
	assert_false(verdict_table_has_wrong(&table, &source, &other));
	assert_false(verdict_table_has_wrong(&table, &again, &source));
	/* The table says for which of them it was asked last. */
	path.reader = &again;
	assert_int_equal(verdict_table_find(&table, &path)->verdict, VERDICT_WRONG);
	assert_ptr_equal(table.entries[0].reader, &again);
	verdict_table_finish(&table);
}

static void wrong_verdict_outlives_others(void **state)
{
	struct verdict_table table = {0};
	struct verdict_path path = path_of(ALLOCATION_SYSTEM);
	verdict_table_set(&table, &path, VERDICT_WRONG);
	for (int i = 0; i < 2 * VERDICTS_MAX; i++) {
		char version[16];
		snprintf(version, sizeof(version), "%d", i);
		struct gpu newer = reader;
		newer.driver_version = version;
		path.reader = &newer;
		verdict_table_set(&table, &path, VERDICT_EXACT);
	}
	assert_int_equal(table.n, VERDICTS_MAX);
	assert_true(verdict_table_has_wrong(&table, &source, &reader));
	verdict_table_finish(&table);
}

static void verdict_belongs_to_the_queue_of_vulkan(void **state)
{
	struct verdict_table table = {0};
	for (int transfers = 0; transfers < 4; transfers++) {
		struct verdict_path path = path_of(ALLOCATION_SYSTEM);
		struct engine_type writer = *path.writer, engine = *path.engine;
		path.writer = &writer;
		path.engine = &engine;
		writer.kind = transfers & 1 ? COST_TRANSFER : COST_SDMA;
		engine.kind = transfers & 2 ? COST_TRANSFER : COST_GRAPHICS;
		path.queue = VULKAN_QUEUE_COMPUTE;
		verdict_table_set(&table, &path, VERDICT_WRONG);
		path.queue = VULKAN_QUEUE_GRAPHICS;
		assert_int_equal(verdict_table_find(&table, &path)->verdict,
			transfers ? VERDICT_NONE : VERDICT_WRONG);
		verdict_table_finish(&table);
	}
}

static void impossible_test_is_not_saved(void **state)
{
	struct verdict_table table = {0};
	struct verdict_path path = path_of(ALLOCATION_SOURCE);
	verdict_table_set(&table, &path, VERDICT_UNTESTED);
	assert_false(table.changed);
	verdict_table_finish(&table);
}

static void lines_are_read_until_one_is_incomplete(void **state)
{
	struct verdict_table table = {0};
	read_text(&table, "heading\nexact a\nuntested b\nwrong\nwrong c d\nexact c d\nexact e");
	assert_int_equal(table.n, 2);
	assert_string_equal(table.entries[0].key, "a");
	assert_int_equal(table.entries[0].verdict, VERDICT_EXACT);
	assert_string_equal(table.entries[1].key, "c d");
	assert_int_equal(table.entries[1].verdict, VERDICT_WRONG);
	verdict_table_finish(&table);
	read_text(&table, "another heading\nexact a\n");
	assert_int_equal(table.n, 0);
}

static void full_table_forgets_the_oldest(void **state)
{
	struct verdict_table table = {0};
	char text[VERDICTS_MAX * 32 + 64] = "heading\n";
	for (int i = 0; i <= VERDICTS_MAX; i++) {
		sprintf(text + strlen(text), "exact key%d\n", i);
	}
	read_text(&table, text);
	assert_int_equal(table.n, VERDICTS_MAX);
	struct verdict_path path = path_of(ALLOCATION_SYSTEM);
	verdict_table_set(&table, &path, VERDICT_EXACT);
	assert_int_equal(table.n, VERDICTS_MAX);
	assert_string_equal(table.entries[0].key, "key1");
	assert_int_equal(verdict_table_find(&table, &path)->verdict, VERDICT_EXACT);
	verdict_table_finish(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdict_belongs_to_memory_and_driver),
		cmocka_unit_test(wrong_verdict_holds_for_an_identical_reader),
		cmocka_unit_test(wrong_verdict_outlives_others),
		cmocka_unit_test(verdict_belongs_to_the_queue_of_vulkan),
		cmocka_unit_test(impossible_test_is_not_saved),
		cmocka_unit_test(lines_are_read_until_one_is_incomplete),
		cmocka_unit_test(full_table_forgets_the_oldest),
	};
	return cmocka_run_group_tests_name("verdict", tests, NULL, NULL);
}
