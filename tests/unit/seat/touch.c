/* SPDX-License-Identifier: MIT */
/*
 * Touch screens of a seat: touch points, their surfaces, and surfaces or devices removed during a
 * touch.
 */

#include "harness/seat.h"
#include "util/signal.h"

static void points_stay_with_their_surface(void **state)
{
	struct seat_fixture *fixture = *state;
	struct seat *seat = fixture->seat;
	struct input_device *touch = &fixture->touch;
	show(fixture, 0, 0, 100, 100, 50, 50);
	show(fixture, 1, 0, 200, 100, 50, 50);
	show(fixture, 2, 1, 300, 100, 50, 50);
	touch_down(touch, 7, 110, 105);
	touch_down(touch, 9, 201, 101);
	touch_down(touch, 11, 301, 101);
	heard(fixture, "touch A 0 10 5; touch B 1 1 1; touch C 2 1 1; ");
	assert_true(seat_claim_press(seat, fixture->serial, fixture->surfaces[2]));
	assert_false(seat_claim_press(seat, fixture->serial, fixture->surfaces[0]));
	assert_true(seat_has_focus(seat, &fixture->clients[1]));
	/* Each client receives one frame event. */
	touch_frame(touch);
	heard(fixture, "tframe A; tframe C; ");
	/* A point stays with its surface when it moves away. */
	touch_motion(touch, 7, 310, 90);
	touch_frame(touch);
	heard(fixture, "slide A 0 210 -10; tframe A; ");
	touch_up(touch, 7);
	touch_frame(touch);
	heard(fixture, "lift A 0; tframe A; ");
	assert_null(touch_find(seat, 0));
	touch_up(touch, 7);
	touch_motion(touch, 7, 1, 1);
	touch_frame(touch);
	heard(fixture, "");
	/* The smallest free ID is reused. */
	touch_down(touch, 7, 110, 110);
	heard(fixture, "touch A 0 10 10; ");
	touch_down(touch, 8, 10, 10);
	touch_motion(touch, 8, 110, 110);
	touch_up(touch, 8);
	touch_frame(touch);
	heard(fixture, "tframe A; ");
}

static void points_of_two_screens_are_distinct(void **state)
{
	struct seat_fixture *fixture = *state;
	struct input_device other;
	show(fixture, 0, 0, 100, 100, 50, 50);
	input_device_init(&other, INPUT_TOUCH, "other");
	seat_add_device(fixture->seat, &other);
	forget(fixture);
	touch_down(&fixture->touch, 0, 101, 101);
	touch_down(&other, 0, 102, 102);
	touch_motion(&other, 0, 103, 103);
	touch_motion(&fixture->touch, 0, 104, 104);
	heard(fixture, "touch A 0 1 1; touch A 1 2 2; slide A 1 3 3; slide A 0 4 4; ");
	/* Removing a touch screen cancels its points. */
	input_device_finish(&other);
	heard(fixture, "cancel A; ");
	assert_int_equal(fixture->seat->touch.n_points, 1);
	touch_up(&fixture->touch, 0);
	touch_frame(&fixture->touch);
	assert_int_equal(fixture->seat->touch.n_points, 0);
}

static void destroyed_surface_drops_its_points(void **state)
{
	struct seat_fixture *fixture = *state;
	struct input_device *touch = &fixture->touch;
	show(fixture, 0, 0, 100, 100, 50, 50);
	show(fixture, 1, 1, 200, 100, 50, 50);
	touch_down(touch, 1, 110, 110);
	touch_down(touch, 2, 210, 110);
	touch_frame(touch);
	forget(fixture);
	destroy_surface(fixture, 0);
	heard(fixture, "lift A 0; tframe A; ");
	touch_motion(touch, 1, 111, 111);
	touch_up(touch, 1);
	touch_frame(touch);
	heard(fixture, "");
	touch_up(touch, 2);
	destroy_surface(fixture, 1);
	heard(fixture, "lift B 1; tframe B; ");
	touch_frame(touch);
	heard(fixture, "");
	assert_int_equal(fixture->seat->touch.n_points, 0);
}

/* Points have no position on a surface that is not shown. */
static void unmapped_surface_drops_its_points(void **state)
{
	struct seat_fixture *fixture = *state;
	struct input_device *touch = &fixture->touch;
	show(fixture, 0, 0, 100, 100, 50, 50);
	touch_down(touch, 1, 110, 110);
	touch_frame(touch);
	forget(fixture);
	surface_unmap(fixture->surfaces[0]);
	heard(fixture, "lift A 0; tframe A; ");
	surface_map(fixture->surfaces[0]);
	update(fixture);
	touch_motion(touch, 1, 111, 111);
	touch_up(touch, 1);
	touch_frame(touch);
	heard(fixture, "");
	touch_down(touch, 1, 110, 110);
	touch_frame(touch);
	heard(fixture, "touch A 0 10 10; tframe A; ");
	touch_up(touch, 1);
	surface_unmap(fixture->surfaces[0]);
	heard(fixture, "lift A 0; tframe A; ");
	touch_frame(touch);
	heard(fixture, "");
}

static void cancel_ends_all_points(void **state)
{
	struct seat_fixture *fixture = *state;
	struct input_device *touch = &fixture->touch;
	show(fixture, 0, 0, 100, 100, 50, 50);
	show(fixture, 1, 1, 200, 100, 50, 50);
	touch_down(touch, 1, 110, 110);
	touch_down(touch, 2, 111, 110);
	touch_down(touch, 3, 210, 110);
	forget(fixture);
	signal_emit(&touch->events.touch_cancel, &(struct input_touch_event){0});
	heard(fixture, "cancel A; cancel B; ");
	assert_int_equal(fixture->seat->touch.n_points, 0);
	signal_emit(&touch->events.touch_cancel, &(struct input_touch_event){0});
	heard(fixture, "");
}

static void number_of_points_is_bounded(void **state)
{
	struct seat_fixture *fixture = *state;
	show(fixture, 0, 0, 0, 0, 500, 500);
	for (int32_t id = 0; id < SEAT_TOUCHES_MAX + 5; id++) {
		touch_down(&fixture->touch, id, 10, 10);
	}
	assert_int_equal(fixture->seat->touch.n_points, SEAT_TOUCHES_MAX);
	for (int32_t id = SEAT_TOUCHES_MAX + 4; id >= 0; id--) {
		touch_up(&fixture->touch, id);
	}
	touch_frame(&fixture->touch);
	assert_int_equal(fixture->seat->touch.n_points, 0);
}

/* Grabs. */

struct test_grab {
	struct touch_grab base;
	int n_down, n_up, n_motion, n_ends;
};

static void grab_down(struct touch_grab *base, int64_t time, int32_t id, struct coord_global at)
{
	struct test_grab *grab = wl_container_of(base, grab, base);
	grab->n_down++;
}

static void grab_up(struct touch_grab *base, int64_t time, int32_t id)
{
	struct test_grab *grab = wl_container_of(base, grab, base);
	struct seat_touch_point *point = touch_find(base->seat, id);
	grab->n_up++;
	assert_non_null(point);
	touch_send_up(base->seat, point, time);
	touch_end_grab(base->seat);
}

static void grab_motion(struct touch_grab *base, int64_t time, int32_t id, struct coord_global at)
{
	struct test_grab *grab = wl_container_of(base, grab, base);
	grab->n_motion++;
}

static void grab_end(struct touch_grab *base)
{
	struct test_grab *grab = wl_container_of(base, grab, base);
	grab->n_ends++;
}

static const struct touch_grab_impl grab_impl = {
	.down = grab_down,
	.up = grab_up,
	.motion = grab_motion,
	.end = grab_end,
};

static void grab_receives_points_until_it_ends(void **state)
{
	struct seat_fixture *fixture = *state;
	struct input_device *touch = &fixture->touch;
	struct test_grab grab = {.base.impl = &grab_impl};
	show(fixture, 0, 0, 100, 100, 50, 50);
	touch_down(touch, 1, 110, 110);
	touch_frame(touch);
	forget(fixture);
	touch_start_grab(fixture->seat, &grab.base);
	touch_motion(touch, 1, 120, 120);
	touch_down(touch, 2, 130, 130);
	heard(fixture, "");
	touch_up(touch, 1);
	touch_frame(touch);
	heard(fixture, "lift A 0; tframe A; ");
	assert_int_equal(grab.n_down, 1);
	assert_int_equal(grab.n_motion, 1);
	assert_int_equal(grab.n_up, 1);
	assert_int_equal(grab.n_ends, 1);
	/* The point that began during the grab has no focus. */
	touch_motion(touch, 2, 131, 131);
	touch_up(touch, 2);
	touch_frame(touch);
	heard(fixture, "");
	assert_int_equal(fixture->seat->touch.n_points, 0);
}

static void consume(struct wl_listener *listener, void *data)
{
	struct seat_press *press = data;
	assert_true(press->touch);
	press->consumed = true;
}

static void consumed_touch_reaches_no_client(void **state)
{
	struct seat_fixture *fixture = *state;
	struct wl_listener listener = {.notify = consume};
	show(fixture, 0, 0, 100, 100, 50, 50);
	wl_signal_add(&fixture->seat->events.press, &listener);
	touch_down(&fixture->touch, 1, 110, 110);
	touch_motion(&fixture->touch, 1, 111, 110);
	touch_up(&fixture->touch, 1);
	touch_frame(&fixture->touch);
	heard(fixture, "");
	wl_list_remove(&listener.link);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, seat_setup, seat_teardown)
	const struct CMUnitTest tests[] = {
		TEST(points_stay_with_their_surface),
		TEST(points_of_two_screens_are_distinct),
		TEST(destroyed_surface_drops_its_points),
		TEST(unmapped_surface_drops_its_points),
		TEST(cancel_ends_all_points),
		TEST(number_of_points_is_bounded),
		TEST(grab_receives_points_until_it_ends),
		TEST(consumed_touch_reaches_no_client),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
