/* SPDX-License-Identifier: MIT */
/* Placement: new windows overlap others least, and windows stay reachable. */

#include "harness/unit.h"

#include "shell/geometry/placement.h"

static const struct box area = {100, 50, 1000, 600};

static int64_t overlap(const struct box *box, const struct box *others, int n)
{
	int64_t sum = 0;
	for (int i = 0; i < n; i++) {
		struct box common;
		if (box_intersect(&common, box, &others[i])) {
			sum += (int64_t)common.width * common.height;
		}
	}
	return sum;
}

static void single_window_is_centred(void **state)
{
	int x, y;
	placement_find(&area, 200, 100, NULL, 0, &x, &y);
	assert_int_equal(x, 500);
	assert_int_equal(y, 300);
}

static void window_larger_than_the_area_starts_at_its_corner(void **state)
{
	int x, y;
	placement_find(&area, 1200, 900, NULL, 0, &x, &y);
	assert_int_equal(x, 100);
	assert_int_equal(y, 50);
	placement_find(&area, 1200, 100, NULL, 0, &x, &y);
	assert_int_equal(x, 100);
	assert_int_equal(y, 300);
}

static void free_area_is_found(void **state)
{
	/* Only a column of 300 pixels at the right is free. */
	const struct box others[] = {{100, 50, 700, 600}};
	int x, y;
	placement_find(&area, 300, 200, others, 1, &x, &y);
	assert_int_equal(x, 800);
	struct box box = {x, y, 300, 200};
	assert_int_equal(overlap(&box, others, 1), 0);
	assert_int_equal(y, 250); /* centred in that column */
}

static void gap_between_windows_is_found(void **state)
{
	const struct box others[] = {{100, 50, 400, 600}, {700, 50, 400, 600}};
	int x, y;
	placement_find(&area, 200, 100, others, 2, &x, &y);
	assert_int_equal(x, 500);
}

/*
 * The overlap is at most that of the middle or a corner, and the window is inside the area if it
 * fits.
 */
static void placement_beats_middle_and_corners(void **state)
{
	for (int i = 0; i < 500; i++) {
		struct box others[30];
		int n = random_between(0, 30);
		for (int j = 0; j < n; j++) {
			others[j] = (struct box){random_between(0, 1000), random_between(0, 600),
				random_between(1, 600), random_between(1, 400)};
		}
		int width = random_between(1, 1000), height = random_between(1, 600), x, y;
		placement_find(&area, width, height, others, n, &x, &y);
		assert_in_range(x, area.x, area.x + area.width - width);
		assert_in_range(y, area.y, area.y + area.height - height);
		struct box box = {x, y, width, height};
		struct box middle = {area.x + (area.width - width) / 2,
			area.y + (area.height - height) / 2, width, height};
		struct box corner = {area.x, area.y, width, height};
		assert_true(overlap(&box, others, n) <= overlap(&middle, others, n));
		assert_true(overlap(&box, others, n) <= overlap(&corner, others, n));
	}
}

static void windows_stay_reachable(void **state)
{
	struct box inside = {300, 200, 100, 100}, was = inside;
	placement_keep_reachable(&area, &inside);
	assert_true(box_equal(&inside, &was));

	for (int i = 0; i < 500; i++) {
		struct box box = {random_between(-5000, 5000), random_between(-5000, 5000),
			random_between(1, 3000), random_between(1, 3000)};
		placement_keep_reachable(&area, &box);
		struct box common;
		assert_true(box_intersect(&common, &box, &area));
		assert_true(common.width >= (box.width < 32 ? box.width : 32));
		assert_true(common.height >= (box.height < 32 ? box.height : 32));
		assert_true(box.y >= area.y); /* the title bar is at its top */
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(single_window_is_centred),
		cmocka_unit_test(window_larger_than_the_area_starts_at_its_corner),
		cmocka_unit_test(free_area_is_found),
		cmocka_unit_test(gap_between_windows_is_found),
		cmocka_unit_test(placement_beats_middle_and_corners),
		cmocka_unit_test(windows_stay_reachable),
	};
	return cmocka_run_group_tests_name("placement", tests, NULL, NULL);
}
