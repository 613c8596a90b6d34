/* SPDX-License-Identifier: MIT */
/* wl_seat: events by version of wl_pointer, late objects, cursors, touch. */

#include "cursor-shape-v1-client-protocol.h"
#include "harness/client/input_peer.h"
#include "seat/cursor.h"
#include "seat/seat.h"
#include "shell/shell.h"
#include "surface/surface.h"
#include <linux/input-event-codes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GREEN 0xff00ff00

/* Versions of wl_pointer */

static void version_9_gets_directions_and_value120(void **state)
{
	struct test *test = *state;
	add_pointer(test, 9);
	point(test, 10, 10);
	forget(test);
	scroll(test, WL_POINTER_AXIS_VERTICAL_SCROLL, 5, 40, WL_POINTER_AXIS_SOURCE_WHEEL);
	scroll(test, WL_POINTER_AXIS_HORIZONTAL_SCROLL, -15, -120, WL_POINTER_AXIS_SOURCE_WHEEL);
	frame(test);
	heard(test, "source 0; direction 0 1; v120 0 40; axis 0 5; direction 1 1; v120 1 -120; "
		    "axis 1 -15; frame; ");
	scroll(test, WL_POINTER_AXIS_VERTICAL_SCROLL, 0, 0, WL_POINTER_AXIS_SOURCE_FINGER);
	frame(test);
	heard(test, "source 1; stop 0; frame; ");
	scroll(test, WL_POINTER_AXIS_VERTICAL_SCROLL, 1, 0, -1);
	frame(test);
	heard(test, "direction 0 1; axis 0 1; frame; ");
}

static void version_8_gets_value120(void **state)
{
	struct test *test = *state;
	add_pointer(test, 8);
	point(test, 10, 10);
	forget(test);
	scroll(test, WL_POINTER_AXIS_VERTICAL_SCROLL, 5, 40, WL_POINTER_AXIS_SOURCE_WHEEL);
	frame(test);
	heard(test, "source 0; v120 0 40; axis 0 5; frame; ");
}

/* Whole detents only: fractions accumulate, separately for each direction. */
static void version_7_gets_whole_detents(void **state)
{
	struct test *test = *state;
	add_pointer(test, 7);
	point(test, 10, 10);
	forget(test);
	for (int i = 0; i < 2; i++) {
		scroll(test, WL_POINTER_AXIS_VERTICAL_SCROLL, 5, 40, WL_POINTER_AXIS_SOURCE_WHEEL);
		frame(test);
	}
	forget(test);
	scroll(test, WL_POINTER_AXIS_VERTICAL_SCROLL, 5, 40, WL_POINTER_AXIS_SOURCE_WHEEL);
	frame(test);
	heard(test, "source 0; steps 0 1; axis 0 15; frame; ");
	scroll(test, WL_POINTER_AXIS_VERTICAL_SCROLL, 10, 80, WL_POINTER_AXIS_SOURCE_WHEEL);
	scroll(test, WL_POINTER_AXIS_VERTICAL_SCROLL, -10, -80, WL_POINTER_AXIS_SOURCE_WHEEL);
	frame(test);
	forget(test);
	scroll(test, WL_POINTER_AXIS_VERTICAL_SCROLL, -30, -240, WL_POINTER_AXIS_SOURCE_WHEEL);
	frame(test);
	heard(test, "source 0; steps 0 -2; axis 0 -40; frame; ");
	/* Only wheels have detents. */
	scroll(test, WL_POINTER_AXIS_HORIZONTAL_SCROLL, 3, 0, WL_POINTER_AXIS_SOURCE_FINGER);
	frame(test);
	heard(test, "source 1; axis 1 3; frame; ");
	scroll(test, WL_POINTER_AXIS_HORIZONTAL_SCROLL, 15, 120, WL_POINTER_AXIS_SOURCE_WHEEL_TILT);
	frame(test);
	heard(test, "source 3; steps 1 1; axis 1 15; frame; ");
}

static void version_5_gets_no_tilt_source(void **state)
{
	struct test *test = *state;
	add_pointer(test, 5);
	point(test, 10, 10);
	forget(test);
	scroll(test, WL_POINTER_AXIS_HORIZONTAL_SCROLL, 15, 120, WL_POINTER_AXIS_SOURCE_WHEEL_TILT);
	frame(test);
	/* Version 5 has no source for tilting wheels. */
	heard(test, "steps 1 1; axis 1 15; frame; ");
}

static void version_4_gets_plain_axes(void **state)
{
	struct test *test = *state;
	add_pointer(test, 4);
	point(test, 10, 10);
	heard(test, "enter 10 10; ");
	scroll(test, WL_POINTER_AXIS_VERTICAL_SCROLL, 15, 120, WL_POINTER_AXIS_SOURCE_WHEEL);
	scroll(test, WL_POINTER_AXIS_HORIZONTAL_SCROLL, 0, 0, WL_POINTER_AXIS_SOURCE_FINGER);
	frame(test);
	heard(test, "axis 0 15; ");
}

/* Late objects */

static void late_pointer_gets_an_enter_event(void **state)
{
	struct test *test = *state;
	point(test, 10, 10);
	struct wl_pointer *first = add_pointer(test, 9);
	heard(test, "enter 10 10; frame; ");
	uint32_t serial = test->enter_serial;
	add_pointer(test, 5);
	heard(test, "enter 10 10; frame; ");
	assert_int_equal(test->enter_serial, serial);
	wl_pointer_release(first);
	point(test, 11, 10);
	heard(test, "motion 11 10; frame; ");
	point(test, 300, 200);
	heard(test, "leave; frame; ");
	add_pointer(test, 9);
	heard(test, "");
}

static void late_keyboard_gets_keys_and_modifiers(void **state)
{
	struct test *test = *state;
	key(test, KEY_LEFTSHIFT, true);
	key(test, KEY_A, true);
	add_keyboard(test, 9);
	heard(test, "keymap; repeat 25 600; keys 42 30; mods 1 0 0 0; ");
	assert_string_equal(test->keymap, seat_of(test)->keyboard.keymap_string);
	key(test, KEY_A, false);
	key(test, KEY_LEFTSHIFT, false);
	heard(test, "up 30; up 42; mods 0 0 0 0; ");
	struct wl_keyboard *old = add_keyboard(test, 3);
	heard(test, "keymap; keys; mods 0 0 0 0; ");
	wl_keyboard_release(old);
	key(test, KEY_CAPSLOCK, true);
	key(test, KEY_CAPSLOCK, false);
	heard(test, "down 58; mods 2 0 2 0; up 58; mods 0 0 2 0; ");
}

/* A client that gets a keymap starts with no modifiers. */
static void repeat_is_changed_without_a_keymap(void **state)
{
	struct test *test = *state;
	struct wl_keyboard *old = add_keyboard(test, 3);
	add_keyboard(test, 9);
	key(test, KEY_CAPSLOCK, true);
	key(test, KEY_CAPSLOCK, false);
	forget(test);
	seat_set_repeat(seat_of(test), 30, 500);
	heard(test, "repeat 30 500; ");
	wl_keyboard_release(old);
}

static void pointer_enters_again_with_a_new_device(void **state)
{
	struct test *test = *state;
	add_pointer(test, 9);
	point(test, 10, 10);
	forget(test);
	headless_remove_input(test->pointer);
	heard(test, "leave; frame; ");
	/* A capability that the seat once had can still be bound. */
	add_pointer(test, 9);
	heard(test, "");
	struct backend *backend = test->fixture->server->backend;
	test->pointer = headless_add_input(backend, INPUT_POINTER, "again");
	heard(test, "enter 10 10; enter 10 10; frame; frame; ");
}

/* Cursors */

static void cursor_surface_needs_the_enter_serial(void **state)
{
	struct test *test = *state;
	struct cursor *cursor = &seat_of(test)->cursor;
	struct wl_pointer *pointer = add_pointer(test, 9);
	struct wl_surface *surface = wl_compositor_create_surface(test->peer->compositor);
	struct peer_buffer *buffer = peer_buffer_create(test->peer, 10, 10, WL_SHM_FORMAT_XRGB8888);
	peer_buffer_fill(buffer, 0, 0, 10, 10, GREEN);
	point(test, 50, 50);
	/* A stale serial has no effect, and gives the surface no role. */
	wl_pointer_set_cursor(pointer, test->enter_serial - 1, surface, 5, 5);
	fixture_pump(test->fixture);
	assert_null(cursor->surface);
	wl_pointer_set_cursor(pointer, test->enter_serial, surface, 5, 5);
	peer_surface_show(surface, buffer);
	fixture_settle(test->fixture);
	assert_int_equal(fixture_pixel(test->fixture, 45, 45), 0x00ff00);
	assert_int_equal(fixture_pixel(test->fixture, 54, 54), 0x00ff00);
	assert_int_equal(fixture_pixel(test->fixture, 55, 55), 0x336699);
	/* An offset moves the image, and the hotspot the other way. */
	wl_surface_offset(surface, 10, 0);
	wl_surface_commit(surface);
	fixture_settle(test->fixture);
	assert_int_equal(fixture_pixel(test->fixture, 45, 45), 0x336699);
	assert_int_equal(fixture_pixel(test->fixture, 55, 45), 0x00ff00);
	wl_pointer_set_cursor(pointer, test->enter_serial, NULL, 0, 0);
	fixture_settle(test->fixture);
	assert_int_equal(fixture_pixel(test->fixture, 55, 45), 0x336699);
	/* The cursor surface takes no input and can be destroyed. */
	wl_pointer_set_cursor(pointer, test->enter_serial, surface, 0, 0);
	forget(test);
	point(test, 60, 60);
	heard(test, "motion 60 60; frame; ");
	wl_surface_destroy(surface);
	point(test, 61, 60);
	assert_null(cursor->surface);
	/* A client without the focus cannot set the cursor. */
	point(test, 300, 200);
	wl_pointer_set_cursor(pointer, test->enter_serial, NULL, 0, 0);
	fixture_pump(test->fixture);
	assert_string_equal(cursor->shape, "default");
}

/*
 * When a lost device takes the cursor's content along, the default cursor is shown and the client
 * is asked for its own.
 */
static void lost_cursor_is_requested_again(void **state)
{
	struct test *test = *state;
	struct shell *shell = test->fixture->server->shell;
	struct cursor *cursor = &seat_of(test)->cursor;
	struct wl_pointer *pointer = add_pointer(test, 9);
	struct wl_surface *surface = wl_compositor_create_surface(test->peer->compositor);
	struct peer_buffer *buffer = peer_buffer_create(test->peer, 10, 10, WL_SHM_FORMAT_XRGB8888);
	point(test, 50, 50);
	wl_pointer_set_cursor(pointer, test->enter_serial, surface, 5, 5);
	peer_surface_show(surface, buffer);
	fixture_settle(test->fixture);
	forget(test);
	shell_redraw(shell, true);
	heard(test, "");
	assert_non_null(cursor->surface);
	surface_release_buffer(peer_surface_find(test->peer, surface));
	shell_redraw(shell, true);
	heard(test, "leave; frame; enter 50 50; frame; ");
	assert_string_equal(cursor->shape, "default");
	wl_pointer_set_cursor(pointer, test->enter_serial, surface, 5, 5);
	fixture_pump(test->fixture);
	assert_non_null(cursor->surface);
}

static void cursor_shape_needs_the_enter_serial(void **state)
{
	struct test *test = *state;
	struct cursor *cursor = &seat_of(test)->cursor;
	struct wl_pointer *pointer = add_pointer(test, 9);
	struct wp_cursor_shape_manager_v1 *manager =
		peer_bind(test->peer, &wp_cursor_shape_manager_v1_interface, 0);
	struct wp_cursor_shape_device_v1 *device =
		wp_cursor_shape_manager_v1_get_pointer(manager, pointer);
	point(test, 50, 50);
	wp_cursor_shape_device_v1_set_shape(
		device, test->enter_serial + 1, WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_TEXT);
	fixture_pump(test->fixture);
	assert_string_equal(cursor->shape, "default");
	wp_cursor_shape_device_v1_set_shape(
		device, test->enter_serial, WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_ZOOM_IN);
	fixture_pump(test->fixture);
	assert_string_equal(cursor->shape, "zoom-in");
	wl_pointer_set_cursor(pointer, test->enter_serial, NULL, 0, 0);
	fixture_pump(test->fixture);
	assert_null(cursor->shape);
	wp_cursor_shape_device_v1_set_shape(
		device, test->enter_serial, WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_TEXT);
	fixture_pump(test->fixture);
	assert_string_equal(cursor->shape, "text");
	wl_pointer_release(pointer);
	wp_cursor_shape_device_v1_set_shape(
		device, test->enter_serial, WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_MOVE);
	fixture_pump(test->fixture);
	assert_string_equal(cursor->shape, "text");
	assert_true(peer_alive(test->peer));
}

/* Touch */

static void handle_down(void *data, struct wl_touch *touch, uint32_t serial, uint32_t time,
	struct wl_surface *surface, int32_t id, wl_fixed_t x, wl_fixed_t y)
{
	note(data, "touch %d %g %g; ", id, wl_fixed_to_double(x), wl_fixed_to_double(y));
}

static void handle_up(
	void *data, struct wl_touch *touch, uint32_t serial, uint32_t time, int32_t id)
{
	note(data, "lift %d; ", id);
}

static void handle_slide(
	void *data, struct wl_touch *touch, uint32_t time, int32_t id, wl_fixed_t x, wl_fixed_t y)
{
	note(data, "slide %d %g %g; ", id, wl_fixed_to_double(x), wl_fixed_to_double(y));
}

static void handle_touch_frame(void *data, struct wl_touch *touch)
{
	note(data, "frame; ");
}

static void handle_touch_cancel(void *data, struct wl_touch *touch)
{
	note(data, "cancel; ");
}

static void handle_shape(
	void *data, struct wl_touch *touch, int32_t id, wl_fixed_t major, wl_fixed_t minor)
{
}

static void handle_orientation(
	void *data, struct wl_touch *touch, int32_t id, wl_fixed_t orientation)
{
}

static const struct wl_touch_listener touch_listener = {
	.down = handle_down,
	.up = handle_up,
	.motion = handle_slide,
	.frame = handle_touch_frame,
	.cancel = handle_touch_cancel,
	.shape = handle_shape,
	.orientation = handle_orientation,
};

static void emit_touch(struct test *test, struct wl_signal *signal, double x, double y)
{
	struct input_touch_event event = {.id = 17, .x = x / 400, .y = y / 300};
	signal_emit(signal, &event);
	signal_emit(&test->touch->events.touch_frame, NULL);
	fixture_pump(test->fixture);
}

static void touch_sequences_reach_the_touched_surface(void **state)
{
	struct test *test = *state;
	struct wl_touch *touch = wl_seat_get_touch(test->peer->seat);
	wl_touch_add_listener(touch, &touch_listener, test);
	fixture_pump(test->fixture);
	emit_touch(test, &test->touch->events.touch_down, 10, 20);
	emit_touch(test, &test->touch->events.touch_motion, 300, 250);
	emit_touch(test, &test->touch->events.touch_up, 0, 0);
	heard(test, "touch 0 10 20; frame; slide 0 300 250; frame; lift 0; frame; ");
	emit_touch(test, &test->touch->events.touch_down, 10, 20);
	emit_touch(test, &test->touch->events.touch_cancel, 0, 0);
	heard(test, "touch 0 10 20; frame; cancel; ");
	emit_touch(test, &test->touch->events.touch_down, 10, 20);
	forget(test);
	peer_window_destroy(test->window);
	heard(test, "lift 0; frame; ");
}

static void handle_capabilities(void *data, struct wl_seat *seat, uint32_t capabilities)
{
	note(data, "can %u; ", capabilities);
}

static void handle_name(void *data, struct wl_seat *seat, const char *name)
{
	note(data, "name %s; ", name);
}

static const struct wl_seat_listener seat_listener = {
	.capabilities = handle_capabilities,
	.name = handle_name,
};

static void seat_is_described(void **state)
{
	struct test *test = *state;
	const char *expected[] = {"can 7; ", "name seat0; can 7; ", "name seat0; can 7; "};
	const uint32_t versions[] = {1, WL_SEAT_NAME_SINCE_VERSION, 9};
	for (int i = 0; i < 3; i++) {
		struct wl_seat *seat = peer_bind(test->peer, &wl_seat_interface, versions[i]);
		wl_seat_add_listener(seat, &seat_listener, test);
		heard(test, expected[i]);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(seat_is_described),
		TEST(version_9_gets_directions_and_value120),
		TEST(version_8_gets_value120),
		TEST(version_7_gets_whole_detents),
		TEST(version_5_gets_no_tilt_source),
		TEST(version_4_gets_plain_axes),
		TEST(late_pointer_gets_an_enter_event),
		TEST(late_keyboard_gets_keys_and_modifiers),
		TEST(repeat_is_changed_without_a_keymap),
		TEST(pointer_enters_again_with_a_new_device),
		TEST(cursor_surface_needs_the_enter_serial),
		TEST(lost_cursor_is_requested_again),
		TEST(cursor_shape_needs_the_enter_serial),
		TEST(touch_sequences_reach_the_touched_surface),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
