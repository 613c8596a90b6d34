/* SPDX-License-Identifier: MIT */
/* wp_pointer_warp: positions of the pointer that its focused client sets. */

#include "harness/client/input_peer.h"
#include "pointer-constraints-unstable-v1-client-protocol.h"
#include "pointer-warp-v1-client-protocol.h"
#include "seat/seat.h"

static void expect_at(struct test *test, double x, double y)
{
	fixture_pump(test->fixture);
	assert_true(seat_of(test)->pointer.at.x == x && seat_of(test)->pointer.at.y == y);
}

static void warp(struct test *test, struct wl_pointer *pointer, double x, double y, uint32_t serial)
{
	struct wp_pointer_warp_v1 *warper = peer_bind(test->peer, &wp_pointer_warp_v1_interface, 0);
	wp_pointer_warp_v1_warp_pointer(warper, test->window->surface, pointer,
		wl_fixed_from_double(x), wl_fixed_from_double(y), serial);
	wp_pointer_warp_v1_destroy(warper);
}

/* Enters the window at 10, 10. */
static struct wl_pointer *enter(struct test *test)
{
	struct wl_pointer *pointer = add_pointer(test, 9);
	fixture_pump(test->fixture);
	point(test, 10, 10);
	fixture_pump(test->fixture);
	forget(test);
	return pointer;
}

static void focused_client_moves_the_pointer(void **state)
{
	struct test *test = *state;
	struct wl_pointer *pointer = enter(test);
	warp(test, pointer, 60.5, 70, test->enter_serial);
	expect_at(test, 60.5, 70);
	heard(test, "motion 60.5 70; frame; ");
}

static void other_requests_are_ignored(void **state)
{
	struct test *test = *state;
	struct wl_pointer *pointer = enter(test);
	uint32_t serial = test->enter_serial;
	warp(test, pointer, 60, 70, serial + 1);
	warp(test, pointer, -1, 70, serial); /* outside */
	warp(test, pointer, 60, 100, serial);
	expect_at(test, 10, 10);

	/* Another window covers the point. */
	struct peer_window *cover = peer_window_create(test->peer, 50, 50, 50, 50, 0xffff0000);
	warp(test, pointer, 60, 70, test->enter_serial);
	expect_at(test, 10, 10);
	peer_window_destroy(cover);

	/* A locked pointer stays. */
	struct zwp_pointer_constraints_v1 *constraints =
		peer_bind(test->peer, &zwp_pointer_constraints_v1_interface, 0);
	struct zwp_locked_pointer_v1 *locked =
		zwp_pointer_constraints_v1_lock_pointer(constraints, test->window->surface, pointer,
			NULL, ZWP_POINTER_CONSTRAINTS_V1_LIFETIME_PERSISTENT);
	fixture_pump(test->fixture);
	assert_non_null(seat_of(test)->pointer.constraint);
	warp(test, pointer, 60, 70, test->enter_serial);
	expect_at(test, 10, 10);
	zwp_locked_pointer_v1_destroy(locked);

	/* A confined one stays in its region. */
	struct wl_region *region = wl_compositor_create_region(test->peer->compositor);
	wl_region_add(region, 0, 0, 40, 40);
	zwp_pointer_constraints_v1_confine_pointer(constraints, test->window->surface, pointer,
		region, ZWP_POINTER_CONSTRAINTS_V1_LIFETIME_PERSISTENT);
	fixture_pump(test->fixture);
	warp(test, pointer, 60, 70, test->enter_serial);
	expect_at(test, 10, 10);
	warp(test, pointer, 30, 20, test->enter_serial);
	expect_at(test, 30, 20);
	/* Up to the far edges, which are outside. */
	warp(test, pointer, 39.5, 20, test->enter_serial);
	expect_at(test, 39.5, 20);
	warp(test, pointer, 20, 39.5, test->enter_serial);
	expect_at(test, 20, 39.5);
	warp(test, pointer, 40, 20, test->enter_serial);
	warp(test, pointer, 20, 40, test->enter_serial);
	expect_at(test, 20, 39.5);
}

static void client_without_the_focus_is_ignored(void **state)
{
	struct test *test = *state;
	struct wl_pointer *pointer = enter(test);
	point(test, 300, 200);
	warp(test, pointer, 60, 70, test->enter_serial);
	expect_at(test, 300, 200);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(focused_client_moves_the_pointer),
		TEST(other_requests_are_ignored),
		TEST(client_without_the_focus_is_ignored),
	};
	return cmocka_run_group_tests_name("input/pointer_warp", tests, NULL, NULL);
}
