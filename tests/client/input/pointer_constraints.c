/* SPDX-License-Identifier: MIT */
/*
 * zwp_pointer_constraints and zwp_relative_pointer: locked and confined pointers, relative motion.
 */

#include "harness/client/input_peer.h"
#include "pointer-constraints-unstable-v1-client-protocol.h"
#include "relative-pointer-unstable-v1-client-protocol.h"
#include "seat/seat.h"
#include "shell/window.h"
#include <stdlib.h>
#include <string.h>

#define GREEN 0xff00ff00

static void handle_relative(void *data, struct zwp_relative_pointer_v1 *pointer, uint32_t hi,
	uint32_t lo, wl_fixed_t dx, wl_fixed_t dy, wl_fixed_t dx_unaccel, wl_fixed_t dy_unaccel)
{
	note(data, "relative %u.%u %g %g %g %g; ", hi, lo, wl_fixed_to_double(dx),
		wl_fixed_to_double(dy), wl_fixed_to_double(dx_unaccel),
		wl_fixed_to_double(dy_unaccel));
}

static const struct zwp_relative_pointer_v1_listener relative_listener = {
	.relative_motion = handle_relative,
};

static void handle_locked(void *data, struct zwp_locked_pointer_v1 *locked)
{
	note(data, "locked; ");
}

static void handle_unlocked(void *data, struct zwp_locked_pointer_v1 *locked)
{
	note(data, "unlocked; ");
}

static const struct zwp_locked_pointer_v1_listener locked_listener = {
	.locked = handle_locked,
	.unlocked = handle_unlocked,
};

static void handle_confined(void *data, struct zwp_confined_pointer_v1 *confined)
{
	note(data, "confined; ");
}

static void handle_unconfined(void *data, struct zwp_confined_pointer_v1 *confined)
{
	note(data, "unconfined; ");
}

static const struct zwp_confined_pointer_v1_listener confined_listener = {
	.confined = handle_confined,
	.unconfined = handle_unconfined,
};

static struct zwp_locked_pointer_v1 *lock(struct test *test, struct wl_pointer *pointer,
	struct zwp_pointer_constraints_v1 *constraints, uint32_t lifetime)
{
	struct zwp_locked_pointer_v1 *locked = zwp_pointer_constraints_v1_lock_pointer(
		constraints, test->window->surface, pointer, NULL, lifetime);
	zwp_locked_pointer_v1_add_listener(locked, &locked_listener, test);
	return locked;
}

static void locked_pointer_gets_only_relative_motion(void **state)
{
	struct test *test = *state;
	struct wl_pointer *pointer = add_pointer(test, 9);
	struct zwp_pointer_constraints_v1 *constraints =
		peer_bind(test->peer, &zwp_pointer_constraints_v1_interface, 0);
	struct zwp_relative_pointer_manager_v1 *manager =
		peer_bind(test->peer, &zwp_relative_pointer_manager_v1_interface, 0);
	struct zwp_relative_pointer_v1 *relative =
		zwp_relative_pointer_manager_v1_get_relative_pointer(manager, pointer);
	zwp_relative_pointer_v1_add_listener(relative, &relative_listener, test);
	struct zwp_locked_pointer_v1 *locked =
		lock(test, pointer, constraints, ZWP_POINTER_CONSTRAINTS_V1_LIFETIME_PERSISTENT);
	heard(test, "");
	point(test, 50, 50);
	fixture_pump(test->fixture);
	assert_non_null(strstr(test->notes.text, "locked; "));
	forget(test);
	move(test, 4, -6);
	heard(test, "relative 0.5000007 4 -6 2 -3; frame; ");
	scroll(test, WL_POINTER_AXIS_VERTICAL_SCROLL, 1, 0, -1);
	frame(test);
	heard(test, "direction 0 1; axis 0 1; frame; ");
	/* The position hint is double-buffered, and places the pointer after the lock. */
	zwp_locked_pointer_v1_set_cursor_position_hint(
		locked, wl_fixed_from_int(70), wl_fixed_from_int(80));
	wl_surface_commit(test->window->surface);
	fixture_pump(test->fixture);
	zwp_locked_pointer_v1_set_cursor_position_hint(
		locked, wl_fixed_from_int(1), wl_fixed_from_int(1));
	heard(test, "");
	zwp_locked_pointer_v1_destroy(locked);
	heard(test, "motion 70 80; frame; ");
	move(test, 1, 1);
	heard(test, "motion 71 81; relative 0.5000007 1 1 0.5 0.5; frame; ");
	zwp_relative_pointer_v1_destroy(relative);
	move(test, 1, 1);
	heard(test, "motion 72 82; frame; ");
}

/* The locked pointer keeps its global position while the window moves. */
static void locked_pointer_stays_while_its_window_moves(void **state)
{
	struct test *test = *state;
	struct wl_pointer *pointer = add_pointer(test, 9);
	struct zwp_pointer_constraints_v1 *constraints =
		peer_bind(test->peer, &zwp_pointer_constraints_v1_interface, 0);
	struct zwp_locked_pointer_v1 *locked =
		lock(test, pointer, constraints, ZWP_POINTER_CONSTRAINTS_V1_LIFETIME_PERSISTENT);
	point(test, 50, 50);
	fixture_pump(test->fixture);
	assert_non_null(strstr(test->notes.text, "locked; "));
	forget(test);
	const struct window *window = peer_window_find(test->window);
	peer_window_place(test->window, window->x + 10, window->y + 20);
	fixture_settle(test->fixture);
	heard(test, "");
	/* The pointer stays there after the lock. */
	zwp_locked_pointer_v1_destroy(locked);
	heard(test, "");
	move(test, 1, 1);
	heard(test, "motion 41 31; frame; ");
}

static void oneshot_lock_ends_with_the_focus(void **state)
{
	struct test *test = *state;
	struct wl_pointer *pointer = add_pointer(test, 9);
	struct zwp_pointer_constraints_v1 *constraints =
		peer_bind(test->peer, &zwp_pointer_constraints_v1_interface, 0);
	point(test, 50, 50);
	forget(test);
	struct zwp_locked_pointer_v1 *locked =
		lock(test, pointer, constraints, ZWP_POINTER_CONSTRAINTS_V1_LIFETIME_ONESHOT);
	heard(test, "locked; ");
	/* A one-shot lock is not activated again when the focus returns. */
	struct surface *surface = peer_surface_find(test->peer, test->window->surface);
	struct peer_window *other = peer_window_create(test->peer, 200, 200, 50, 50, GREEN);
	heard(test, "unlocked; ");
	keyboard_set_focus(seat_of(test), surface);
	heard(test, "");
	move(test, 1, 0);
	heard(test, "motion 51 50; frame; ");
	/* Another lock can be created after the first has ended. */
	struct zwp_locked_pointer_v1 *second =
		lock(test, pointer, constraints, ZWP_POINTER_CONSTRAINTS_V1_LIFETIME_PERSISTENT);
	heard(test, "locked; ");
	keyboard_set_focus(seat_of(test), peer_surface_find(test->peer, other->surface));
	heard(test, "unlocked; ");
	keyboard_set_focus(seat_of(test), surface);
	heard(test, "locked; ");
	zwp_locked_pointer_v1_destroy(locked);
	heard(test, "");
	peer_window_destroy(test->window);
	fixture_pump(test->fixture);
	assert_null(seat_of(test)->pointer.constraint);
	zwp_locked_pointer_v1_destroy(second);
	assert_true(peer_alive(test->peer));
}

static void confined_pointer_stays_in_its_region(void **state)
{
	struct test *test = *state;
	struct wl_pointer *pointer = add_pointer(test, 9);
	struct zwp_pointer_constraints_v1 *constraints =
		peer_bind(test->peer, &zwp_pointer_constraints_v1_interface, 0);
	struct wl_region *region = wl_compositor_create_region(test->peer->compositor);
	wl_region_add(region, 20, 20, 30, 30);
	point(test, 10, 10);
	struct zwp_confined_pointer_v1 *confined =
		zwp_pointer_constraints_v1_confine_pointer(constraints, test->window->surface,
			pointer, region, ZWP_POINTER_CONSTRAINTS_V1_LIFETIME_PERSISTENT);
	zwp_confined_pointer_v1_add_listener(confined, &confined_listener, test);
	forget(test);
	/* The constraint is activated when the pointer enters the region. */
	move(test, 5, 5);
	heard(test, "motion 15 15; frame; ");
	move(test, 10, 10);
	fixture_pump(test->fixture);
	assert_non_null(strstr(test->notes.text, "confined; "));
	forget(test);
	move(test, 100, 3);
	heard(test, "motion 49 28; frame; ");
	/* A new region takes effect with the commit, and moves the pointer. */
	struct wl_region *smaller = wl_compositor_create_region(test->peer->compositor);
	wl_region_add(smaller, 20, 20, 10, 10);
	zwp_confined_pointer_v1_set_region(confined, smaller);
	heard(test, "");
	wl_surface_commit(test->window->surface);
	heard(test, "motion 29 28; frame; ");
	/* The remaining region is empty: the constraint ends. */
	struct wl_region *nowhere = wl_compositor_create_region(test->peer->compositor);
	wl_region_add(nowhere, 200, 200, 10, 10);
	zwp_confined_pointer_v1_set_region(confined, nowhere);
	wl_surface_commit(test->window->surface);
	heard(test, "unconfined; ");
	move(test, 40, 0);
	heard(test, "motion 69 28; frame; ");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(locked_pointer_gets_only_relative_motion),
		TEST(locked_pointer_stays_while_its_window_moves),
		TEST(oneshot_lock_ends_with_the_focus),
		TEST(confined_pointer_stays_in_its_region),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
