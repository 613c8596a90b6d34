/* SPDX-License-Identifier: MIT */
/* Pointer confinement: the pointer stays in the region and slides along its edges. */

#include "harness/unit.h"
#include "seat/seat.h"
#include <math.h>

static struct coord_surface walk(
	const pixman_region32_t *region, double x, double y, double dx, double dy)
{
	return constraint_walk(
		region, (struct coord_surface){x, y}, (struct coord_surface){x + dx, y + dy});
}

static void assert_at(struct coord_surface at, double x, double y)
{
	if (fabs(at.x - x) > 0.01 || fabs(at.y - y) > 0.01) {
		fail_msg("at %g,%g, not at %g,%g", at.x, at.y, x, y);
	}
}

static bool holds(const pixman_region32_t *region, struct coord_surface at)
{
	return pixman_region32_contains_point(
		(pixman_region32_t *)region, (int)floor(at.x), (int)floor(at.y), NULL);
}

static void pointer_slides_along_edges(void **state)
{
	pixman_region32_t region;
	pixman_region32_init_rect(&region, 10, 20, 100, 50);
	assert_at(walk(&region, 50, 40, 5, -6.5), 55, 33.5);
	/* An edge stops only one direction. */
	assert_at(walk(&region, 50, 40, 500, 3), 109, 43);
	assert_at(walk(&region, 50, 40, -500, 3), 10, 43);
	assert_at(walk(&region, 50, 40, 1, 300), 51, 69);
	assert_at(walk(&region, 50, 40, -300, -300), 10, 20);
	assert_at(walk(&region, 109, 69, 5, 5), 109, 69);
	/* From outside, the pointer first moves to the nearest point. */
	assert_at(walk(&region, 0, 40, 0, 0), 10, 40);
	assert_at(walk(&region, 500, 500, 0, 0), 109, 69);
	pixman_region32_fini(&region);
}

static void empty_region_holds_the_pointer(void **state)
{
	pixman_region32_t region;
	pixman_region32_init(&region);
	assert_at(walk(&region, 3, 4, 10, 10), 3, 4);
	pixman_region32_fini(&region);
}

/* A U: two vertical bars on a horizontal one. */
static void init_u(pixman_region32_t *region)
{
	pixman_region32_init_rect(region, 0, 0, 10, 100);
	pixman_region32_union_rect(region, region, 90, 0, 10, 100);
	pixman_region32_union_rect(region, region, 0, 90, 100, 10);
}

static void concave_region_cannot_be_crossed(void **state)
{
	pixman_region32_t region;
	init_u(&region);
	/* The gap between the bars cannot be crossed. */
	assert_at(walk(&region, 5, 5, 90, 0), 9, 5);
	/* Down and to the right: along the inner edge, then along the bottom. */
	assert_at(walk(&region, 5, 5, 50, 200), 9, 99);
	assert_at(walk(&region, 5, 95, 90, 0), 95, 95);
	/* Up and to the right: leaves the left bar's range before the bottom ends. */
	assert_at(walk(&region, 5, 95, 90, -90), 95, 90);
	assert_at(walk(&region, 5, 95, 4, -90), 9, 5);
	/* Slowly across a border between rectangles, both ways, without a jump. */
	struct coord_surface at = {5, 88.5};
	for (int i = 0; i < 10; i++) {
		struct coord_surface next = walk(&region, at.x, at.y, 0, 0.25);
		assert_at(next, at.x, at.y + 0.25);
		at = next;
	}
	for (int i = 0; i < 10; i++) {
		struct coord_surface next = walk(&region, at.x, at.y, 0, -0.25);
		assert_at(next, at.x, at.y - 0.25);
		at = next;
	}
	pixman_region32_fini(&region);
}

static void one_pixel_gap_blocks_and_bridge_connects(void **state)
{
	pixman_region32_t region;
	pixman_region32_init_rect(&region, 0, 0, 10, 10);
	pixman_region32_union_rect(&region, &region, 11, 0, 10, 10);
	assert_at(walk(&region, 5, 5, 100, 0), 9, 5);
	pixman_region32_union_rect(&region, &region, 10, 5, 1, 1);
	assert_at(walk(&region, 5, 5.5, 10, 0), 15, 5.5);
	assert_at(walk(&region, 15, 5.5, -10, 0), 5, 5.5);
	assert_at(walk(&region, 5, 3, 10, 0), 9, 3);
	pixman_region32_fini(&region);
}

static void random_region(pixman_region32_t *region)
{
	pixman_region32_init(region);
	int n = random_between(1, 8);
	for (int i = 0; i < n; i++) {
		pixman_region32_union_rect(region, region, random_between(0, 60),
			random_between(0, 60), (unsigned)random_between(1, 30),
			(unsigned)random_between(1, 30));
	}
}

static double random_real(int low, int high)
{
	return random_between(low * 256, high * 256) / 256.0;
}

static void random_motion_stays_in_the_region(void **state)
{
	for (int round = 0; round < 3000; round++) {
		pixman_region32_t region;
		random_region(&region);
		struct coord_surface at =
			walk(&region, random_real(-20, 110), random_real(-20, 110), 0, 0);
		for (int i = 0; i < 20; i++) {
			assert_true(holds(&region, at));
			double dx = random_real(-80, 80), dy = random_real(-80, 80);
			struct coord_surface next = walk(&region, at.x, at.y, dx, dy);
			/* The pointer moves neither against the motion nor beyond it. */
			assert_true(dx >= 0 ? next.x >= at.x - 0.1 : next.x <= at.x + 0.1);
			assert_true(dy >= 0 ? next.y >= at.y - 0.1 : next.y <= at.y + 0.1);
			assert_true(fabs(next.x - at.x) <= fabs(dx) + 0.1);
			assert_true(fabs(next.y - at.y) <= fabs(dy) + 0.1);
			at = next;
		}
		pixman_region32_fini(&region);
	}
}

/* Many small steps do not cross a gap. */
static void small_steps_do_not_cross_gaps(void **state)
{
	pixman_region32_t region;
	pixman_region32_init_rect(&region, 0, 0, 10, 10);
	pixman_region32_union_rect(&region, &region, 11, 0, 10, 10);
	struct coord_surface at = {5, 5};
	for (int i = 0; i < 2000; i++) {
		at = walk(&region, at.x, at.y, random_real(-1, 2), random_real(-1, 1));
		assert_true(at.x < 10 && holds(&region, at));
	}
	pixman_region32_fini(&region);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pointer_slides_along_edges),
		cmocka_unit_test(empty_region_holds_the_pointer),
		cmocka_unit_test(concave_region_cannot_be_crossed),
		cmocka_unit_test(one_pixel_gap_blocks_and_bridge_connects),
		cmocka_unit_test(random_motion_stays_in_the_region),
		cmocka_unit_test(small_steps_do_not_cross_gaps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
