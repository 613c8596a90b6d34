/* SPDX-License-Identifier: MIT */
/* Operations on regions, checked pixel by pixel. */

#include "util/region.h"
#include "harness/unit.h"
#include <limits.h>
#include <math.h>

#define SIDE 24

static void init_random(pixman_region32_t *region, int rects)
{
	pixman_region32_init(region);
	for (int i = 0; i < rects; i++) {
		int x = random_between(0, SIDE - 1), y = random_between(0, SIDE - 1);

		pixman_region32_union_rect(region, region, x, y,
			(unsigned)random_between(1, SIDE - x),
			(unsigned)random_between(1, SIDE - y));
	}
}

static void init_checkers(pixman_region32_t *region)
{
	pixman_region32_init(region);
	for (int y = 0; y < SIDE; y++) {
		for (int x = y % 2; x < SIDE; x += 2) {
			pixman_region32_union_rect(region, region, x, y, 1, 1);
		}
	}
}

static bool has_pixel(const pixman_region32_t *region, int x, int y)
{
	return pixman_region32_contains_point((pixman_region32_t *)region, x, y, NULL);
}

static bool covers(const pixman_region32_t *region, double x1, double y1, double x2, double y2)
{
	pixman_box32_t box = {(int)floor(x1), (int)floor(y1), (int)ceil(x2), (int)ceil(y2)};

	return pixman_region32_contains_rectangle((pixman_region32_t *)region, &box) ==
	       PIXMAN_REGION_IN;
}

static void check_transform(const pixman_region32_t *in, enum wl_output_transform transform)
{
	pixman_region32_t out;
	int64_t n = 0;

	pixman_region32_init(&out);
	region_transform(&out, in, transform, SIDE, SIDE);
	for (int y = 0; y < SIDE; y++) {
		for (int x = 0; x < SIDE; x++) {
			struct box pixel = {x, y, 1, 1};

			transform_box(&pixel, &pixel, transform, SIDE, SIDE);
			assert_int_equal(has_pixel(in, x, y), has_pixel(&out, pixel.x, pixel.y));
			n += has_pixel(in, x, y);
		}
	}
	assert_int_equal(region_area(&out), n);
	pixman_region32_fini(&out);
}

static void transformed_region_has_the_transformed_pixels(void **state)
{
	pixman_region32_t region;

	for (int i = 0; i < 80; i++) {
		init_random(&region, 1 + i % 9);
		check_transform(&region, i % 8);
		pixman_region32_fini(&region);
	}
	init_checkers(&region);
	assert_true(pixman_region32_n_rects(&region) > 100);
	for (int transform = 0; transform < 8; transform++) {
		check_transform(&region, transform);
	}
	pixman_region32_fini(&region);
}

static void check_scale(const pixman_region32_t *in, double scale_x, double scale_y)
{
	pixman_region32_t outward;

	pixman_region32_init(&outward);
	region_scale(&outward, in, scale_x, scale_y);
	for (int y = 0; y < SIDE; y++) {
		for (int x = 0; x < SIDE; x++) {
			if (has_pixel(in, x, y)) {
				assert_true(covers(&outward, x * scale_x, y * scale_y,
					(x + 1) * scale_x, (y + 1) * scale_y));
			}
		}
	}
	pixman_region32_fini(&outward);
}

static void scaled_regions_round_outward(void **state)
{
	static const double scales[] = {0.5, 1.0, 1.25, 1.5, 2.0, 3.0};
	pixman_region32_t region;
	struct box extents;

	for (int i = 0; i < 72; i++) {
		init_random(&region, 1 + i % 5);
		check_scale(&region, scales[i % 6], scales[(i / 6) % 6]);
		pixman_region32_fini(&region);
	}
	pixman_region32_init_rect(&region, 1, 1, 3, 1);
	region_scale(&region, &region, 1.5, 1.5);
	extents = region_extents(&region); /* 1.5..6 x 1.5..3 */
	assert_true(box_equal(&extents, &(struct box){1, 1, 5, 2}));
	region_scale(&region, &region, 0.1, 0.1);
	extents = region_extents(&region);
	assert_true(box_equal(&extents, &(struct box){0, 0, 1, 1}));
	pixman_region32_fini(&region);
}

static void magnified_parts_fill_the_whole_without_overlap(void **state)
{
	pixman_region32_t part, rest, both;
	pixman_region32_init(&both);
	for (int i = 0; i < 60; i++) {
		const double factor = 1 + i * 0.07;
		init_random(&part, 1 + i % 7);
		pixman_region32_init_rect(&rest, 0, 0, SIDE, SIDE);
		pixman_region32_subtract(&rest, &rest, &part);
		region_scale_nearest(&part, &part, factor, factor);
		region_scale_nearest(&rest, &rest, factor, factor);
		pixman_region32_intersect(&both, &part, &rest);
		assert_false(pixman_region32_not_empty(&both));
		pixman_region32_union(&both, &part, &rest);
		const struct box extents = region_extents(&both);
		const int side = (int)round(SIDE * factor);
		assert_true(box_equal(&extents, &(struct box){0, 0, side, side}));
		assert_int_equal(region_area(&both), side * side);
		pixman_region32_fini(&part);
		pixman_region32_fini(&rest);
	}
	pixman_region32_fini(&both);
}

static void expanded_region_reaches_the_distance(void **state)
{
	pixman_region32_t region, out;

	pixman_region32_init(&out);
	init_random(&region, 4);
	region_expand(&out, &region, 2);
	for (int y = -3; y < SIDE + 3; y++) {
		for (int x = -3; x < SIDE + 3; x++) {
			pixman_box32_t around = {x - 2, y - 2, x + 3, y + 3};
			bool near = pixman_region32_contains_rectangle(&region, &around) !=
				    PIXMAN_REGION_OUT;

			assert_int_equal(has_pixel(&out, x, y), near);
		}
	}
	pixman_region32_fini(&region);
	pixman_region32_fini(&out);
}

static void simplified_region_covers_the_original(void **state)
{
	pixman_region32_t region;
	int64_t area;

	init_checkers(&region);
	area = region_area(&region);
	region_simplify(&region, pixman_region32_n_rects(&region));
	assert_int_equal(region_area(&region), area);
	region_simplify(&region, 8);
	assert_int_equal(pixman_region32_n_rects(&region), 1);
	assert_int_equal(region_area(&region), SIDE * SIDE);
	pixman_region32_fini(&region);
}

/*
 * A simplified region contains the original in few rectangles and adds little area between distant
 * parts.
 */
static void simplifying_keeps_distant_parts_apart(void **state)
{
	pixman_region32_t region, before;

	pixman_region32_init(&region);
	pixman_region32_init(&before);
	for (int i = 0; i < 40; i++) {
		pixman_region32_union_rect(&region, &region, i * 5, i % 7 * 3, 2, 2);
		pixman_region32_union_rect(&region, &region, 3840 - i * 5, 2160 - i % 7 * 3, 2, 2);
	}
	pixman_region32_copy(&before, &region);
	assert_true(pixman_region32_n_rects(&region) > 64);
	region_simplify(&region, 64);
	assert_in_range(pixman_region32_n_rects(&region), 1, 16);
	assert_true(region_area(&region) < 2 * 210 * 25);
	pixman_region32_subtract(&before, &before, &region);
	assert_false(pixman_region32_not_empty(&before));

	/* At the limits of int. */
	pixman_region32_clear(&region);
	for (int i = 0; i < 3; i++) {
		pixman_box32_t rect = {
			INT_MIN + i * 10, INT_MIN + i * 10, INT_MIN + i * 10 + 1, INT_MAX - i};
		pixman_region32_t one;
		pixman_region32_init_with_extents(&one, &rect);
		pixman_region32_union(&region, &region, &one);
		pixman_region32_fini(&one);
	}
	pixman_region32_union_rect(&region, &region, INT_MAX - 5, INT_MAX - 5, 1, 1);
	pixman_region32_copy(&before, &region);
	region_simplify(&region, 2);
	pixman_region32_subtract(&before, &before, &region);
	assert_false(pixman_region32_not_empty(&before));
	pixman_region32_fini(&before);
	pixman_region32_fini(&region);
}

/* Clients send such regions for "everything". */
static void infinite_region_does_not_overflow(void **state)
{
	const struct box beyond = {100, 100, INT_MAX, INT_MAX};
	const struct box empty = {5, 5, -1, 3};
	pixman_region32_t region;
	struct box extents;

	pixman_region32_init(&region);
	region_set_box(&region, &beyond);
	extents = region_extents(&region);
	assert_int_equal(extents.x, 100);
	assert_int_equal(extents.width, INT_MAX - 100);
	region_set_box(&region, &empty);
	assert_false(pixman_region32_not_empty(&region));
	pixman_region32_fini(&region);

	pixman_region32_init_with_extents(
		&region, &(pixman_box32_t){INT_MIN, INT_MIN, INT_MAX, INT_MAX});
	assert_true(region_area(&region) == INT64_MAX);
	extents = region_extents(&region);
	assert_int_equal(extents.width, INT_MAX);
	for (int transform = 0; transform < 8; transform++) {
		pixman_region32_t out;

		pixman_region32_init(&out);
		region_transform(&out, &region, transform, 100, 100);
		region_scale(&out, &out, 2, 2);
		region_expand(&out, &out, 10);
		assert_true(covers(&out, -100000, -100000, 100000, 100000));
		pixman_region32_fini(&out);
	}
	pixman_region32_fini(&region);
}

static void neighbouring_bands_are_joined(void **state)
{
	/* Two rectangles at different heights: pixman makes four of them. */
	const pixman_box32_t boxes[] = {{0, 0, 4, 10}, {6, 3, 9, 20}};
	pixman_box32_t out[2 * SIDE * SIDE];
	pixman_region32_t region, joined;
	pixman_region32_init_rects(&region, boxes, 2);
	assert_int_equal(pixman_region32_n_rects(&region), 4);
	assert_int_equal(region_join_bands(&region, out), 2);
	pixman_region32_fini(&region);
	for (int round = 0; round < 500; round++) {
		int64_t area = 0;
		init_random(&region, random_between(0, 9));
		int n = region_join_bands(&region, out);
		assert_int_equal(n, region_join_bands(&region, NULL));
		for (int i = 0; i < n; i++) {
			area += (int64_t)(out[i].x2 - out[i].x1) * (out[i].y2 - out[i].y1);
		}
		/* The same pixels, none of them twice. */
		pixman_region32_init_rects(&joined, out, n);
		assert_true(pixman_region32_equal(&joined, &region));
		assert_int_equal(area, region_area(&region));
		pixman_region32_fini(&joined);
		pixman_region32_fini(&region);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(transformed_region_has_the_transformed_pixels),
		cmocka_unit_test(scaled_regions_round_outward),
		cmocka_unit_test(magnified_parts_fill_the_whole_without_overlap),
		cmocka_unit_test(expanded_region_reaches_the_distance),
		cmocka_unit_test(simplified_region_covers_the_original),
		cmocka_unit_test(simplifying_keeps_distant_parts_apart),
		cmocka_unit_test(infinite_region_does_not_overflow),
		cmocka_unit_test(neighbouring_bands_are_joined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
