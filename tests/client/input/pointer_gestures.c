/* SPDX-License-Identifier: MIT */
/* zwp_pointer_gestures: swipe, pinch and hold events of a touchpad. */

#include "backend/headless.h"
#include "harness/notes.h"
#include "harness/peer.h"
#include "pointer-gestures-unstable-v1-client-protocol.h"
#include "seat/seat.h"
#include "shell/shell.h"
#include "util/signal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct test {
	struct fixture *fixture;
	struct input_device *device;
	struct peer *peer;
	struct peer_window *window; /* 100x100 at 0, 0 */
	struct wl_pointer *pointer;
	struct zwp_pointer_gestures_v1 *gestures;
	struct zwp_pointer_gesture_swipe_v1 *swipe;
	struct zwp_pointer_gesture_pinch_v1 *pinch;
	struct zwp_pointer_gesture_hold_v1 *hold;
	struct notes notes;
	uint32_t serial;
};

/** `data`: the struct test given to the listener. */
#define note(data, ...) notes_add(&((struct test *)(data))->notes, __VA_ARGS__)

static void note_begin(struct test *test, const char *what, uint32_t serial,
	struct wl_surface *surface, uint32_t fingers)
{
	assert_ptr_equal(surface, test->window->surface);
	assert_int_not_equal(serial, test->serial);
	test->serial = serial;
	note(test, "%s %u; ", what, fingers);
}

static void handle_swipe_begin(void *data, struct zwp_pointer_gesture_swipe_v1 *swipe,
	uint32_t serial, uint32_t time, struct wl_surface *surface, uint32_t fingers)
{
	assert_int_equal(time, 7);
	note_begin(data, "swipe", serial, surface, fingers);
}

static void handle_swipe_update(void *data, struct zwp_pointer_gesture_swipe_v1 *swipe,
	uint32_t time, wl_fixed_t dx, wl_fixed_t dy)
{
	note(data, "swipe by %g %g; ", wl_fixed_to_double(dx), wl_fixed_to_double(dy));
}

static void handle_swipe_end(void *data, struct zwp_pointer_gesture_swipe_v1 *swipe,
	uint32_t serial, uint32_t time, int32_t cancelled)
{
	note(data, "swipe ends %d; ", cancelled);
}

static const struct zwp_pointer_gesture_swipe_v1_listener swipe_listener = {
	.begin = handle_swipe_begin,
	.update = handle_swipe_update,
	.end = handle_swipe_end,
};

static void handle_pinch_begin(void *data, struct zwp_pointer_gesture_pinch_v1 *pinch,
	uint32_t serial, uint32_t time, struct wl_surface *surface, uint32_t fingers)
{
	note_begin(data, "pinch", serial, surface, fingers);
}

static void handle_pinch_update(void *data, struct zwp_pointer_gesture_pinch_v1 *pinch,
	uint32_t time, wl_fixed_t dx, wl_fixed_t dy, wl_fixed_t scale, wl_fixed_t rotation)
{
	note(data, "pinch by %g %g scale %g turn %g; ", wl_fixed_to_double(dx),
		wl_fixed_to_double(dy), wl_fixed_to_double(scale), wl_fixed_to_double(rotation));
}

static void handle_pinch_end(void *data, struct zwp_pointer_gesture_pinch_v1 *pinch,
	uint32_t serial, uint32_t time, int32_t cancelled)
{
	note(data, "pinch ends %d; ", cancelled);
}

static const struct zwp_pointer_gesture_pinch_v1_listener pinch_listener = {
	.begin = handle_pinch_begin,
	.update = handle_pinch_update,
	.end = handle_pinch_end,
};

static void handle_hold_begin(void *data, struct zwp_pointer_gesture_hold_v1 *hold, uint32_t serial,
	uint32_t time, struct wl_surface *surface, uint32_t fingers)
{
	note_begin(data, "hold", serial, surface, fingers);
}

static void handle_hold_end(void *data, struct zwp_pointer_gesture_hold_v1 *hold, uint32_t serial,
	uint32_t time, int32_t cancelled)
{
	note(data, "hold ends %d; ", cancelled);
}

static const struct zwp_pointer_gesture_hold_v1_listener hold_listener = {
	.begin = handle_hold_begin,
	.end = handle_hold_end,
};

static int setup(void **state)
{
	struct test *test = calloc(1, sizeof(*test));
	test->fixture = fixture_create(NULL);
	test->device =
		headless_add_input(test->fixture->server->backend, INPUT_POINTER, "touch pad");
	test->notes.fixture = test->fixture;
	test->peer = peer_create(test->fixture);
	test->window = peer_window_create(test->peer, 0, 0, 100, 100, 0xff336699);
	test->pointer = wl_seat_get_pointer(test->peer->seat);
	test->gestures = peer_bind(test->peer, &zwp_pointer_gestures_v1_interface, 0);
	assert_int_equal(zwp_pointer_gestures_v1_get_version(test->gestures), 3);
	test->swipe = zwp_pointer_gestures_v1_get_swipe_gesture(test->gestures, test->pointer);
	test->pinch = zwp_pointer_gestures_v1_get_pinch_gesture(test->gestures, test->pointer);
	test->hold = zwp_pointer_gestures_v1_get_hold_gesture(test->gestures, test->pointer);
	zwp_pointer_gesture_swipe_v1_add_listener(test->swipe, &swipe_listener, test);
	zwp_pointer_gesture_pinch_v1_add_listener(test->pinch, &pinch_listener, test);
	zwp_pointer_gesture_hold_v1_add_listener(test->hold, &hold_listener, test);
	pointer_warp(test->fixture->server->seat, (struct coord_global){50, 50});
	fixture_pump(test->fixture);
	*state = test;
	return 0;
}

static void tell(struct test *test, enum input_gesture gesture, enum input_phase phase)
{
	struct input_gesture_event event = {.time = INT64_C(7000000),
		.gesture = gesture,
		.phase = phase,
		.fingers = 3,
		.dx = 1.5,
		.dy = -2,
		.scale = 0.5,
		.rotation = -10};
	signal_emit(&test->device->events.gesture, &event);
}

static void gestures_reach_the_focused_client(void **state)
{
	struct test *test = *state;
	tell(test, INPUT_SWIPE, INPUT_BEGIN);
	tell(test, INPUT_SWIPE, INPUT_UPDATE);
	tell(test, INPUT_SWIPE, INPUT_END);
	heard(test, "swipe 3; swipe by 1.5 -2; swipe ends 0; ");
	tell(test, INPUT_PINCH, INPUT_BEGIN);
	tell(test, INPUT_PINCH, INPUT_UPDATE);
	tell(test, INPUT_PINCH, INPUT_END);
	heard(test, "pinch 3; pinch by 1.5 -2 scale 0.5 turn -10; pinch ends 0; ");
	tell(test, INPUT_HOLD, INPUT_BEGIN);
	tell(test, INPUT_HOLD, INPUT_END);
	heard(test, "hold 3; hold ends 0; ");
}

/* Objects created during a gesture get the next one; destroyed objects get no events. */
static void late_objects_get_the_next_gesture(void **state)
{
	struct test *test = *state;
	zwp_pointer_gesture_swipe_v1_destroy(test->swipe);
	fixture_pump(test->fixture);
	tell(test, INPUT_SWIPE, INPUT_BEGIN);
	test->swipe = zwp_pointer_gestures_v1_get_swipe_gesture(test->gestures, test->pointer);
	zwp_pointer_gesture_swipe_v1_add_listener(test->swipe, &swipe_listener, test);
	zwp_pointer_gestures_v1_release(test->gestures);
	fixture_pump(test->fixture);
	tell(test, INPUT_SWIPE, INPUT_UPDATE);
	tell(test, INPUT_SWIPE, INPUT_END);
	heard(test, "");
	tell(test, INPUT_SWIPE, INPUT_BEGIN);
	heard(test, "swipe 3; ");
	/* The gesture object outlives its wl_pointer. */
	wl_pointer_release(test->pointer);
	tell(test, INPUT_SWIPE, INPUT_END);
	heard(test, "swipe ends 0; ");
}

static void lock_cancels_the_gesture(void **state)
{
	struct test *test = *state;
	tell(test, INPUT_PINCH, INPUT_BEGIN);
	heard(test, "pinch 3; ");
	shell_lock(test->fixture->server->shell);
	heard(test, "pinch ends 1; ");
	tell(test, INPUT_PINCH, INPUT_UPDATE);
	tell(test, INPUT_PINCH, INPUT_END);
	tell(test, INPUT_SWIPE, INPUT_BEGIN);
	tell(test, INPUT_SWIPE, INPUT_UPDATE);
	shell_unlock(test->fixture->server->shell);
	/* A gesture that began while locked stays hidden after the unlock. */
	tell(test, INPUT_SWIPE, INPUT_UPDATE);
	tell(test, INPUT_SWIPE, INPUT_END);
	heard(test, "");
	tell(test, INPUT_SWIPE, INPUT_BEGIN);
	heard(test, "swipe 3; ");
}

static void unplugging_cancels_the_gesture(void **state)
{
	struct test *test = *state;
	tell(test, INPUT_HOLD, INPUT_BEGIN);
	headless_remove_input(test->device);
	heard(test, "hold 3; hold ends 1; ");
	/* Gesture objects of a pointer that the seat has lost are inert. */
	struct zwp_pointer_gesture_swipe_v1 *late =
		zwp_pointer_gestures_v1_get_swipe_gesture(test->gestures, test->pointer);
	zwp_pointer_gesture_swipe_v1_destroy(late);
	assert_true(peer_alive(test->peer));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fixture_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(gestures_reach_the_focused_client),
		TEST(late_objects_get_the_next_gesture),
		TEST(lock_cancels_the_gesture),
		TEST(unplugging_cancels_the_gesture),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
