/* SPDX-License-Identifier: MIT */
/*
 * The pointer of a seat: focus, buttons, grabs, constraints, and surfaces that move or are
 * destroyed.
 */

#include "harness/seat.h"
#include "util/signal.h"
#include <linux/input-event-codes.h>
#include <string.h>

static void focus_follows_the_pointer(void **state)
{
	struct seat_fixture *fixture = *state;
	show(fixture, 0, 0, 100, 100, 50, 50);
	show(fixture, 1, 0, 150, 100, 50, 50);
	show(fixture, 2, 1, 200, 100, 50, 50);
	heard(fixture, "");
	move_to(fixture, 110, 105);
	heard(fixture, "enter A 10 5; frame A; ");
	move_by(fixture, 5, 1);
	heard(fixture, "motion A 15 6; frame A; ");
	/* Leave and enter within one client share a frame event. */
	move_to(fixture, 150, 100);
	heard(fixture, "leave A; enter B 0 0; frame B; ");
	move_to(fixture, 249.5, 149.5);
	heard(fixture, "leave B; frame B; enter C 49.5 49.5; frame C; ");
	move_to(fixture, 250, 150);
	heard(fixture, "leave C; frame C; ");
	move_to(fixture, 250, 150);
	heard(fixture, "");
}

static void focus_follows_scene_changes(void **state)
{
	struct seat_fixture *fixture = *state;
	show(fixture, 0, 0, 100, 100, 50, 50);
	move_to(fixture, 110, 110);
	forget(fixture);
	move_surface(fixture, 0, 90, 95);
	heard(fixture, "motion A 20 15; frame A; ");
	move_surface(fixture, 0, 200, 200);
	heard(fixture, "leave A; frame A; ");
	move_surface(fixture, 0, 105, 109);
	heard(fixture, "enter A 5 1; frame A; ");
	/* A surface is mapped under the pointer and unmapped. */
	show(fixture, 1, 1, 0, 0, 200, 200);
	heard(fixture, "leave A; frame A; enter B 110 110; frame B; ");
	surface_unmap(fixture->surfaces[1]);
	heard(fixture, "leave B; frame B; ");
	update(fixture);
	heard(fixture, "enter A 5 1; frame A; ");
	destroy_surface(fixture, 0);
	heard(fixture, "leave A; frame A; ");
	update(fixture);
	assert_null(fixture->seat->pointer.focus);
	heard(fixture, "");
}

static void refocus_follows_a_changed_scene(void **state)
{
	struct seat_fixture *fixture = *state;
	show(fixture, 0, 0, 100, 100, 50, 50);
	move_to(fixture, 110, 110);
	forget(fixture);
	scene_node_set_position(&fixture->trees[0]->node, 105, 105);
	assert_true(scene_is_dirty(fixture->scene));
	seat_refocus(fixture->seat);
	heard(fixture, "motion A 5 5; frame A; ");
	update(fixture);
	assert_false(scene_is_dirty(fixture->scene));
	heard(fixture, "");
}

static void button_keeps_the_focus(void **state)
{
	struct seat_fixture *fixture = *state;
	struct seat *seat = fixture->seat;
	show(fixture, 0, 0, 100, 100, 50, 50);
	show(fixture, 1, 1, 200, 100, 50, 50);
	move_to(fixture, 110, 110);
	forget(fixture);
	press(fixture, BTN_LEFT);
	heard(fixture, "press A 110; frame A; ");
	uint32_t serial = fixture->serial;
	assert_int_equal(seat->pointer.press_serial, serial);
	assert_true(seat_claim_press(seat, serial, fixture->surfaces[0]));
	assert_false(seat_claim_press(seat, serial, fixture->surfaces[1]));
	assert_false(seat_claim_press(seat, serial + 1, fixture->surfaces[0]));
	/* The focus stays with A, in A's coordinates, over B and over no surface. */
	move_to(fixture, 210, 110);
	heard(fixture, "motion A 110 10; frame A; ");
	press(fixture, BTN_RIGHT);
	release(fixture, BTN_LEFT);
	heard(fixture, "press A 111; frame A; release A 110; frame A; ");
	move_to(fixture, 205, 5);
	heard(fixture, "motion A 105 -95; frame A; ");
	move_to(fixture, 205, 105);
	forget(fixture);
	release(fixture, BTN_RIGHT);
	heard(fixture, "release A 111; frame A; leave A; frame A; enter B 5 5; frame B; ");
	assert_true(seat_validate_serial(seat, serial));
	assert_false(seat_claim_press(seat, serial, fixture->surfaces[0]));
	assert_false(seat_validate_serial(seat, 12345));
}

static void destroyed_focus_swallows_the_release(void **state)
{
	struct seat_fixture *fixture = *state;
	show(fixture, 0, 0, 100, 100, 50, 50);
	show(fixture, 1, 1, 100, 100, 50, 50);
	move_to(fixture, 110, 110);
	press(fixture, BTN_LEFT);
	uint32_t serial = fixture->serial;
	forget(fixture);
	destroy_surface(fixture, 1);
	update(fixture);
	heard(fixture, "leave B; frame B; ");
	assert_false(seat_claim_press(fixture->seat, serial, fixture->surfaces[0]));
	/* The surface below did not get the press: it gets no release and is entered afterwards. */
	move_by(fixture, 1, 1);
	release(fixture, BTN_LEFT);
	heard(fixture, "enter A 11 11; frame A; ");
}

static void consume(struct wl_listener *listener, void *data)
{
	struct seat_press *press = data;
	press->consumed = true;
}

static void consumed_press_reaches_no_client(void **state)
{
	struct seat_fixture *fixture = *state;
	struct wl_listener listener = {.notify = consume};
	show(fixture, 0, 0, 100, 100, 50, 50);
	move_to(fixture, 110, 110);
	forget(fixture);
	wl_signal_add(&fixture->seat->events.press, &listener);
	press(fixture, BTN_LEFT);
	wl_list_remove(&listener.link);
	press(fixture, BTN_RIGHT);
	heard(fixture, "press A 111; frame A; ");
	release(fixture, BTN_LEFT);
	heard(fixture, "");
	release(fixture, BTN_RIGHT);
	heard(fixture, "release A 111; frame A; ");
}

static void buttons_of_all_devices_are_one_set(void **state)
{
	struct seat_fixture *fixture = *state;
	struct input_device other;
	show(fixture, 0, 0, 100, 100, 50, 50);
	move_to(fixture, 110, 110);
	input_device_init(&other, INPUT_POINTER, "other");
	seat_add_device(fixture->seat, &other);
	forget(fixture);
	press(fixture, BTN_LEFT);
	struct input_button_event event = {0, BTN_LEFT, true};
	signal_emit(&other.events.button, &event);
	release(fixture, BTN_LEFT);
	heard(fixture, "press A 110; frame A; ");
	/* The other device is removed with the button down. */
	input_device_finish(&other);
	heard(fixture, "release A 110; frame A; ");
	press(fixture, 0x7fffffff);
	press(fixture, KEY_CNT);
	heard(fixture, "");
	assert_int_equal(fixture->seat->pointer.n_buttons, 0);
}

static void removing_the_last_pointer_clears_the_focus(void **state)
{
	struct seat_fixture *fixture = *state;
	show(fixture, 0, 0, 100, 100, 50, 50);
	move_to(fixture, 110, 110);
	forget(fixture);
	input_device_finish(&fixture->pointer);
	heard(fixture, "leave A; frame A; capabilities 6; ");
	update(fixture);
	move_surface(fixture, 0, 90, 90);
	heard(fixture, "");
	input_device_init(&fixture->pointer, INPUT_POINTER, "again");
	seat_add_device(fixture->seat, &fixture->pointer);
	heard(fixture, "capabilities 7; enter A 20 20; frame A; ");
}

/* Grabs. */

struct test_grab {
	struct pointer_grab base;
	int n_motions, n_buttons, n_axes, n_frames, n_refocuses, n_ends;
	bool end_on_release;
};

static void grab_motion(struct pointer_grab *base, int64_t time)
{
	struct test_grab *grab = wl_container_of(base, grab, base);
	grab->n_motions++;
}

static void grab_button(struct pointer_grab *base, const struct input_button_event *event)
{
	struct test_grab *grab = wl_container_of(base, grab, base);
	grab->n_buttons++;
	if (!event->pressed && grab->end_on_release) {
		pointer_end_grab(base->seat);
	}
}

static void grab_axis(struct pointer_grab *base, const struct input_axis_event *event)
{
	struct test_grab *grab = wl_container_of(base, grab, base);
	grab->n_axes++;
}

static void grab_frame(struct pointer_grab *base)
{
	struct test_grab *grab = wl_container_of(base, grab, base);
	grab->n_frames++;
}

static void grab_refocus(struct pointer_grab *base)
{
	struct test_grab *grab = wl_container_of(base, grab, base);
	grab->n_refocuses++;
}

static void grab_end(struct pointer_grab *base)
{
	struct test_grab *grab = wl_container_of(base, grab, base);
	assert_ptr_not_equal(base->seat->pointer.grab, base);
	grab->n_ends++;
}

static const struct pointer_grab_impl grab_impl = {
	.motion = grab_motion,
	.button = grab_button,
	.axis = grab_axis,
	.frame = grab_frame,
	.refocus = grab_refocus,
	.end = grab_end,
};

static void grab_receives_events_until_it_ends(void **state)
{
	struct seat_fixture *fixture = *state;
	struct seat *seat = fixture->seat;
	struct test_grab grab = {.base.impl = &grab_impl, .end_on_release = true};
	show(fixture, 0, 0, 100, 100, 50, 50);
	move_to(fixture, 110, 110);
	press(fixture, BTN_LEFT);
	forget(fixture);
	pointer_start_grab(seat, &grab.base);
	pointer_set_focus(seat, NULL, (struct coord_surface){0});
	heard(fixture, "leave A; frame A; ");
	move_to(fixture, 120, 120);
	struct input_axis_event axis = {.value = 10};
	signal_emit(&fixture->pointer.events.axis, &axis);
	move_surface(fixture, 0, 101, 101);
	heard(fixture, "");
	assert_int_equal(grab.n_motions, 1);
	assert_int_equal(grab.n_axes, 1);
	assert_int_equal(grab.n_frames, 1);
	assert_true(grab.n_refocuses >= 1);
	assert_true(seat->pointer.at.x == 120);
	release(fixture, BTN_LEFT);
	assert_int_equal(grab.n_buttons, 1);
	assert_int_equal(grab.n_ends, 1);
	heard(fixture, "enter A 19 19; frame A; ");
}

static void replaced_grab_is_ended(void **state)
{
	struct seat_fixture *fixture = *state;
	struct seat *seat = fixture->seat;
	struct test_grab first = {.base.impl = &grab_impl}, second = {.base.impl = &grab_impl};
	show(fixture, 0, 0, 100, 100, 50, 50);
	pointer_start_grab(seat, &first.base);
	pointer_start_grab(seat, &second.base);
	assert_int_equal(first.n_ends, 1);
	assert_int_equal(second.n_ends, 0);
	move_to(fixture, 110, 110);
	assert_int_equal(first.n_motions, 0);
	assert_int_equal(second.n_motions, 1);
	heard(fixture, "");
	/* Events that a grab forwards reach the focus that it set. */
	pointer_set_focus(seat, fixture->surfaces[0], (struct coord_surface){10, 10});
	pointer_send_button(seat, &(struct input_button_event){0, BTN_LEFT, true});
	pointer_send_button(seat, &(struct input_button_event){0, BTN_RIGHT, false});
	pointer_send_button(seat, &(struct input_button_event){0, BTN_LEFT, false});
	pointer_send_frame(seat);
	pointer_send_frame(seat);
	heard(fixture, "enter A 10 10; frame A; press A 110; release A 110; frame A; ");
	pointer_end_grab(seat);
	assert_int_equal(second.n_ends, 1);
	pointer_end_grab(seat);
	assert_int_equal(second.n_ends, 1);
}

/* The output layout. */

static void pointer_stays_on_outputs(void **state)
{
	struct seat_fixture *fixture = *state;
	struct seat_pointer *pointer = &fixture->seat->pointer;
	assert_true(pointer->at.x == OUTPUT_WIDTH && pointer->at.y == OUTPUT_HEIGHT / 2);
	move_by(fixture, -5000, -5000);
	assert_true(pointer->at.x == 0 && pointer->at.y == 0);
	move_by(fixture, 5000, 5000);
	assert_true(pointer->at.x < 2 * OUTPUT_WIDTH && pointer->at.x > 2 * OUTPUT_WIDTH - 1);
	assert_true(pointer->at.y < OUTPUT_HEIGHT && pointer->at.y > OUTPUT_HEIGHT - 1);
	/* Absolute positions relative to one output. */
	struct input_motion_absolute_event event = {.x = 0.5, .y = 0.25, .output = "RIGHT"};
	signal_emit(&fixture->pointer.events.motion_absolute, &event);
	assert_true(pointer->at.x == 1500 && pointer->at.y == 150);
	/* The output is removed: the pointer moves to the remaining one. */
	scene_output_destroy(fixture->shown[1]);
	fixture->shown[1] = NULL;
	assert_true(pointer->at.x < OUTPUT_WIDTH && pointer->at.y == 150);
}

static void count_motion(struct wl_listener *listener, void *data);

struct relative {
	struct wl_listener listener;
	double dx, dy;
	int n;
};

static void count_motion(struct wl_listener *listener, void *data)
{
	struct relative *relative = wl_container_of(listener, relative, listener);
	const struct input_motion_event *event = data;
	relative->dx += event->dx;
	relative->dy += event->dy;
	relative->n++;
}

static void locked_pointer_sends_relative_motion_only(void **state)
{
	struct seat_fixture *fixture = *state;
	struct seat *seat = fixture->seat;
	struct relative relative = {.listener.notify = count_motion};
	show(fixture, 0, 0, 100, 100, 50, 50);
	move_to(fixture, 110, 110);
	forget(fixture);
	struct pointer_constraint lock = {.locked = true, .surface = fixture->surfaces[0]};
	pixman_region32_init_rect(&lock.region, 0, 0, 50, 50);
	pointer_set_constraint(seat, &lock);
	assert_true(lock.active);
	wl_signal_add(&seat->pointer.events.motion, &relative.listener);
	move_by(fixture, 3, 4);
	heard(fixture, "");
	assert_true(relative.dx == 3 && relative.dy == 4);
	assert_true(seat->pointer.at.x == 110);
	/* An absolute device: relative motion is the difference of its positions. */
	move_to(fixture, 200, 200);
	relative.dx = relative.dy = 0;
	move_to(fixture, 210, 190);
	assert_true(relative.dx == 10 && relative.dy == -10);
	press(fixture, BTN_LEFT);
	release(fixture, BTN_LEFT);
	heard(fixture, "press A 110; frame A; release A 110; frame A; ");
	pointer_set_constraint(seat, NULL);
	assert_false(lock.active);
	move_by(fixture, 1, 1);
	heard(fixture, "motion A 11 11; frame A; ");
	wl_list_remove(&relative.listener.link);
	pixman_region32_fini(&lock.region);
}

static void confined_pointer_stays_in_the_region(void **state)
{
	struct seat_fixture *fixture = *state;
	struct seat *seat = fixture->seat;
	show(fixture, 0, 0, 100, 100, 50, 50);
	move_to(fixture, 110, 110);
	forget(fixture);
	struct pointer_constraint confine = {.surface = fixture->surfaces[0]};
	pixman_region32_init_rect(&confine.region, 0, 0, 50, 50);
	pointer_set_constraint(seat, &confine);
	move_by(fixture, 500, 2);
	heard(fixture, "motion A 49 12; frame A; ");
	move_to(fixture, 0, 600);
	heard(fixture, "motion A 0 49; frame A; ");
	pointer_set_constraint(seat, NULL);
	pixman_region32_fini(&confine.region);
}

static void motion_onto_another_surface_is_not_sent_as_relative_motion(void **state)
{
	struct seat_fixture *fixture = *state;
	struct relative relative = {.listener.notify = count_motion};
	show(fixture, 0, 0, 100, 100, 50, 50);
	show(fixture, 1, 0, 150, 100, 50, 50);
	move_to(fixture, 110, 110);
	wl_signal_add(&fixture->seat->pointer.events.motion, &relative.listener);
	move_by(fixture, 50, 0);
	assert_int_equal(relative.n, 0);
	move_by(fixture, 2, 0);
	assert_true(relative.dx == 2);
	move_by(fixture, 100, 0);
	assert_int_equal(relative.n, 1);
	wl_list_remove(&relative.listener.link);
}

static void leave_begins_a_frame(void **state)
{
	struct seat_fixture *fixture = *state;
	show(fixture, 0, 0, 100, 100, 50, 50);
	move_to(fixture, 110, 110);
	forget(fixture);
	struct input_motion_event motion = {.dx = 1};
	signal_emit(&fixture->pointer.events.motion, &motion);
	motion.dx = 100;
	signal_emit(&fixture->pointer.events.motion, &motion);
	heard(fixture, "motion A 11 10; frame A; leave A; frame A; ");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, seat_setup, seat_teardown)
	const struct CMUnitTest tests[] = {
		TEST(focus_follows_the_pointer),
		TEST(focus_follows_scene_changes),
		TEST(refocus_follows_a_changed_scene),
		TEST(button_keeps_the_focus),
		TEST(destroyed_focus_swallows_the_release),
		TEST(consumed_press_reaches_no_client),
		TEST(buttons_of_all_devices_are_one_set),
		TEST(removing_the_last_pointer_clears_the_focus),
		TEST(grab_receives_events_until_it_ends),
		TEST(replaced_grab_is_ended),
		TEST(pointer_stays_on_outputs),
		TEST(locked_pointer_sends_relative_motion_only),
		TEST(motion_onto_another_surface_is_not_sent_as_relative_motion),
		TEST(leave_begins_a_frame),
		TEST(confined_pointer_stays_in_the_region),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
