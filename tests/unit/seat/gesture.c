/* SPDX-License-Identifier: MIT */
/* Gestures: the client that receives them, and surfaces or devices destroyed during a gesture. */

#include "harness/seat.h"
#include "util/signal.h"

static void gesture_of(struct input_device *device, enum input_gesture gesture,
	enum input_phase phase, double dx, double dy)
{
	struct input_gesture_event event = {.gesture = gesture,
		.phase = phase,
		.fingers = phase == INPUT_BEGIN ? 3 : 0,
		.dx = dx,
		.dy = dy,
		.scale = 1};
	signal_emit(&device->events.gesture, &event);
}

static void swipe(struct seat_fixture *fixture, enum input_phase phase, double dx, double dy)
{
	gesture_of(&fixture->pointer, INPUT_SWIPE, phase, dx, dy);
}

static void gesture_stays_with_its_surface(void **state)
{
	struct seat_fixture *fixture = *state;
	show(fixture, 0, 0, 100, 100, 50, 50);
	show(fixture, 1, 1, 200, 100, 50, 50);
	move_to(fixture, 110, 110);
	forget(fixture);
	swipe(fixture, INPUT_BEGIN, 0, 0);
	swipe(fixture, INPUT_UPDATE, 4, -5);
	heard(fixture, "swipe A 3; swipe A by 4 -5; ");
	/* The gesture stays with its surface when the pointer moves. */
	move_to(fixture, 210, 110);
	forget(fixture);
	swipe(fixture, INPUT_UPDATE, 1, 1);
	swipe(fixture, INPUT_END, 0, 0);
	heard(fixture, "swipe A by 1 1; swipe A ends; ");
	gesture_of(&fixture->pointer, INPUT_PINCH, INPUT_BEGIN, 0, 0);
	gesture_of(&fixture->pointer, INPUT_PINCH, INPUT_END, 0, 0);
	gesture_of(&fixture->pointer, INPUT_HOLD, INPUT_BEGIN, 0, 0);
	gesture_of(&fixture->pointer, INPUT_HOLD, INPUT_END, 0, 0);
	heard(fixture, "pinch B 3; pinch B ends; hold B 3; hold B ends; ");
}

static void gesture_begun_over_no_surface_is_dropped(void **state)
{
	struct seat_fixture *fixture = *state;
	show(fixture, 0, 0, 100, 100, 50, 50);
	move_to(fixture, 10, 10);
	swipe(fixture, INPUT_BEGIN, 0, 0);
	move_to(fixture, 110, 110);
	forget(fixture);
	swipe(fixture, INPUT_UPDATE, 1, 1);
	swipe(fixture, INPUT_END, 0, 0);
	/* Events of a gesture without a begin event are dropped. */
	swipe(fixture, INPUT_UPDATE, 1, 1);
	swipe(fixture, INPUT_END, 0, 0);
	heard(fixture, "");
}

static void destroyed_surface_ends_the_gesture(void **state)
{
	struct seat_fixture *fixture = *state;
	show(fixture, 0, 0, 100, 100, 50, 50);
	move_to(fixture, 110, 110);
	swipe(fixture, INPUT_BEGIN, 0, 0);
	forget(fixture);
	destroy_surface(fixture, 0);
	heard(fixture, "leave A; frame A; swipe A cancelled; ");
	swipe(fixture, INPUT_UPDATE, 1, 1);
	swipe(fixture, INPUT_END, 0, 0);
	heard(fixture, "");
}

static void removed_device_cancels_its_gesture(void **state)
{
	struct seat_fixture *fixture = *state;
	struct input_device other;
	show(fixture, 0, 0, 100, 100, 50, 50);
	input_device_init(&other, INPUT_POINTER, "other");
	seat_add_device(fixture->seat, &other);
	move_to(fixture, 110, 110);
	forget(fixture);
	gesture_of(&other, INPUT_SWIPE, INPUT_BEGIN, 0, 0);
	/* A second gesture during the first is ignored. */
	gesture_of(&fixture->pointer, INPUT_PINCH, INPUT_BEGIN, 0, 0);
	gesture_of(&fixture->pointer, INPUT_PINCH, INPUT_END, 0, 0);
	heard(fixture, "swipe A 3; ");
	input_device_finish(&other);
	heard(fixture, "swipe A cancelled; ");
	swipe(fixture, INPUT_BEGIN, 0, 0);
	heard(fixture, "swipe A 3; ");
}

static void interruption_cancels_the_gesture(void **state)
{
	struct seat_fixture *fixture = *state;
	show(fixture, 0, 0, 100, 100, 50, 50);
	move_to(fixture, 110, 110);
	swipe(fixture, INPUT_BEGIN, 0, 0);
	forget(fixture);
	seat_interrupt(fixture->seat);
	heard(fixture, "swipe A cancelled; leave A; frame A; enter A 10 10; frame A; ");
	swipe(fixture, INPUT_UPDATE, 1, 1);
	swipe(fixture, INPUT_END, 0, 0);
	heard(fixture, "");
}

static bool take_four(void *data, const struct input_gesture_event *event)
{
	int *n = data;
	*n += 1;
	return event->fingers == 4;
}

/* A client gets all or none of a gesture. */
static void filter_takes_whole_gestures(void **state)
{
	struct seat_fixture *fixture = *state;
	int n = 0;
	fixture->seat->filter.gesture = take_four;
	fixture->seat->filter.data = &n;
	show(fixture, 0, 0, 100, 100, 50, 50);
	move_to(fixture, 110, 110);
	forget(fixture);
	struct input_gesture_event event = {.phase = INPUT_BEGIN, .fingers = 4};
	signal_emit(&fixture->pointer.events.gesture, &event);
	swipe(fixture, INPUT_UPDATE, 1, 1);
	swipe(fixture, INPUT_END, 0, 0);
	heard(fixture, "");
	assert_int_equal(n, 3);
	swipe(fixture, INPUT_BEGIN, 0, 0);
	swipe(fixture, INPUT_UPDATE, 1, 1);
	swipe(fixture, INPUT_END, 0, 0);
	heard(fixture, "swipe A 3; swipe A by 1 1; swipe A ends; ");
	assert_int_equal(n, 4);
	fixture->seat->filter.gesture = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			gesture_stays_with_its_surface, seat_setup, seat_teardown),
		cmocka_unit_test_setup_teardown(
			gesture_begun_over_no_surface_is_dropped, seat_setup, seat_teardown),
		cmocka_unit_test_setup_teardown(
			destroyed_surface_ends_the_gesture, seat_setup, seat_teardown),
		cmocka_unit_test_setup_teardown(
			removed_device_cancels_its_gesture, seat_setup, seat_teardown),
		cmocka_unit_test_setup_teardown(
			interruption_cancels_the_gesture, seat_setup, seat_teardown),
		cmocka_unit_test_setup_teardown(
			filter_takes_whole_gestures, seat_setup, seat_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
