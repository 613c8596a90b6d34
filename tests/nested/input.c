/* SPDX-License-Identifier: MIT */
/* The wayland backend: events of the host's seat become input of outputs. */

#include "guest.h"
#include "pointer-gestures-unstable-v1-protocol.h"
#include "relative-pointer-unstable-v1-protocol.h"
#include "util/xalloc.h"
#include "xdg-shell-protocol.h"
#include <linux/input-event-codes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint32_t now_ms(const struct fixture *fixture)
{
	return clock_ms(clock_now(fixture->clock));
}

static void keys_reach_the_keyboard(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, false);
	struct host *host = fixture->host;
	struct wl_resource *surface = host->surfaces[0].resource;
	struct wl_array held;
	wl_array_init(&held);
	*(uint32_t *)wl_array_add(&held, sizeof(uint32_t)) = KEY_TAB;
	assert_string_equal(
		fixture->devices[INPUT_KEYBOARD].base->name, "keyboard of the host's main seat");
	host_send_keymap(host, "some keymap");
	wl_keyboard_send_enter(host->keyboard, 1, surface, &held);
	wl_keyboard_send_modifiers(host->keyboard, 2, 8, 0, 2, 1);
	pump(fixture);
	EXPECT(fixture, "keymap some keymap", "modifiers 8 0 2 1");

	/* The host's time if plausible, else the current time. */
	wl_keyboard_send_key(host->keyboard, 3, now_ms(fixture) - 7, KEY_A, 1);
	wl_keyboard_send_key(host->keyboard, 4, now_ms(fixture) + 99999, KEY_A, 0);
	wl_keyboard_send_key(host->keyboard, 5, now_ms(fixture), KEY_TAB, 0);
	wl_keyboard_send_key(host->keyboard, 6, now_ms(fixture), KEY_B, 1);
	pump(fixture);
	EXPECT(fixture, "key 30 down 4993", "key 30 up 5000", "key 48 down 5000");

	wl_keyboard_send_leave(host->keyboard, 7, surface);
	wl_keyboard_send_key(host->keyboard, 8, now_ms(fixture), KEY_B, 0);
	pump(fixture);
	EXPECT(fixture, "key 48 up 5000", "modifiers 0 0 2 1");

	/* Devices follow the capabilities of the seat. */
	wl_seat_send_capabilities(host->seat, WL_SEAT_CAPABILITY_POINTER);
	pump(fixture);
	assert_null(fixture->devices[INPUT_KEYBOARD].base);
	assert_null(fixture->devices[INPUT_TOUCH].base);
	assert_null(host->keyboard);
	wl_seat_send_capabilities(host->seat, WL_SEAT_CAPABILITY_KEYBOARD);
	pump(fixture);
	assert_non_null(fixture->devices[INPUT_KEYBOARD].base);
	assert_null(fixture->devices[INPUT_POINTER].base);
	wl_array_release(&held);
	destroy_fixture(fixture);
}

static wl_fixed_t fixed(double value)
{
	return wl_fixed_from_double(value);
}

static void pointer_events_are_relative_to_the_output(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, false);
	struct host *host = fixture->host;
	struct wl_resource *surface = host->surfaces[0].resource, *pointer = host->pointer;
	wl_pointer_send_enter(pointer, 1, surface, fixed(75), fixed(50));
	wl_pointer_send_frame(pointer);
	pump(fixture);
	EXPECT(fixture, "at 0.250 0.250 of WL-1", "frame");
	assert_int_equal(host->n_hidden_cursors, 1);

	wl_pointer_send_motion(pointer, now_ms(fixture), fixed(150), fixed(100));
	zwp_relative_pointer_v1_send_relative_motion(
		host->relative, 0, 5000000, fixed(75), fixed(50), fixed(30), fixed(20));
	wl_pointer_send_frame(pointer);
	/* At the edge of the output, relative motion continues. */
	zwp_relative_pointer_v1_send_relative_motion(
		host->relative, 0, 5000000, fixed(1), fixed(2), fixed(3), fixed(4));
	wl_pointer_send_frame(pointer);
	pump(fixture);
	EXPECT(fixture, "at 0.500 0.500 of WL-1 by 75.0 50.0 (30.0 20.0)", "frame",
		"at 0.500 0.500 of WL-1 by 1.0 2.0 (3.0 4.0)", "frame");

	wl_pointer_send_axis_source(pointer, WL_POINTER_AXIS_SOURCE_WHEEL);
	wl_pointer_send_axis_relative_direction(pointer, WL_POINTER_AXIS_VERTICAL_SCROLL, 1);
	wl_pointer_send_axis_value120(pointer, WL_POINTER_AXIS_VERTICAL_SCROLL, 60);
	wl_pointer_send_axis(pointer, now_ms(fixture), WL_POINTER_AXIS_VERTICAL_SCROLL, fixed(7.5));
	wl_pointer_send_frame(pointer);
	wl_pointer_send_axis_stop(pointer, now_ms(fixture), WL_POINTER_AXIS_HORIZONTAL_SCROLL);
	wl_pointer_send_frame(pointer);
	pump(fixture);
	EXPECT(fixture, "axis 0 by 7.5 (60) source 0 direction 1", "frame",
		"axis 1 by 0.0 (0) source -1 direction 0", "frame");

	wl_pointer_send_button(pointer, 2, now_ms(fixture), BTN_LEFT, 1);
	wl_pointer_send_frame(pointer);
	pump(fixture);
	EXPECT(fixture, "button 272 down", "frame");
	/* The host's pointer leaves with a button pressed. */
	wl_pointer_send_leave(pointer, 3, surface);
	wl_pointer_send_frame(pointer);
	wl_pointer_send_button(pointer, 4, now_ms(fixture), BTN_LEFT, 0);
	pump(fixture);
	EXPECT(fixture, "button 272 up", "frame", "frame");
	destroy_fixture(fixture);
}

static void gestures_are_passed_on(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, false);
	struct host *host = fixture->host;
	struct wl_resource *surface = host->surfaces[0].resource;
	wl_pointer_send_enter(host->pointer, 1, surface, fixed(75), fixed(50));
	wl_pointer_send_frame(host->pointer);
	pump(fixture);
	EXPECT(fixture, "at 0.250 0.250 of WL-1", "frame");
	zwp_pointer_gesture_swipe_v1_send_begin(host->swipe, 2, now_ms(fixture), surface, 3);
	zwp_pointer_gesture_swipe_v1_send_update(
		host->swipe, now_ms(fixture), fixed(4), fixed(-2.5));
	zwp_pointer_gesture_swipe_v1_send_end(host->swipe, 3, now_ms(fixture), 0);
	zwp_pointer_gesture_pinch_v1_send_begin(host->pinch, 4, now_ms(fixture), surface, 2);
	zwp_pointer_gesture_pinch_v1_send_update(
		host->pinch, now_ms(fixture), fixed(0), fixed(0), fixed(1.5), fixed(-10));
	zwp_pointer_gesture_pinch_v1_send_end(host->pinch, 5, now_ms(fixture), 1);
	zwp_pointer_gesture_hold_v1_send_begin(host->hold, 6, now_ms(fixture), surface, 4);
	zwp_pointer_gesture_hold_v1_send_end(host->hold, 7, now_ms(fixture), 0);
	pump(fixture);
	EXPECT(fixture, "gesture 0 phase 0 of 3 by 0.0 0.0 scale 0.0 turn 0.0",
		"gesture 0 phase 1 of 0 by 4.0 -2.5 scale 0.0 turn 0.0",
		"gesture 0 phase 2 of 0 by 0.0 0.0 scale 0.0 turn 0.0",
		"gesture 1 phase 0 of 2 by 0.0 0.0 scale 0.0 turn 0.0",
		"gesture 1 phase 1 of 0 by 0.0 0.0 scale 1.5 turn -10.0",
		"gesture 1 phase 2 of 0 by 0.0 0.0 scale 0.0 turn 0.0 cancelled",
		"gesture 2 phase 0 of 4 by 0.0 0.0 scale 0.0 turn 0.0",
		"gesture 2 phase 2 of 0 by 0.0 0.0 scale 0.0 turn 0.0");
	destroy_fixture(fixture);
}

/* Before version 5 there are no frames, and no wheel detents. */
static void pointer_of_version_1_emulates_frames(void **state)
{
	const struct host_options options = {.seat_version = 1, .no_relative = true};
	struct fixture *fixture = create_fixture(&options, 1, false);
	struct host *host = fixture->host;
	struct wl_resource *surface = host->surfaces[0].resource, *pointer = host->pointer;
	wl_pointer_send_enter(pointer, 1, surface, fixed(75), fixed(50));
	wl_pointer_send_motion(pointer, now_ms(fixture), fixed(1e6), fixed(-1));
	wl_pointer_send_button(pointer, 2, now_ms(fixture), BTN_LEFT, 1);
	wl_pointer_send_axis(pointer, now_ms(fixture), WL_POINTER_AXIS_VERTICAL_SCROLL, fixed(10));
	pump(fixture);
	EXPECT(fixture, "at 0.250 0.250 of WL-1", "frame", "at 1.000 0.000 of WL-1", "frame",
		"button 272 down", "frame", "axis 0 by 10.0 (0) source -1 direction 0", "frame");
	destroy_fixture(fixture);
}

static void discrete_steps_become_value120(void **state)
{
	const struct host_options options = {.seat_version = 7};
	struct fixture *fixture = create_fixture(&options, 1, false);
	struct wl_resource *pointer = fixture->host->pointer;
	wl_pointer_send_axis_source(pointer, WL_POINTER_AXIS_SOURCE_WHEEL);
	wl_pointer_send_axis_discrete(pointer, WL_POINTER_AXIS_VERTICAL_SCROLL, -2);
	wl_pointer_send_axis(pointer, now_ms(fixture), WL_POINTER_AXIS_VERTICAL_SCROLL, fixed(-20));
	wl_pointer_send_frame(pointer);
	pump(fixture);
	EXPECT(fixture, "axis 0 by -20.0 (-240) source 0 direction 0", "frame");
	destroy_fixture(fixture);
}

static void touch_points_belong_to_their_output(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 2, false);
	struct host *host = fixture->host;
	struct wl_resource *touch = host->touch;
	wl_touch_send_down(
		touch, 1, now_ms(fixture), host->surfaces[0].resource, 4, fixed(75), fixed(50));
	wl_touch_send_down(
		touch, 2, now_ms(fixture), host->surfaces[1].resource, 9, fixed(150), fixed(100));
	wl_touch_send_frame(touch);
	wl_touch_send_motion(touch, now_ms(fixture), 4, fixed(150), fixed(0));
	wl_touch_send_frame(touch);
	pump(fixture);
	EXPECT(fixture, "touch 4 down 0.250 0.250 of WL-1", "touch 9 down 0.500 0.500 of WL-2",
		"touch frame", "touch 4 at 0.500 0.000 of WL-1", "touch frame");
	wl_touch_send_up(touch, 3, now_ms(fixture), 9);
	wl_touch_send_frame(touch);
	pump(fixture);
	EXPECT(fixture, "touch 9 up 0.000 0.000 of -", "touch frame");
	/* Closing a window cancels its touch points. */
	xdg_toplevel_send_close(host->surfaces[0].toplevel);
	wl_touch_send_up(touch, 4, now_ms(fixture), 4);
	pump(fixture);
	EXPECT(fixture, "touch 4 cancelled 0.000 0.000 of -", "touch frame");
	wl_touch_send_down(
		touch, 5, now_ms(fixture), host->surfaces[1].resource, 1, fixed(75), fixed(50));
	wl_touch_send_cancel(touch);
	pump(fixture);
	EXPECT(fixture, "touch 1 down 0.250 0.250 of WL-2", "touch 1 cancelled 0.000 0.000 of -",
		"touch frame");
	destroy_fixture(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_reach_the_keyboard),
		cmocka_unit_test(pointer_events_are_relative_to_the_output),
		cmocka_unit_test(gestures_are_passed_on),
		cmocka_unit_test(pointer_of_version_1_emulates_frames),
		cmocka_unit_test(discrete_steps_become_value120),
		cmocka_unit_test(touch_points_belong_to_their_output),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
