/* SPDX-License-Identifier: MIT */
/* Peer of input tests: a window, input devices and notes of input events. */

#include "harness/client/input_peer.h"
#include "harness/hand.h"
#include "seat/seat.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

struct wl_pointer *add_pointer(struct test *test, uint32_t version)
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

struct wl_keyboard *add_keyboard(struct test *test, uint32_t version)
{
	struct wl_seat *seat = peer_bind(test->peer, &wl_seat_interface, version);
	struct wl_keyboard *keyboard = wl_seat_get_keyboard(seat);
	wl_keyboard_add_listener(keyboard, &keyboard_listener, test);
	return keyboard;
}

/* Fixture */

static int set_up(void **state, bool devices)
{
	struct test *test = calloc(1, sizeof(*test));
	test->fixture = fixture_create(&(struct fixture_options){.width = 400, .height = 300});
	if (devices) {
		struct backend *backend = test->fixture->server->backend;
		test->pointer = headless_add_input(backend, INPUT_POINTER, "pointer");
		test->keyboard = headless_add_input(backend, INPUT_KEYBOARD, "keyboard");
		test->touch = headless_add_input(backend, INPUT_TOUCH, "touch");
	}
	test->notes.fixture = test->fixture;
	test->peer = peer_create(test->fixture);
	test->window = peer_window_create(test->peer, 0, 0, 100, 100, 0xff336699);
	/* The pointer starts in the middle, where the window was before it was placed. */
	pointer_warp(test->fixture->server->seat, (struct coord_global){300, 250});
	*state = test;
	return 0;
}

int setup(void **state)
{
	return set_up(state, true);
}

int setup_without_devices(void **state)
{
	return set_up(state, false);
}

int teardown(void **state)
{
	struct test *test = *state;
	fixture_destroy(test->fixture);
	free(test->keymap);
	free(test);
	return 0;
}

struct seat *seat_of(struct test *test)
{
	return test->fixture->server->seat;
}

void frame(struct test *test)
{
	signal_emit(&test->pointer->events.frame, NULL);
	fixture_pump(test->fixture);
}

void point(struct test *test, double x, double y)
{
	hand_point(test->fixture, test->pointer, x, y);
}

void move(struct test *test, double dx, double dy)
{
	struct input_motion_event event = {.time = INT64_C(5000007000),
		.dx = dx,
		.dy = dy,
		.dx_unaccel = dx / 2,
		.dy_unaccel = dy / 2};
	signal_emit(&test->pointer->events.motion, &event);
	frame(test);
}

void scroll(
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

void key(struct test *test, uint32_t code, bool pressed)
{
	hand_key(test->fixture, test->keyboard, code, pressed);
}
