/* Tests of what memory is tried for staging buffers, and of what is remembered of it. */

#include "copy/placement.h"
#include "unit.h"
#include "util/xalloc.h"
#include <drm_fourcc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const struct placement_time *at(uint64_t generation)
{
	static const struct placement_time times[] = {
		{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}, {6, 0}, {7, INT64_C(1) << 60}};

	return &times[generation];
}

static unsigned count(enum placement_use use)
{
	struct placement placement;
	unsigned n = 0;

	while (placement_nth(use, n, &placement)) {
		n++;
	}
	return n;
}

/* Each is tried once; what a plane may show comes first, and a device's memory is asked of no CPU. */
static void test_order(void **state)
{
	for (int use = 0; use < PLACEMENT_USES; use++) {
		unsigned n = count(use);

		assert_in_range(n, 3, 20);
		for (unsigned i = 0; i < n; i++) {
			struct placement a, b;

			placement_nth(use, i, &a);
			assert_true(a.from != PLACEMENT_NONE);
			assert_true(use == PLACEMENT_SAMPLED || a.from != PLACEMENT_READER);
			assert_true(a.from == PLACEMENT_READER || a.alignment > 0);
			for (unsigned j = 0; j < i; j++) {
				placement_nth(use, j, &b);
				assert_false(placement_equal(&a, &b));
			}
		}
	}
	struct placement first;
	placement_nth(PLACEMENT_SAMPLED, 0, &first);
	assert_true(first.from == PLACEMENT_READER && first.alignment == 0);
	placement_nth(PLACEMENT_READ, 0, &first);
	assert_int_equal(first.from, PLACEMENT_SOURCE);
}

static void test_class(void **state)
{
	assert_int_equal(placement_class(1, 1), 0);
	assert_int_equal(placement_class(256, 2), 8);
	assert_int_equal(placement_class(257, 2), 9);
	assert_int_equal(placement_class(1920, 1080), 11);
	assert_int_equal(placement_class(2, 2048), 11);
	assert_int_equal(placement_class(3840, 2160), 12);
	assert_int_equal(placement_class(INT32_MAX, 1), 31);
}

static const struct placement none = {PLACEMENT_NONE, 0};
static const struct placement system_256 = {PLACEMENT_SYSTEM, 256};
static const struct placement reader = {PLACEMENT_READER, 0};

static void test_table(void **state)
{
	struct placement_table table;
	struct placement_key key = {"a/x/sdma>b/y", DRM_FORMAT_XRGB8888, 11, PLACEMENT_SAMPLED};
	struct placement_key others[] = {key, key, key, key, key};
	struct placement out;

	placement_table_init(&table, xstrdup("heading"));
	assert_false(placement_table_get(&table, &key, at(1), &out));
	assert_true(placement_table_set(&table, &key, at(1), &system_256));
	assert_false(placement_table_set(&table, &key, at(2), &system_256));
	assert_true(placement_table_get(&table, &key, at(3), &out));
	assert_true(placement_equal(&out, &system_256));
	/* It is true of nothing else. */
	others[0].pair = "a/x/gles>b/y";
	others[1].format = DRM_FORMAT_ARGB8888;
	others[2].size_class = 12;
	others[3].use = PLACEMENT_READ;
	others[4].of_layout = true;
	for (int i = 0; i < 5; i++) {
		assert_false(placement_table_get(&table, &others[i], at(1), &out));
	}
	/* Of one layout, of another one, and of all. */
	assert_true(placement_table_set(&table, &others[4], at(1), &none));
	assert_true(placement_table_get(&table, &others[4], at(1), &out));
	others[4].modifier = 1;
	assert_false(placement_table_get(&table, &others[4], at(1), &out));
	assert_true(placement_table_get(&table, &key, at(3), &out));
	assert_true(placement_equal(&out, &system_256));
	/* What does not work now may do so with other engines. */
	assert_true(placement_table_set(&table, &key, at(5), &none));
	assert_false(placement_table_set(&table, &key, at(5), &none));
	assert_true(placement_table_get(&table, &key, at(5), &out));
	assert_int_equal(out.from, PLACEMENT_NONE);
	assert_false(placement_table_get(&table, &key, at(6), &out));
	const struct placement_time soon = {5, 4999999999}, later = {5, 5000000000};
	assert_true(placement_table_get(&table, &key, &soon, &out));
	assert_false(placement_table_get(&table, &key, &later, &out));
	assert_true(placement_table_set(&table, &key, at(6), &reader));
	placement_table_finish(&table);
}

static void test_file(void **state)
{
	char path[] = "/tmp/causeway-placements-XXXXXX";
	struct placement_key key = {
		"1002:73bf/amdgpu/sdma>8086:46a6/i915", DRM_FORMAT_XRGB8888, 11, PLACEMENT_SAMPLED};
	struct placement_key bad = {"bad", DRM_FORMAT_NV12, 10, PLACEMENT_READ};
	struct placement_table table;
	struct placement out;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	placement_table_init(&table, xstrdup("heading 1"));
	placement_table_set(&table, &key, at(1), &system_256);
	placement_table_set(&table, &bad, at(1), &none);
	assert_true(table.changed);
	assert_int_equal(placement_table_save(&table, path), 0);
	assert_false(table.changed);
	placement_table_finish(&table);

	placement_table_init(&table, xstrdup("heading 1"));
	assert_true(placement_table_load(&table, path));
	assert_false(table.changed);
	assert_true(placement_table_get(&table, &key, at(7), &out));
	assert_true(placement_equal(&out, &system_256));
	assert_false(placement_table_get(&table, &bad, at(1), &out));
	placement_table_finish(&table);

	/* Other drivers, or another kernel: nothing of it is true. */
	placement_table_init(&table, xstrdup("heading 2"));
	assert_false(placement_table_load(&table, path));
	assert_false(placement_table_get(&table, &key, at(7), &out));
	placement_table_finish(&table);
	unlink(path);
}

static void test_damaged_file(void **state)
{
	char path[] = "/tmp/causeway-placements-XXXXXX";
	struct placement_key key = {"a>b", DRM_FORMAT_XRGB8888, 11, PLACEMENT_READ};
	struct placement_table table;
	struct placement out;
	int fd = mkstemp(path);
	FILE *file = fdopen(fd, "w");

	assert_non_null(file);
	fputs("h\n\na>b\na>b 34325258 11 read\na>b 34325258 11 read system 255\n"
	      "a>b 34325258 11 read reader 0\na>b 34325258 11 write system 256\n"
	      "a>b 34325258 11 read nowhere 256\na>b 34325258 11 read none 0\n"
	      "a>b 34325258 12 read system 64",
		file);
	fclose(file);
	placement_table_init(&table, xstrdup("h"));
	assert_true(placement_table_load(&table, path));
	assert_false(placement_table_get(&table, &key, at(0), &out));
	key.size_class = 12;
	assert_true(placement_table_get(&table, &key, at(0), &out));
	placement_table_finish(&table);
	placement_table_init(&table, xstrdup("h"));
	assert_false(placement_table_load(&table, "/nonexistent/x"));
	placement_table_finish(&table);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_class),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_damaged_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
