/* SPDX-License-Identifier: MIT */
/* zwp_tablet_v2: tablets, tools and pads, their events, cursors and errors. */

#include "seat/tablet.h"
#include "cursor-shape-v1-client-protocol.h"
#include "harness/client/tablet_peer.h"
#include "seat/cursor.h"
#include "seat/seat.h"
#include "shell/shell.h"
#include "shell/window.h"
#include "util/log.h"
#include "util/signal.h"
#include <linux/input.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void devices_are_announced_to_each_tablet_seat(void **state)
{
	struct test *test = *state;
	bind_tablets(test, 0);
	assert_int_equal(zwp_tablet_manager_v2_get_version(test->manager), 2);
	heard(test, "tablet; name Tablet; id 56a:26; path /dev/input/event9; bus 3; done; "
		    "pad; path /dev/input/event10; 4 buttons; group; buttons 0 2 3; ring; strip; "
		    "dial; modes 2; done; done; enter; mode 0; ");
	act(test, INPUT_TOOL_IN, 10, 20);
	heard(test, "tool; type 140; serial 1 2; wacom 0 802; can 1; can 2; done; in; at 10 20; "
		    "/ ");
	emit(test, (struct input_tool_event){.tool = &test->eraser}, 10, 20);
	heard(test, "tool; type 141; done; in; at 10 20; / ");
	/* A later tablet seat gets the same. */
	act(test, INPUT_TOOL_OUT, 10, 20);
	forget(test);
	struct zwp_tablet_seat_v2 *second =
		zwp_tablet_manager_v2_get_tablet_seat(test->manager, test->peer->seat);
	zwp_tablet_seat_v2_add_listener(second, &seat_listener, test);
	heard(test, "tablet; name Tablet; id 56a:26; path /dev/input/event9; bus 3; done; "
		    "tool; type 140; serial 1 2; wacom 0 802; can 1; can 2; done; "
		    "tool; type 141; done; "
		    "pad; path /dev/input/event10; 4 buttons; group; buttons 0 2 3; ring; strip; "
		    "dial; modes 2; done; done; ");
}

static void version_1_gets_no_dials_and_no_bus(void **state)
{
	struct test *test = *state;
	bind_tablets(test, 1);
	heard(test, "tablet; name Tablet; id 56a:26; path /dev/input/event9; done; "
		    "pad; path /dev/input/event10; 4 buttons; group; buttons 0 2 3; ring; strip; "
		    "modes 2; done; done; enter; mode 0; ");
}

static void tool_events_carry_all_axes(void **state)
{
	struct test *test = *state;
	come_in(test);
	emit(test,
		(struct input_tool_event){.action = INPUT_TOOL_AXIS,
			.changed = INPUT_TILT | INPUT_PRESSURE | INPUT_DISTANCE | INPUT_ROTATION |
				   INPUT_SLIDER | INPUT_WHEEL,
			.tilt_x = -30,
			.tilt_y = 12.5,
			.pressure = 0.5,
			.distance = 2,
			.rotation = 90,
			.slider = -1,
			.wheel = 15,
			.wheel_clicks = 1},
		11, 20);
	heard(test, "at 11 20; pressure 32768; distance 65535; tilt -30 12.5; rotation 90; "
		    "slider -65535; wheel 15 1; / ");
	act(test, INPUT_TOOL_DOWN, 11, 20);
	emit(test,
		(struct input_tool_event){
			.action = INPUT_TOOL_BUTTON, .button = BTN_STYLUS, .pressed = true},
		11, 20);
	heard(test, "down; / press 14b; / ");
	act(test, INPUT_TOOL_OUT, 11, 20);
	heard(test, "release 14b; up; out; / ");
}

static void pad_events_reach_the_focused_client(void **state)
{
	struct test *test = *state;
	bind_tablets(test, 0);
	forget(test);
	struct input_pad_event event = {.part = INPUT_PAD_BUTTON, .number = 2, .pressed = true};
	signal_emit(&test->pad.events.pad, &event);
	event = (struct input_pad_event){.part = INPUT_PAD_RING, .finger = true, .position = 45};
	signal_emit(&test->pad.events.pad, &event);
	event.position = -1;
	signal_emit(&test->pad.events.pad, &event);
	event = (struct input_pad_event){.part = INPUT_PAD_STRIP, .position = 0.5};
	signal_emit(&test->pad.events.pad, &event);
	event.position = -1;
	signal_emit(&test->pad.events.pad, &event);
	event = (struct input_pad_event){.part = INPUT_PAD_DIAL, .value120 = -30};
	signal_emit(&test->pad.events.pad, &event);
	event = (struct input_pad_event){.part = INPUT_PAD_BUTTON, .mode = 1};
	signal_emit(&test->pad.events.pad, &event);
	heard(test, "press 2; source 1; angle 45; / source 1; stop; / position 32768; / stop; / "
		    "delta -30; / mode 1; release 0; ");
	/* Any feedback is accepted, with any serial. */
	zwp_tablet_pad_v2_set_feedback(test->pad_object, 2, "Undo", test->mode_serial);
	zwp_tablet_pad_v2_set_feedback(test->pad_object, 1, "reserved", test->mode_serial);
	zwp_tablet_pad_v2_set_feedback(test->pad_object, 4000000000, "none", 0);
	zwp_tablet_pad_ring_v2_set_feedback(test->ring_object, "Zoom", test->mode_serial);
	zwp_tablet_pad_strip_v2_set_feedback(test->strip_object, "Scroll", 1);
	zwp_tablet_pad_dial_v2_set_feedback(test->dial_object, "Turn", test->mode_serial);
	assert_true(peer_alive(test->peer));
	/* Events of destroyed parts are dropped, and so are all events of a destroyed pad. */
	zwp_tablet_pad_dial_v2_destroy(test->dial_object);
	zwp_tablet_pad_group_v2_destroy(test->group_object);
	fixture_pump(test->fixture);
	event = (struct input_pad_event){.part = INPUT_PAD_DIAL, .value120 = 120};
	signal_emit(&test->pad.events.pad, &event);
	heard(test, "");
	zwp_tablet_pad_v2_destroy(test->pad_object);
	fixture_pump(test->fixture);
	event = (struct input_pad_event){.part = INPUT_PAD_RING, .position = 1};
	signal_emit(&test->pad.events.pad, &event);
	zwp_tablet_pad_ring_v2_set_feedback(test->ring_object, "Zoom", test->mode_serial);
	zwp_tablet_pad_ring_v2_destroy(test->ring_object);
	zwp_tablet_pad_strip_v2_destroy(test->strip_object);
	heard(test, "");
	assert_true(peer_alive(test->peer));
}

/* Of buttons 0, 2 and 3. The number is the client's: 64 bits hold the buttons of a group. */
static void feedback_is_logged_for_buttons_of_a_group(void **state)
{
	struct test *test = *state;
	bind_tablets(test, 0);
	forget(test);
	int ends[2], saved = dup(STDERR_FILENO);
	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], STDERR_FILENO);
	close(ends[1]);
	assert_null(log_set_scopes("seat"));
	const uint32_t buttons[] = {0, 1, 3, 4, 63, 64, 66, UINT32_MAX};
	for (size_t i = 0; i < sizeof(buttons) / sizeof(buttons[0]); i++) {
		zwp_tablet_pad_v2_set_feedback(
			test->pad_object, buttons[i], "Undo", test->mode_serial);
	}
	/* The serial of another mode. */
	zwp_tablet_pad_v2_set_feedback(test->pad_object, 2, "Undo", test->mode_serial + 1);
	fixture_pump(test->fixture);
	assert_null(log_set_scopes(""));
	dup2(saved, STDERR_FILENO);
	close(saved);
	FILE *log = fdopen(ends[0], "r");
	char line[200];
	int n = 0;
	const char *expected[] = {"button 0 is 'Undo'\n", "button 3 is 'Undo'\n"};
	while (fgets(line, sizeof(line), log)) {
		const char *is = strstr(line, "button ");
		if (is) {
			assert_in_range(n, 0, 1);
			assert_string_equal(is, expected[n++]);
		}
	}
	fclose(log);
	assert_int_equal(n, 2);
}

static void unplugging_ends_the_tool_and_removes_its_objects(void **state)
{
	struct test *test = *state;
	come_in(test);
	act(test, INPUT_TOOL_DOWN, 10, 20);
	forget(test);
	unplug(test);
	heard(test, "leave; pad goes; up; out; / tablet goes; ");
	signal_emit(&test->pen.events.destroy, &test->pen);
	heard(test, "tool goes; ");
	/* The remaining objects are inert. */
	struct wl_surface *surface = wl_compositor_create_surface(test->peer->compositor);
	zwp_tablet_tool_v2_set_cursor(test->tool_object, test->serial, surface, 0, 0);
	zwp_tablet_pad_v2_set_feedback(test->pad_object, 0, "x", test->mode_serial);
	assert_true(peer_alive(test->peer));
	plug_in(test);
	heard(test, "tablet; name Tablet; id 56a:26; path /dev/input/event9; bus 3; done; "
		    "pad; path /dev/input/event10; 4 buttons; group; buttons 0 2 3; ring; strip; "
		    "dial; modes 2; done; done; enter; mode 0; ");
	zwp_tablet_tool_v2_destroy(test->tool_object);
	assert_true(peer_alive(test->peer));
}

/* Without its tablet or tool object, the client gets pointer events. */
static void client_without_tablet_objects_gets_pointer_events(void **state)
{
	struct test *test = *state;
	struct seat *seat = test->fixture->server->seat;
	come_in(test);
	zwp_tablet_v2_destroy(test->tablet_object);
	fixture_pump(test->fixture);
	act(test, INPUT_TOOL_AXIS, 12, 20);
	heard(test, "out; / ");
	assert_ptr_equal(seat->pointer.focus, peer_surface_find(test->peer, test->window->surface));
	assert_true(seat->pointer.at.x == 12);
	zwp_tablet_tool_v2_destroy(test->tool_object);
	zwp_tablet_seat_v2_destroy(test->seat);
	zwp_tablet_manager_v2_destroy(test->manager);
	fixture_pump(test->fixture);
	emit(test, (struct input_tool_event){.tool = &test->eraser}, 14, 20);
	act(test, INPUT_TOOL_OUT, 14, 20);
	heard(test, "");
	assert_true(peer_alive(test->peer));
}

static struct seat_tool *seat_tool(struct test *test)
{
	struct seat_tablets *tablets = &test->fixture->server->seat->tablets;
	return wl_container_of(tablets->tools.next, (struct seat_tool *)NULL, link);
}

static void tool_cursor_needs_the_serial_of_proximity(void **state)
{
	struct test *test = *state;
	come_in(test);
	struct cursor *cursor = &seat_tool(test)->cursor;
	assert_true(cursor->visible);
	assert_string_equal(cursor->shape, "default");
	struct wl_surface *surface = wl_compositor_create_surface(test->peer->compositor);
	/* Another serial than that of the proximity_in event. */
	zwp_tablet_tool_v2_set_cursor(test->tool_object, test->serial + 1, surface, 1, 1);
	fixture_pump(test->fixture);
	assert_null(cursor->surface);
	zwp_tablet_tool_v2_set_cursor(test->tool_object, test->serial, surface, 1, 2);
	fixture_pump(test->fixture);
	assert_non_null(cursor->surface);
	assert_int_equal(cursor->hotspot_x, 1);
	assert_int_equal(cursor->hotspot_y, 2);
	zwp_tablet_tool_v2_set_cursor(test->tool_object, test->serial, surface, 3, 3);
	zwp_tablet_tool_v2_set_cursor(test->tool_object, test->serial, NULL, 0, 0);
	fixture_pump(test->fixture);
	assert_null(cursor->surface);
	assert_null(cursor->shape);

	struct wp_cursor_shape_manager_v1 *shapes =
		peer_bind(test->peer, &wp_cursor_shape_manager_v1_interface, 0);
	struct wp_cursor_shape_device_v1 *shape =
		wp_cursor_shape_manager_v1_get_tablet_tool_v2(shapes, test->tool_object);
	wp_cursor_shape_device_v1_set_shape(
		shape, test->serial + 1, WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_TEXT);
	fixture_pump(test->fixture);
	assert_null(cursor->shape);
	wp_cursor_shape_device_v1_set_shape(
		shape, test->serial, WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_TEXT);
	fixture_pump(test->fixture);
	assert_string_equal(cursor->shape, "text");
	/* The pointer's cursor is a separate one. */
	assert_string_equal(test->fixture->server->seat->cursor.shape, "default");
	/* Out of proximity, the tool cannot set a cursor. */
	act(test, INPUT_TOOL_OUT, 10, 20);
	assert_false(cursor->visible);
	zwp_tablet_tool_v2_set_cursor(test->tool_object, test->serial, surface, 0, 0);
	zwp_tablet_tool_v2_destroy(test->tool_object);
	wp_cursor_shape_device_v1_set_shape(
		shape, test->serial, WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_MOVE);
	fixture_pump(test->fixture);
	assert_string_equal(cursor->shape, "text");
	assert_true(peer_alive(test->peer));
}

static void toplevel_as_tool_cursor_is_an_error(void **state)
{
	struct test *test = *state;
	come_in(test);
	zwp_tablet_tool_v2_set_cursor(test->tool_object, test->serial, test->window->surface, 0, 0);
	peer_expect_error(test->peer, &zwp_tablet_tool_v2_interface, ZWP_TABLET_TOOL_V2_ERROR_ROLE);
}

static void pointer_cursor_as_tool_cursor_is_an_error(void **state)
{
	struct test *test = *state;
	come_in(test);
	struct wl_pointer *pointer = wl_seat_get_pointer(test->peer->seat);
	struct wl_surface *surface = wl_compositor_create_surface(test->peer->compositor);
	wl_pointer_set_cursor(pointer, 0, surface, 0, 0);
	zwp_tablet_tool_v2_set_cursor(test->tool_object, test->serial, surface, 0, 0);
	peer_expect_error(test->peer, &zwp_tablet_tool_v2_interface, ZWP_TABLET_TOOL_V2_ERROR_ROLE);
}

static void tool_cursor_as_pointer_cursor_is_an_error(void **state)
{
	struct test *test = *state;
	come_in(test);
	struct wl_pointer *pointer = wl_seat_get_pointer(test->peer->seat);
	struct wl_surface *surface = wl_compositor_create_surface(test->peer->compositor);
	zwp_tablet_tool_v2_set_cursor(test->tool_object, test->serial, surface, 0, 0);
	wl_pointer_set_cursor(pointer, 0, surface, 0, 0);
	peer_expect_error(test->peer, &wl_pointer_interface, WL_POINTER_ERROR_ROLE);
}

static void cursor_of_another_tool_is_an_error(void **state)
{
	struct test *test = *state;
	come_in(test);
	struct zwp_tablet_tool_v2 *first = test->tool_object;
	emit(test, (struct input_tool_event){.tool = &test->eraser}, 14, 20);
	struct wl_surface *surface = wl_compositor_create_surface(test->peer->compositor);
	zwp_tablet_tool_v2_set_cursor(first, 0, surface, 0, 0);
	assert_true(peer_alive(test->peer));
	zwp_tablet_tool_v2_set_cursor(test->tool_object, 0, surface, 0, 0);
	peer_expect_error(test->peer, &zwp_tablet_tool_v2_interface, ZWP_TABLET_TOOL_V2_ERROR_ROLE);
}

/* A cursor surface has no role object that must be destroyed first. */
static void cursor_surface_can_be_destroyed(void **state)
{
	struct test *test = *state;
	come_in(test);
	struct wl_surface *surface = wl_compositor_create_surface(test->peer->compositor);
	zwp_tablet_tool_v2_set_cursor(test->tool_object, test->serial, surface, 1, 2);
	fixture_pump(test->fixture);
	assert_non_null(seat_tool(test)->cursor.surface);
	wl_surface_destroy(surface);
	assert_true(peer_alive(test->peer));
	assert_null(seat_tool(test)->cursor.surface);
}

/* The pen moves its window, like a mouse. */
static void pen_moves_its_window(void **state)
{
	struct test *test = *state;
	come_in(test);
	act(test, INPUT_TOOL_DOWN, 10, 20);
	uint32_t serial = seat_tool(test)->press_serial;
	xdg_toplevel_move(test->window->toplevel, test->peer->seat, serial);
	heard(test, "down; / up; out; / ");
	act(test, INPUT_TOOL_AXIS, 40, 25);
	struct window *window = peer_window_find(test->window);
	assert_int_equal(window->x, 30);
	assert_int_equal(window->y, 5);
	act(test, INPUT_TOOL_UP, 40, 25);
	act(test, INPUT_TOOL_AXIS, 60, 25);
	assert_int_equal(window->x, 30);
	heard(test, "in; at 10 20; / at 30 20; / ");
}

static void lock_hides_the_tablet_from_the_session(void **state)
{
	struct test *test = *state;
	struct shell *shell = test->fixture->server->shell;
	come_in(test);
	act(test, INPUT_TOOL_DOWN, 10, 20);
	forget(test);
	shell_lock(shell);
	heard(test, "up; out; / leave; ");
	act(test, INPUT_TOOL_AXIS, 30, 20);
	act(test, INPUT_TOOL_UP, 30, 20);
	act(test, INPUT_TOOL_DOWN, 30, 20);
	act(test, INPUT_TOOL_OUT, 30, 20);
	act(test, INPUT_TOOL_IN, 30, 20);
	struct input_pad_event event = {.part = INPUT_PAD_BUTTON, .mode = 1};
	signal_emit(&test->pad.events.pad, &event);
	heard(test, "");
	assert_null(test->fixture->server->seat->pointer.focus);
	shell_unlock(shell);
	act(test, INPUT_TOOL_AXIS, 31, 20);
	heard(test, "enter; mode 1; in; at 31 20; / ");
}

static void client_can_crash_with_a_tool_down(void **state)
{
	struct test *test = *state;
	come_in(test);
	act(test, INPUT_TOOL_DOWN, 10, 20);
	peer_destroy(test->peer);
	act(test, INPUT_TOOL_AXIS, 12, 20);
	act(test, INPUT_TOOL_UP, 12, 20);
	assert_null(seat_tool(test)->focus);
	struct peer *other = peer_create(test->fixture);
	assert_true(peer_alive(other));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(devices_are_announced_to_each_tablet_seat),
		TEST(version_1_gets_no_dials_and_no_bus),
		TEST(tool_events_carry_all_axes),
		TEST(pad_events_reach_the_focused_client),
		TEST(feedback_is_logged_for_buttons_of_a_group),
		TEST(unplugging_ends_the_tool_and_removes_its_objects),
		TEST(client_without_tablet_objects_gets_pointer_events),
		TEST(tool_cursor_needs_the_serial_of_proximity),
		TEST(toplevel_as_tool_cursor_is_an_error),
		TEST(pointer_cursor_as_tool_cursor_is_an_error),
		TEST(tool_cursor_as_pointer_cursor_is_an_error),
		TEST(cursor_of_another_tool_is_an_error),
		TEST(cursor_surface_can_be_destroyed),
		TEST(pen_moves_its_window),
		TEST(lock_hides_the_tablet_from_the_session),
		TEST(client_can_crash_with_a_tool_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
