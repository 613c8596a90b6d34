/* Gestures of a seat: who hears of them, and what goes while they are under way. */

#include "seat_common.h"
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

static void test_stays(void **state)
{
	struct seat_fixture *fixture = *state;
	show(fixture, 0, 0, 100, 100, 50, 50);
	show(fixture, 1, 1, 200, 100, 50, 50);
	move_to(fixture, 110, 110);
	forget(fixture);
	swipe(fixture, INPUT_BEGIN, 0, 0);
	swipe(fixture, INPUT_UPDATE, 4, -5);
	heard(fixture, "swipe A 3; swipe A by 4 -5; ");
	/* Where the pointer is by now makes no difference. */
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

static void test_over_nothing(void **state)
{
	struct seat_fixture *fixture = *state;
	show(fixture, 0, 0, 100, 100, 50, 50);
	move_to(fixture, 10, 10);
	swipe(fixture, INPUT_BEGIN, 0, 0);
	move_to(fixture, 110, 110);
	forget(fixture);
	swipe(fixture, INPUT_UPDATE, 1, 1);
	swipe(fixture, INPUT_END, 0, 0);
	/* Nor does the rest of one whose begin nobody saw. */
	swipe(fixture, INPUT_UPDATE, 1, 1);
	swipe(fixture, INPUT_END, 0, 0);
	heard(fixture, "");
}

static void test_surface_goes(void **state)
{
	struct seat_fixture *fixture = *state;
	show(fixture, 0, 0, 100, 100, 50, 50);
	move_to(fixture, 110, 110);
	swipe(fixture, INPUT_BEGIN, 0, 0);
	forget(fixture);
	destroy_surface(fixture, 0);
	heard(fixture, "leave A; frame A; swipe A was none; ");
	swipe(fixture, INPUT_UPDATE, 1, 1);
	swipe(fixture, INPUT_END, 0, 0);
	heard(fixture, "");
}

static void test_device_goes(void **state)
{
	struct seat_fixture *fixture = *state;
	struct input_device other;
	show(fixture, 0, 0, 100, 100, 50, 50);
	input_device_init(&other, INPUT_POINTER, "other");
	seat_add_device(fixture->seat, &other);
	move_to(fixture, 110, 110);
	forget(fixture);
	gesture_of(&other, INPUT_SWIPE, INPUT_BEGIN, 0, 0);
	/* One at a time. */
	gesture_of(&fixture->pointer, INPUT_PINCH, INPUT_BEGIN, 0, 0);
	gesture_of(&fixture->pointer, INPUT_PINCH, INPUT_END, 0, 0);
	heard(fixture, "swipe A 3; ");
	input_device_finish(&other);
	heard(fixture, "swipe A was none; ");
	swipe(fixture, INPUT_BEGIN, 0, 0);
	heard(fixture, "swipe A 3; ");
}

static void test_interrupted(void **state)
{
	struct seat_fixture *fixture = *state;
	show(fixture, 0, 0, 100, 100, 50, 50);
	move_to(fixture, 110, 110);
	swipe(fixture, INPUT_BEGIN, 0, 0);
	forget(fixture);
	seat_interrupt(fixture->seat);
	heard(fixture, "swipe A was none; leave A; frame A; enter A 10 10; frame A; ");
	swipe(fixture, INPUT_UPDATE, 1, 1);
	swipe(fixture, INPUT_END, 0, 0);
	heard(fixture, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_stays, seat_setup, seat_teardown),
		cmocka_unit_test_setup_teardown(test_over_nothing, seat_setup, seat_teardown),
		cmocka_unit_test_setup_teardown(test_surface_goes, seat_setup, seat_teardown),
		cmocka_unit_test_setup_teardown(test_device_goes, seat_setup, seat_teardown),
		cmocka_unit_test_setup_teardown(test_interrupted, seat_setup, seat_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
