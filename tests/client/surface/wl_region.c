/* SPDX-License-Identifier: MIT */
/* wl_region: rectangles added and subtracted, in the order of x, y, width and height. */

#include "harness/peer.h"
#include "surface/surface.h"
#include "util/xalloc.h"

struct region_world {
	struct fixture *fixture;
	struct peer *peer;
	struct wl_surface *surface;
	struct wl_region *region;
};

static int set_up(void **state)
{
	struct region_world *world = xcalloc(1, sizeof(*world));
	world->fixture = fixture_create(NULL);
	world->peer = peer_create(world->fixture);
	world->surface = wl_compositor_create_surface(world->peer->compositor);
	world->region = wl_compositor_create_region(world->peer->compositor);
	*state = world;
	return 0;
}

/* Compares the region with rectangles in the order of pixman: by row, then by column. */
static void expect_rectangles(
	struct region_world *world, const pixman_box32_t *expected, int n_expected)
{
	wl_surface_set_input_region(world->surface, world->region);
	wl_surface_commit(world->surface);
	fixture_pump(world->fixture);
	struct surface *surface = peer_surface_find(world->peer, world->surface);
	int n;
	const pixman_box32_t *is = pixman_region32_rectangles(&surface->current.input, &n);
	assert_int_equal(n, n_expected);
	for (int i = 0; i < n; i++) {
		assert_int_equal(is[i].x1, expected[i].x1);
		assert_int_equal(is[i].y1, expected[i].y1);
		assert_int_equal(is[i].x2, expected[i].x2);
		assert_int_equal(is[i].y2, expected[i].y2);
	}
}

static void rectangles_are_added_where_they_are(void **state)
{
	struct region_world *world = *state;
	wl_region_add(world->region, 10, 40, 20, 7);
	expect_rectangles(world, &(pixman_box32_t){10, 40, 30, 47}, 1);
	wl_region_add(world->region, 50, -5, 3, 9);
	expect_rectangles(world, (pixman_box32_t[]){{50, -5, 53, 4}, {10, 40, 30, 47}}, 2);
}

static void rectangles_are_subtracted_where_they_are(void **state)
{
	struct region_world *world = *state;
	wl_region_add(world->region, 0, 0, 100, 80);
	wl_region_subtract(world->region, 90, 10, 10, 70);
	expect_rectangles(world, (pixman_box32_t[]){{0, 0, 100, 10}, {0, 10, 90, 80}}, 2);
}

static void empty_rectangles_change_nothing(void **state)
{
	struct region_world *world = *state;
	wl_region_add(world->region, 10, 40, 20, 7);
	const int32_t sizes[][2] = {{0, 7}, {20, 0}, {-20, 7}, {20, -7}};
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		wl_region_subtract(world->region, 10, 40, sizes[i][0], sizes[i][1]);
		wl_region_add(world->region, 60, 70, sizes[i][0], sizes[i][1]);
	}
	expect_rectangles(world, &(pixman_box32_t){10, 40, 30, 47}, 1);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, fixture_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(rectangles_are_added_where_they_are),
		TEST(rectangles_are_subtracted_where_they_are),
		TEST(empty_rectangles_change_nothing),
	};
	return cmocka_run_group_tests_name("surface/wl_region", tests, NULL, NULL);
}
