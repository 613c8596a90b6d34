/* SPDX-License-Identifier: MIT */
/*
 * zwp_pointer_constraints and zwp_relative_pointer: locked and confined pointers, relative motion.
 */

#include "harness/client/input_peer.h"
#include "pointer-constraints-unstable-v1-client-protocol.h"
#include "relative-pointer-unstable-v1-client-protocol.h"
#include "seat/seat.h"
#include "shell/shell.h"
#include "shell/window.h"
#include "wlr-layer-shell-unstable-v1-client-protocol.h"
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

/* Games */

static void handle_layer_configure(void *data, struct zwlr_layer_surface_v1 *layer, uint32_t serial,
	uint32_t width, uint32_t height)
{
	zwlr_layer_surface_v1_ack_configure(layer, serial);
}

static void handle_layer_closed(void *data, struct zwlr_layer_surface_v1 *layer)
{
}

static const struct zwlr_layer_surface_v1_listener layer_listener = {
	.configure = handle_layer_configure,
	.closed = handle_layer_closed,
};

/** Another client's layer surface, at the corner of the output and over the pointer. */
static struct zwlr_layer_surface_v1 *overlay(struct test *test, struct peer *peer, bool keyboard)
{
	struct wl_surface *surface = wl_compositor_create_surface(peer->compositor);
	struct zwlr_layer_shell_v1 *shell = peer_bind(peer, &zwlr_layer_shell_v1_interface, 0);
	struct zwlr_layer_surface_v1 *layer = zwlr_layer_shell_v1_get_layer_surface(
		shell, surface, NULL, ZWLR_LAYER_SHELL_V1_LAYER_OVERLAY, "overlay");
	zwlr_layer_surface_v1_add_listener(layer, &layer_listener, NULL);
	zwlr_layer_surface_v1_set_size(layer, 80, 80);
	zwlr_layer_surface_v1_set_anchor(
		layer, ZWLR_LAYER_SURFACE_V1_ANCHOR_TOP | ZWLR_LAYER_SURFACE_V1_ANCHOR_LEFT);
	zwlr_layer_surface_v1_set_keyboard_interactivity(
		layer, keyboard ? ZWLR_LAYER_SURFACE_V1_KEYBOARD_INTERACTIVITY_EXCLUSIVE
				: ZWLR_LAYER_SURFACE_V1_KEYBOARD_INTERACTIVITY_NONE);
	wl_surface_commit(surface);
	fixture_pump(test->fixture);
	struct peer_buffer *buffer = peer_buffer_create(peer, 80, 80, WL_SHM_FORMAT_ARGB8888);
	peer_buffer_fill(buffer, 0, 0, 80, 80, 0xffffffff);
	peer_surface_show(surface, buffer);
	fixture_settle(test->fixture);
	return layer;
}

/* Locks the pointer at 50, 50 of the window. */
static struct zwp_locked_pointer_v1 *lock_game(struct test *test)
{
	struct wl_pointer *pointer = add_pointer(test, 9);
	struct zwp_pointer_constraints_v1 *constraints =
		peer_bind(test->peer, &zwp_pointer_constraints_v1_interface, 0);
	struct zwp_relative_pointer_manager_v1 *manager =
		peer_bind(test->peer, &zwp_relative_pointer_manager_v1_interface, 0);
	zwp_relative_pointer_v1_add_listener(
		zwp_relative_pointer_manager_v1_get_relative_pointer(manager, pointer),
		&relative_listener, test);
	struct zwp_locked_pointer_v1 *locked =
		lock(test, pointer, constraints, ZWP_POINTER_CONSTRAINTS_V1_LIFETIME_PERSISTENT);
	point(test, 50, 50);
	fixture_settle(test->fixture);
	assert_non_null(strstr(test->notes.text, "locked; "));
	forget(test);
	return locked;
}

/* A notification, or the display of a tool, appears where the pointer is held. */
static void lock_survives_an_overlay(void **state)
{
	struct test *test = *state;
	struct peer *peer = peer_create(test->fixture);
	lock_game(test);
	struct zwlr_layer_surface_v1 *layer = overlay(test, peer, false);
	heard(test, "");
	move(test, 4, -6);
	heard(test, "relative 0.5000007 4 -6 2 -3; frame; ");
	zwlr_layer_surface_v1_destroy(layer);
	fixture_settle(test->fixture);
	heard(test, "");
}

/* A launcher takes the keyboard, and the pointer with it; both return. */
static void lock_returns_after_a_launcher(void **state)
{
	struct test *test = *state;
	struct peer *peer = peer_create(test->fixture);
	lock_game(test);
	struct zwlr_layer_surface_v1 *layer = overlay(test, peer, true);
	heard(test, "unlocked; leave; frame; ");
	move(test, 5, 5);
	heard(test, "");
	zwlr_layer_surface_v1_destroy(layer);
	fixture_settle(test->fixture);
	assert_non_null(strstr(test->notes.text, "enter "));
	assert_non_null(strstr(test->notes.text, "; locked; "));
}

/* Alt+Tab away and back: the pointer is elsewhere by then. */
static void lock_returns_with_the_keyboard(void **state)
{
	struct test *test = *state;
	struct peer *peer = peer_create(test->fixture);
	struct peer_window *other = peer_window_create(peer, 200, 200, 50, 50, GREEN);
	window_focus(peer_window_find(test->window));
	struct zwp_locked_pointer_v1 *locked = lock_game(test);
	window_focus(peer_window_find(other));
	fixture_pump(test->fixture);
	heard(test, "unlocked; ");
	point(test, 220, 220);
	heard(test, "leave; frame; ");
	window_focus(peer_window_find(test->window));
	fixture_pump(test->fixture);
	heard(test, "enter 50 50; frame; locked; ");
	/* A lock that the game ended by itself does not return. */
	window_focus(peer_window_find(other));
	point(test, 220, 220);
	zwp_locked_pointer_v1_destroy(locked);
	fixture_pump(test->fixture);
	forget(test);
	window_focus(peer_window_find(test->window));
	fixture_pump(test->fixture);
	heard(test, "");
}

/* The user leaves the game's output by a key: the pointer goes along. */
static void pointer_leaves_a_game_with_the_output(void **state)
{
	struct test *test = *state;
	struct shell *shell = test->fixture->server->shell;
	lock_game(test);
	headless_add_output(test->fixture->server->backend, 400, 300, 60000);
	fixture_settle(test->fixture);
	forget(test);
	assert_true(shell_run_action(shell, "focus-output", "right"));
	fixture_settle(test->fixture);
	heard(test, "leave; frame; unlocked; ");
	assert_true(seat_of(test)->pointer.at.x == 600 && seat_of(test)->pointer.at.y == 150);
	assert_true(shell_run_action(shell, "focus-output", "left"));
	fixture_settle(test->fixture);
	heard(test, "enter 50 50; frame; locked; ");
}

/* A workspace without the game ends the lock, too. */
static void hidden_game_holds_no_pointer(void **state)
{
	struct test *test = *state;
	struct shell *shell = test->fixture->server->shell;
	lock_game(test);
	shell_switch_workspace(shell, "2");
	fixture_settle(test->fixture);
	heard(test, "leave; frame; unlocked; ");
	shell_switch_workspace(shell, "1");
	fixture_settle(test->fixture);
	heard(test, "enter 50 50; frame; locked; ");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(locked_pointer_gets_only_relative_motion),
		TEST(locked_pointer_stays_while_its_window_moves),
		TEST(oneshot_lock_ends_with_the_focus),
		TEST(confined_pointer_stays_in_its_region),
		TEST(lock_survives_an_overlay),
		TEST(lock_returns_after_a_launcher),
		TEST(lock_returns_with_the_keyboard),
		TEST(pointer_leaves_a_game_with_the_output),
		TEST(hidden_game_holds_no_pointer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
