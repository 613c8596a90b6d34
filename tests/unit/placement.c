/* Placement: new windows overlap others least, and stay where they can be got at. */

#include "unit.h"

#include "shell/internal.h"

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

static void test_alone_in_the_middle(void **state)
{
	int x, y;
	placement_find(&area, 200, 100, NULL, 0, &x, &y);
	assert_int_equal(x, 500);
	assert_int_equal(y, 300);
}

static void test_larger_than_the_area(void **state)
{
	int x, y;
	placement_find(&area, 1200, 900, NULL, 0, &x, &y);
	assert_int_equal(x, 100);
	assert_int_equal(y, 50);
	placement_find(&area, 1200, 100, NULL, 0, &x, &y);
	assert_int_equal(x, 100);
	assert_int_equal(y, 300);
}

static void test_free_room_is_found(void **state)
{
	/* Only a column of 300 at the right is free. */
	const struct box others[] = {{100, 50, 700, 600}};
	int x, y;
	placement_find(&area, 300, 200, others, 1, &x, &y);
	assert_int_equal(x, 800);
	struct box box = {x, y, 300, 200};
	assert_int_equal(overlap(&box, others, 1), 0);
	assert_int_equal(y, 250); /* and in that column, the middle */
}

static void test_gap_between_windows(void **state)
{
	const struct box others[] = {{100, 50, 400, 600}, {700, 50, 400, 600}};
	int x, y;
	placement_find(&area, 200, 100, others, 2, &x, &y);
	assert_int_equal(x, 500);
}

/* Never worse than the middle or a corner, and never outside where it fits. */
static void test_random(void **state)
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

static void test_keeps_reachable(void **state)
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
		assert_true(box.y >= area.y); /* what it is dragged by is at its top */
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alone_in_the_middle),
		cmocka_unit_test(test_larger_than_the_area),
		cmocka_unit_test(test_free_room_is_found),
		cmocka_unit_test(test_gap_between_windows),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_keeps_reachable),
	};
	return cmocka_run_group_tests_name("placement", tests, NULL, NULL);
}
