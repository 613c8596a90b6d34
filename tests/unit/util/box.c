/* SPDX-License-Identifier: MIT */
/* Boxes and output transforms. */

#include "util/box.h"
#include "harness/unit.h"
#include <limits.h>

#define ROUNDS 2000

static struct box random_box(int width, int height)
{
	struct box box = {
		.x = random_between(0, width - 1),
		.y = random_between(0, height - 1),
	};

	box.width = random_between(1, width - box.x);
	box.height = random_between(1, height - box.y);
	return box;
}

static void assert_box(const struct box *box, int x, int y, int width, int height)
{
	assert_int_equal(box->x, x);
	assert_int_equal(box->y, y);
	assert_int_equal(box->width, width);
	assert_int_equal(box->height, height);
}

/* Positions in the buffer of the top left pixel of a 5x3 surface and of the pixel to its right. */
static void transforms_place_pixels_as_in_the_table(void **state)
{
	static const struct {
		struct box first, second;
	} expected[] = {
		[WL_OUTPUT_TRANSFORM_NORMAL] = {{0, 0, 1, 1}, {1, 0, 1, 1}},
		[WL_OUTPUT_TRANSFORM_90] = {{0, 4, 1, 1}, {0, 3, 1, 1}},
		[WL_OUTPUT_TRANSFORM_180] = {{4, 2, 1, 1}, {3, 2, 1, 1}},
		[WL_OUTPUT_TRANSFORM_270] = {{2, 0, 1, 1}, {2, 1, 1, 1}},
		[WL_OUTPUT_TRANSFORM_FLIPPED] = {{4, 0, 1, 1}, {3, 0, 1, 1}},
		[WL_OUTPUT_TRANSFORM_FLIPPED_90] = {{0, 0, 1, 1}, {0, 1, 1, 1}},
		[WL_OUTPUT_TRANSFORM_FLIPPED_180] = {{0, 2, 1, 1}, {1, 2, 1, 1}},
		[WL_OUTPUT_TRANSFORM_FLIPPED_270] = {{2, 4, 1, 1}, {2, 3, 1, 1}},
	};

	for (int t = 0; t < 8; t++) {
		struct box first = {0, 0, 1, 1}, second = {1, 0, 1, 1};

		transform_box(&first, &first, t, 5, 3);
		transform_box(&second, &second, t, 5, 3);
		assert_true(box_equal(&first, &expected[t].first));
		assert_true(box_equal(&second, &expected[t].second));
	}
}

static void inverse_transform_restores_the_box(void **state)
{
	for (int i = 0; i < ROUNDS; i++) {
		enum wl_output_transform t = random_between(0, 7);
		int width = random_between(1, 5000), height = random_between(1, 5000);
		struct box box = random_box(width, height);
		struct box there, back;

		transform_box(&there, &box, t, width, height);
		assert_int_equal(there.width, transform_swaps(t) ? box.height : box.width);
		transform_box(&back, &there, transform_invert(t),
			transform_swaps(t) ? height : width, transform_swaps(t) ? width : height);
		assert_true(box_equal(&box, &back));
		assert_int_equal(
			transform_compose(t, transform_invert(t)), WL_OUTPUT_TRANSFORM_NORMAL);
	}
}

static void composed_transform_equals_both_in_turn(void **state)
{
	for (int i = 0; i < ROUNDS; i++) {
		enum wl_output_transform a = random_between(0, 7), b = random_between(0, 7);
		int width = random_between(1, 5000), height = random_between(1, 5000);
		struct box box = random_box(width, height);
		struct box steps, once;

		transform_box(&steps, &box, a, width, height);
		transform_box(&steps, &steps, b, transform_swaps(a) ? height : width,
			transform_swaps(a) ? width : height);
		transform_box(&once, &box, transform_compose(a, b), width, height);
		assert_true(box_equal(&steps, &once));
	}
}

static void intersection_does_not_overflow(void **state)
{
	const struct box all = {INT_MIN, INT_MIN, INT_MAX, INT_MAX};
	const struct box huge = {0, 0, INT_MAX, INT_MAX};
	const struct box far = {10, 20, INT_MAX, INT_MAX};
	const struct box left = {0, 0, 10, 10}, right = {10, 0, 10, 10}, middle = {5, 5, 10, 10};
	const struct box empty = {5, 5, 0, 3};
	struct box out;

	assert_true(box_intersect(&out, &left, &middle));
	assert_box(&out, 5, 5, 5, 5);
	assert_false(box_intersect(&out, &left, &right));
	assert_box(&out, 0, 0, 0, 0);
	assert_false(box_intersect(&out, &left, &empty));
	assert_true(box_intersect(&out, &huge, &far));
	assert_box(&out, 10, 20, INT_MAX - 10, INT_MAX - 20);
	assert_false(box_intersect(&out, &all, &huge));
}

static void points_are_clamped_into_the_box(void **state)
{
	const struct box box = {10, 20, 30, 40};
	double x, y;

	assert_true(box_contains_point(&box, 10, 20));
	assert_true(box_contains_point(&box, 39.99, 59.99));
	assert_false(box_contains_point(&box, 40, 30));
	assert_false(box_contains_point(&box, 9.99, 30));

	for (int i = 0; i < ROUNDS; i++) {
		double in_x = random_between(-100, 200) / 2.0,
		       in_y = random_between(-100, 200) / 2.0;

		box_closest_point(&box, in_x, in_y, &x, &y);
		assert_true(box_contains_point(&box, x, y));
		if (box_contains_point(&box, in_x, in_y)) {
			assert_true(x == in_x && y == in_y);
		}
	}
	box_closest_point(&box, 1000, -1000, &x, &y);
	assert_true(x == 40 - 1.0 / 256 && y == 20);
}

static void fractional_box_grows_to_whole_pixels(void **state)
{
	struct box out = fbox_outset(&(struct fbox){-0.5, 1.0, 2.0, 1.25});

	assert_box(&out, -1, 1, 3, 2);
	out = fbox_outset(&(struct fbox){3, 4, 5, 6});
	assert_box(&out, 3, 4, 5, 6);
}

/* As 2520 / 1.4, whose nearest double is above 1800. */
static void lengths_at_any_scale_are_rounded_up_exactly(void **state)
{
	for (int steps = 12; steps <= 960; steps++) {
		const double scale = steps / 120.0;
		for (int length = 1; length <= 8192; length++) {
			const int more = (length * steps + 119) / 120;
			const int less = (length * 120 + steps - 1) / steps;
			if (coord_round_up(length * scale) != more ||
				coord_round_up(length / scale) != less) {
				fail_msg("%d at %d/120", length, steps);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(transforms_place_pixels_as_in_the_table),
		cmocka_unit_test(inverse_transform_restores_the_box),
		cmocka_unit_test(composed_transform_equals_both_in_turn),
		cmocka_unit_test(intersection_does_not_overflow),
		cmocka_unit_test(points_are_clamped_into_the_box),
		cmocka_unit_test(fractional_box_grows_to_whole_pixels),
		cmocka_unit_test(lengths_at_any_scale_are_rounded_up_exactly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
