/*
 * Input as clients hear of it: what each version of wl_pointer gets, objects made late, cursors,
 * held pointers, and devices that clients play.
 */

#include "backend/headless.h"
#include "cursor-shape-v1-client-protocol.h"
#include "harness/peer.h"
#include "pointer-constraints-unstable-v1-client-protocol.h"
#include "relative-pointer-unstable-v1-client-protocol.h"
#include "util/signal.h"
#include "virtual-keyboard-unstable-v1-client-protocol.h"
#include "wlr-virtual-pointer-unstable-v1-client-protocol.h"
#include <linux/input-event-codes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define GREEN 0xff00ff00

struct test {
	struct fixture *fixture;
	struct input_device *pointer, *keyboard, *touch;
	struct peer *peer;
	struct peer_window *window; /* 100x100 at 0, 0 */
	char log[4096];
	uint32_t enter_serial;
	char *keymap; /* as sent last */
};

__attribute__((format(printf, 2, 3))) static void note(struct test *test, const char *format, ...)
{
	size_t length = strlen(test->log);
	va_list args;
	va_start(args, format);
	vsnprintf(test->log + length, sizeof(test->log) - length, format, args);
	va_end(args);
}

#define heard(test, expected) heard_at(test, expected, __LINE__)

static void heard_at(struct test *test, const char *expected, int line)
{
	fixture_pump(test->fixture);
	if (strcmp(test->log, expected) != 0) {
		print_error("expected \"%s\"\n   heard \"%s\"\n", expected, test->log);
		_fail(__FILE__, line);
	}
	test->log[0] = '\0';
}

static void forget(struct test *test)
{
	fixture_pump(test->fixture);
	test->log[0] = '\0';
}

/* wl_pointer */

static void handle_enter(void *data, struct wl_pointer *pointer, uint32_t serial,
	struct wl_surface *surface, wl_fixed_t x, wl_fixed_t y)
{
	struct test *test = data;
	test->enter_serial = serial;
	note(test, "enter %g %g; ", wl_fixed_to_double(x), wl_fixed_to_double(y));
}

static void handle_leave(
	void *data, struct wl_pointer *pointer, uint32_t serial, struct wl_surface *surface)
{
	note(data, "leave; ");
}

static void handle_motion(
	void *data, struct wl_pointer *pointer, uint32_t time, wl_fixed_t x, wl_fixed_t y)
{
	note(data, "motion %g %g; ", wl_fixed_to_double(x), wl_fixed_to_double(y));
}

static void handle_button(void *data, struct wl_pointer *pointer, uint32_t serial, uint32_t time,
	uint32_t button, uint32_t state)
{
	note(data, "%s %x; ", state ? "press" : "release", button);
}

static void handle_axis(
	void *data, struct wl_pointer *pointer, uint32_t time, uint32_t axis, wl_fixed_t value)
{
	note(data, "axis %u %g; ", axis, wl_fixed_to_double(value));
}

static void handle_frame(void *data, struct wl_pointer *pointer)
{
	note(data, "frame; ");
}

static void handle_source(void *data, struct wl_pointer *pointer, uint32_t source)
{
	note(data, "source %u; ", source);
}

static void handle_stop(void *data, struct wl_pointer *pointer, uint32_t time, uint32_t axis)
{
	note(data, "stop %u; ", axis);
}

static void handle_discrete(void *data, struct wl_pointer *pointer, uint32_t axis, int32_t steps)
{
	note(data, "steps %u %d; ", axis, steps);
}

static void handle_value120(void *data, struct wl_pointer *pointer, uint32_t axis, int32_t value)
{
	note(data, "v120 %u %d; ", axis, value);
}

static void handle_direction(
	void *data, struct wl_pointer *pointer, uint32_t axis, uint32_t direction)
{
	note(data, "direction %u %u; ", axis, direction);
}

static const struct wl_pointer_listener pointer_listener = {
	.enter = handle_enter,
	.leave = handle_leave,
	.motion = handle_motion,
	.button = handle_button,
	.axis = handle_axis,
	.frame = handle_frame,
	.axis_source = handle_source,
	.axis_stop = handle_stop,
	.axis_discrete = handle_discrete,
	.axis_value120 = handle_value120,
	.axis_relative_direction = handle_direction,
};

static struct wl_pointer *add_pointer(struct test *test, uint32_t version)
{
	struct wl_seat *seat = peer_bind(test->peer, &wl_seat_interface, version);
	struct wl_pointer *pointer = wl_seat_get_pointer(seat);
	wl_pointer_add_listener(pointer, &pointer_listener, test);
	return pointer;
}

/* wl_keyboard */

static void handle_keymap(
	void *data, struct wl_keyboard *keyboard, uint32_t format, int32_t fd, uint32_t size)
{
	struct test *test = data;
	assert_int_equal(format, WL_KEYBOARD_KEYMAP_FORMAT_XKB_V1);
	char *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	assert_int_equal(map[size - 1], '\0');
	free(test->keymap);
	test->keymap = strdup(map);
	munmap(map, size);
	close(fd);
	note(test, "keymap; ");
}

static void handle_keys(void *data, struct wl_keyboard *keyboard, uint32_t serial,
	struct wl_surface *surface, struct wl_array *keys)
{
	uint32_t *key;
	note(data, "keys");
	wl_array_for_each (key, keys) {
		note(data, " %u", *key);
	}
	note(data, "; ");
}

static void handle_no_keys(
	void *data, struct wl_keyboard *keyboard, uint32_t serial, struct wl_surface *surface)
{
	note(data, "no keys; ");
}

static void handle_key(void *data, struct wl_keyboard *keyboard, uint32_t serial, uint32_t time,
	uint32_t key, uint32_t state)
{
	note(data, "%s %u; ", state ? "down" : "up", key);
}

static void handle_modifiers(void *data, struct wl_keyboard *keyboard, uint32_t serial,
	uint32_t depressed, uint32_t latched, uint32_t locked, uint32_t group)
{
	note(data, "mods %x %x %x %u; ", depressed, latched, locked, group);
}

static void handle_repeat(void *data, struct wl_keyboard *keyboard, int32_t rate, int32_t delay)
{
	note(data, "repeat %d %d; ", rate, delay);
}

static const struct wl_keyboard_listener keyboard_listener = {
	.keymap = handle_keymap,
	.enter = handle_keys,
	.leave = handle_no_keys,
	.key = handle_key,
	.modifiers = handle_modifiers,
	.repeat_info = handle_repeat,
};

static struct wl_keyboard *add_keyboard(struct test *test, uint32_t version)
{
	struct wl_seat *seat = peer_bind(test->peer, &wl_seat_interface, version);
	struct wl_keyboard *keyboard = wl_seat_get_keyboard(seat);
	wl_keyboard_add_listener(keyboard, &keyboard_listener, test);
	return keyboard;
}

/* Fixture */

static int setup(void **state)
{
	struct test *test = calloc(1, sizeof(*test));
	test->fixture = fixture_create(&(struct fixture_options){.width = 400, .height = 300});
	struct backend *backend = test->fixture->server->backend;
	test->pointer = headless_add_input(backend, INPUT_POINTER, "pointer");
	test->keyboard = headless_add_input(backend, INPUT_KEYBOARD, "keyboard");
	test->touch = headless_add_input(backend, INPUT_TOUCH, "touch");
	test->peer = peer_create(test->fixture);
	test->window = peer_window_create(test->peer, 0, 0, 100, 100, 0xff336699);
	/* The pointer starts in the middle, where the window was before it was placed. */
	pointer_warp(test->fixture->server->seat, (struct coord_global){300, 250});
	*state = test;
	return 0;
}

static int teardown(void **state)
{
	struct test *test = *state;
	fixture_destroy(test->fixture);
	free(test->keymap);
	free(test);
	return 0;
}

static struct seat *seat_of(struct test *test)
{
	return test->fixture->server->seat;
}

static void frame(struct test *test)
{
	signal_emit(&test->pointer->events.frame, NULL);
	fixture_pump(test->fixture);
}

static void point(struct test *test, double x, double y)
{
	struct input_motion_absolute_event event = {.x = x / 400, .y = y / 300};
	signal_emit(&test->pointer->events.motion_absolute, &event);
	frame(test);
}

static void move(struct test *test, double dx, double dy)
{
	struct input_motion_event event = {.time = INT64_C(5000007000),
		.dx = dx,
		.dy = dy,
		.dx_unaccel = dx / 2,
		.dy_unaccel = dy / 2};
	signal_emit(&test->pointer->events.motion, &event);
	frame(test);
}

static void scroll(
	struct test *test, enum wl_pointer_axis axis, double value, int32_t value120, int source)
{
	struct input_axis_event event = {.axis = axis,
		.value = value,
		.value120 = value120,
		.has_source = source >= 0,
		.source = source >= 0 ? (enum wl_pointer_axis_source)source : 0,
		.direction = WL_POINTER_AXIS_RELATIVE_DIRECTION_INVERTED};
	signal_emit(&test->pointer->events.axis, &event);
}

static void key(struct test *test, uint32_t code, bool pressed)
{
	struct input_key_event event = {.key = code, .pressed = pressed};
	signal_emit(&test->keyboard->events.key, &event);
	fixture_pump(test->fixture);
}

/* Versions of wl_pointer */

static void test_scroll_v9(void **state)
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

static void test_scroll_v8(void **state)
{
	struct test *test = *state;
	add_pointer(test, 8);
	point(test, 10, 10);
	forget(test);
	scroll(test, WL_POINTER_AXIS_VERTICAL_SCROLL, 5, 40, WL_POINTER_AXIS_SOURCE_WHEEL);
	frame(test);
	heard(test, "source 0; v120 0 40; axis 0 5; frame; ");
}

/* Whole detents only: parts are kept until there is one, in the direction they had. */
static void test_scroll_v7(void **state)
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
	/* What is no wheel has no detents. */
	scroll(test, WL_POINTER_AXIS_HORIZONTAL_SCROLL, 3, 0, WL_POINTER_AXIS_SOURCE_FINGER);
	frame(test);
	heard(test, "source 1; axis 1 3; frame; ");
	scroll(test, WL_POINTER_AXIS_HORIZONTAL_SCROLL, 15, 120, WL_POINTER_AXIS_SOURCE_WHEEL_TILT);
	frame(test);
	heard(test, "source 3; steps 1 1; axis 1 15; frame; ");
}

static void test_scroll_v5(void **state)
{
	struct test *test = *state;
	add_pointer(test, 5);
	point(test, 10, 10);
	forget(test);
	scroll(test, WL_POINTER_AXIS_HORIZONTAL_SCROLL, 15, 120, WL_POINTER_AXIS_SOURCE_WHEEL_TILT);
	frame(test);
	/* It does not know wheels that tilt. */
	heard(test, "steps 1 1; axis 1 15; frame; ");
}

static void test_scroll_v4(void **state)
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

static void test_late_pointer(void **state)
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

static void test_late_keyboard(void **state)
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

static void test_device_comes_back(void **state)
{
	struct test *test = *state;
	add_pointer(test, 9);
	point(test, 10, 10);
	forget(test);
	headless_remove_input(test->pointer);
	heard(test, "leave; frame; ");
	/* What the seat once had may still be asked for. */
	add_pointer(test, 9);
	heard(test, "");
	struct backend *backend = test->fixture->server->backend;
	test->pointer = headless_add_input(backend, INPUT_POINTER, "again");
	heard(test, "enter 10 10; enter 10 10; frame; frame; ");
}

/* Cursors */

static void test_cursor(void **state)
{
	struct test *test = *state;
	struct cursor *cursor = &seat_of(test)->cursor;
	struct wl_pointer *pointer = add_pointer(test, 9);
	struct wl_surface *surface = wl_compositor_create_surface(test->peer->compositor);
	struct peer_buffer *buffer = peer_buffer_create(test->peer, 10, 10, WL_SHM_FORMAT_XRGB8888);
	peer_buffer_fill(buffer, 0, 0, 10, 10, GREEN);
	point(test, 50, 50);
	/* A serial of yesterday does nothing, and takes no surface away from other uses. */
	wl_pointer_set_cursor(pointer, test->enter_serial - 1, surface, 5, 5);
	fixture_pump(test->fixture);
	assert_null(cursor->surface);
	wl_pointer_set_cursor(pointer, test->enter_serial, surface, 5, 5);
	peer_surface_show(surface, buffer);
	fixture_settle(test->fixture);
	assert_int_equal(fixture_pixel(test->fixture, 45, 45), 0x00ff00);
	assert_int_equal(fixture_pixel(test->fixture, 54, 54), 0x00ff00);
	assert_int_equal(fixture_pixel(test->fixture, 55, 55), 0x336699);
	/* An offset moves the picture, and the hotspot against it. */
	wl_surface_offset(surface, 10, 0);
	wl_surface_commit(surface);
	fixture_settle(test->fixture);
	assert_int_equal(fixture_pixel(test->fixture, 45, 45), 0x336699);
	assert_int_equal(fixture_pixel(test->fixture, 55, 45), 0x00ff00);
	wl_pointer_set_cursor(pointer, test->enter_serial, NULL, 0, 0);
	fixture_settle(test->fixture);
	assert_int_equal(fixture_pixel(test->fixture, 55, 45), 0x336699);
	/* It takes no input, and goes without harm. */
	wl_pointer_set_cursor(pointer, test->enter_serial, surface, 0, 0);
	forget(test);
	point(test, 60, 60);
	heard(test, "motion 60 60; frame; ");
	wl_surface_destroy(surface);
	point(test, 61, 60);
	assert_null(cursor->surface);
	/* Whoever does not have the focus has no say. */
	point(test, 300, 200);
	wl_pointer_set_cursor(pointer, test->enter_serial, NULL, 0, 0);
	fixture_pump(test->fixture);
	assert_string_equal(cursor->shape, "default");
}

static void test_cursor_shape(void **state)
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

/* Held pointers */

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

static void test_lock(void **state)
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
	assert_non_null(strstr(test->log, "locked; "));
	forget(test);
	move(test, 4, -6);
	heard(test, "relative 0.5000007 4 -6 2 -3; frame; ");
	scroll(test, WL_POINTER_AXIS_VERTICAL_SCROLL, 1, 0, -1);
	frame(test);
	heard(test, "direction 0 1; axis 0 1; frame; ");
	/* The hint waits for the commit, and tells where the pointer shall be afterwards. */
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
	heard(test, "relative 0.5000007 1 1 0.5 0.5; motion 71 81; frame; ");
	zwp_relative_pointer_v1_destroy(relative);
	move(test, 1, 1);
	heard(test, "motion 72 82; frame; ");
}

static void test_oneshot(void **state)
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
	/* The user turns to something else, and back: it does not come again. */
	struct surface *surface = peer_surface_find(test->peer, test->window->surface);
	struct peer_window *other = peer_window_create(test->peer, 200, 200, 50, 50, GREEN);
	heard(test, "unlocked; ");
	keyboard_set_focus(seat_of(test), surface);
	heard(test, "");
	move(test, 1, 0);
	heard(test, "motion 51 50; frame; ");
	/* Another one may be made, now that it is over. */
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

static void test_confine_region(void **state)
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
	/* Outside of the region it has no hold; inside it has. */
	move(test, 5, 5);
	heard(test, "motion 15 15; frame; ");
	move(test, 10, 10);
	fixture_pump(test->fixture);
	assert_non_null(strstr(test->log, "confined; "));
	forget(test);
	move(test, 100, 3);
	heard(test, "motion 49 28; frame; ");
	/* A new region takes effect with the commit, and the pointer with it. */
	struct wl_region *smaller = wl_compositor_create_region(test->peer->compositor);
	wl_region_add(smaller, 20, 20, 10, 10);
	zwp_confined_pointer_v1_set_region(confined, smaller);
	heard(test, "");
	wl_surface_commit(test->window->surface);
	heard(test, "motion 29 28; frame; ");
	/* Nothing is left of it: it ends. */
	struct wl_region *nowhere = wl_compositor_create_region(test->peer->compositor);
	wl_region_add(nowhere, 200, 200, 10, 10);
	zwp_confined_pointer_v1_set_region(confined, nowhere);
	wl_surface_commit(test->window->surface);
	heard(test, "unconfined; ");
	move(test, 40, 0);
	heard(test, "motion 69 28; frame; ");
}

/* Devices that clients play */

static void test_virtual_pointer(void **state)
{
	struct test *test = *state;
	struct zwlr_virtual_pointer_manager_v1 *manager =
		peer_bind(test->peer, &zwlr_virtual_pointer_manager_v1_interface, 0);
	struct zwlr_virtual_pointer_v1 *device =
		zwlr_virtual_pointer_manager_v1_create_virtual_pointer(manager, NULL);
	add_pointer(test, 9);
	forget(test);
	/* Nothing happens before its frame. */
	zwlr_virtual_pointer_v1_motion_absolute(device, 1, 1, 1, 8, 6);
	zwlr_virtual_pointer_v1_button(device, 1, BTN_LEFT, 1);
	zwlr_virtual_pointer_v1_axis(device, 1, 0, wl_fixed_from_int(7));
	zwlr_virtual_pointer_v1_axis_source(device, WL_POINTER_AXIS_SOURCE_CONTINUOUS);
	heard(test, "");
	zwlr_virtual_pointer_v1_frame(device);
	heard(test, "enter 50 50; frame; press 110; source 2; direction 0 0; axis 0 7; frame; ");
	zwlr_virtual_pointer_v1_motion(device, 1, wl_fixed_from_int(3), wl_fixed_from_int(-3));
	zwlr_virtual_pointer_v1_axis_discrete(device, 1, 1, wl_fixed_from_int(-30), -2);
	zwlr_virtual_pointer_v1_frame(device);
	heard(test, "motion 53 47; source 0; direction 1 0; v120 1 -240; axis 1 -30; frame; ");
	zwlr_virtual_pointer_v1_axis_stop(device, 1, 0);
	zwlr_virtual_pointer_v1_motion_absolute(device, 1, 5, 5, 0, 0);
	zwlr_virtual_pointer_v1_frame(device);
	heard(test, "stop 0; frame; ");
	/* It goes, and its button comes up. */
	zwlr_virtual_pointer_v1_destroy(device);
	heard(test, "release 110; frame; ");
}

static int keymap_file(const char *text, size_t length)
{
	int fd = memfd_create("keymap", MFD_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, length), length);
	return fd;
}

static struct zwp_virtual_keyboard_v1 *add_virtual_keyboard(struct test *test)
{
	struct zwp_virtual_keyboard_manager_v1 *manager =
		peer_bind(test->peer, &zwp_virtual_keyboard_manager_v1_interface, 0);
	return zwp_virtual_keyboard_manager_v1_create_virtual_keyboard(manager, test->peer->seat);
}

/*
 * Another layout than that of the seat. Written, read and written again: xkbcommon 1.7 cuts long
 * names of keysyms when it writes them, and knows them no more when it reads them.
 */
static char *foreign_keymap(struct test *test)
{
	struct xkb_context *context = seat_of(test)->keyboard.context;
	struct xkb_keymap *keymap = xkb_keymap_new_from_names(
		context, &(struct xkb_rule_names){.layout = "fr"}, XKB_KEYMAP_COMPILE_NO_FLAGS);
	char *written = xkb_keymap_get_as_string(keymap, XKB_KEYMAP_FORMAT_TEXT_V1);
	xkb_keymap_unref(keymap);
	keymap = xkb_keymap_new_from_string(
		context, written, XKB_KEYMAP_FORMAT_TEXT_V1, XKB_KEYMAP_COMPILE_NO_FLAGS);
	free(written);
	char *text = xkb_keymap_get_as_string(keymap, XKB_KEYMAP_FORMAT_TEXT_V1);
	xkb_keymap_unref(keymap);
	return text;
}

static void test_virtual_keyboard(void **state)
{
	struct test *test = *state;
	struct zwp_virtual_keyboard_v1 *device = add_virtual_keyboard(test);
	char *text = foreign_keymap(test);
	int fd = keymap_file(text, strlen(text) + 1);
	add_keyboard(test, 9);
	forget(test);
	zwp_virtual_keyboard_v1_keymap(
		device, WL_KEYBOARD_KEYMAP_FORMAT_XKB_V1, fd, (uint32_t)strlen(text) + 1);
	heard(test, "");
	zwp_virtual_keyboard_v1_key(device, 1, KEY_Q, 1);
	heard(test, "keymap; repeat 25 600; mods 0 0 0 0; down 16; ");
	assert_string_equal(test->keymap, text);
	zwp_virtual_keyboard_v1_modifiers(device, 1, 0, 2, 0);
	heard(test, "mods 1 0 2 0; ");
	/* A key of the real one brings the seat's keymap back. */
	key(test, KEY_B, true);
	heard(test, "keymap; repeat 25 600; mods 0 0 0 0; down 48; ");
	zwp_virtual_keyboard_v1_destroy(device);
	heard(test, "keymap; repeat 25 600; mods 1 0 2 0; up 16; keymap; repeat 25 600; "
		    "mods 0 0 0 0; ");
	key(test, KEY_B, false);
	heard(test, "up 48; ");
	close(fd);
	free(text);
}

static void refuse_keymap(
	struct test *test, const char *text, size_t length, uint32_t format, uint32_t size)
{
	struct zwp_virtual_keyboard_v1 *device = add_virtual_keyboard(test);
	int fd = keymap_file(text, length);
	zwp_virtual_keyboard_v1_keymap(device, format, fd, size);
	peer_expect_error(test->peer, &zwp_virtual_keyboard_v1_interface,
		ZWP_VIRTUAL_KEYBOARD_V1_ERROR_NO_KEYMAP);
	close(fd);
}

static void test_short_keymap(void **state)
{
	struct test *test = *state;
	char *text = foreign_keymap(test);
	refuse_keymap(test, text, strlen(text), 1, (uint32_t)strlen(text) + 4096);
	free(text);
}

static void test_huge_keymap(void **state)
{
	refuse_keymap(*state, "x", 1, 1, UINT32_MAX);
}

static void test_empty_keymap(void **state)
{
	refuse_keymap(*state, "", 0, 1, 0);
}

static void test_bad_keymap(void **state)
{
	refuse_keymap(*state, "nonsense", 9, 1, 9);
}

static void test_no_format(void **state)
{
	refuse_keymap(*state, "x", 1, WL_KEYBOARD_KEYMAP_FORMAT_NO_KEYMAP, 1);
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

static void test_touch(void **state)
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

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_scroll_v9),
		TEST(test_scroll_v8),
		TEST(test_scroll_v7),
		TEST(test_scroll_v5),
		TEST(test_scroll_v4),
		TEST(test_late_pointer),
		TEST(test_late_keyboard),
		TEST(test_device_comes_back),
		TEST(test_cursor),
		TEST(test_cursor_shape),
		TEST(test_lock),
		TEST(test_oneshot),
		TEST(test_confine_region),
		TEST(test_virtual_pointer),
		TEST(test_virtual_keyboard),
		TEST(test_short_keymap),
		TEST(test_huge_keymap),
		TEST(test_empty_keymap),
		TEST(test_bad_keymap),
		TEST(test_no_format),
		TEST(test_touch),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
