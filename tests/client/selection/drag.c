/* SPDX-License-Identifier: MIT */
/* Drag and drop between clients: events, actions, icons, and clients that die at any stage. */

#include "harness/client/transfer.h"
#include "seat/seat.h"
#include "util/signal.h"
#include <string.h>
#include <unistd.h>

static struct wl_data_source *start_drag(struct test *test, uint32_t actions)
{
	struct party *a = &test->a;
	struct wl_data_source *source = make_source(a, actions);
	point(test, 50, 50);
	press(test, true);
	forget(a);
	wl_data_device_start_drag(
		a->device, source, a->window->surface, NULL, seat_of(test)->pointer.press_serial);
	fixture_pump(test->fixture);
	return source;
}

static void drag_transfers_data_after_the_drop(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a, *b = &test->b;
	start_drag(test, COPY | MOVE);
	heard(a, "offer; type text/plain; actions 3; enter 50 50; ");
	point(test, 60, 40);
	heard(a, "motion 60 40; ");
	point(test, 210, 20);
	heard(a, "leave; ");
	heard(b, "offer; type text/plain; actions 3; enter 10 20; ");
	wl_data_offer_accept(b->dragged, 0, TEXT);
	wl_data_offer_set_actions(b->dragged, COPY | MOVE, MOVE);
	heard(b, "action 2; ");
	heard(a, "target text/plain; source action 2; ");
	/* Data can be read before the drop. */
	assert_string_equal(receive(test, b->dragged, TEXT), DATA);
	heard(a, "send text/plain; ");
	press(test, false);
	heard(b, "drop; leave; ");
	heard(a, "dropped; ");
	assert_string_equal(receive(test, b->dragged, TEXT), DATA);
	wl_data_offer_finish(b->dragged);
	heard(a, "send text/plain; finished; ");
	wl_data_offer_destroy(b->dragged);
	heard(a, "");
	assert_null(seat_of(test)->pointer.grab);
	assert_null(seat_of(test)->keyboard.grab);
}

static void handle_other_offer(
	void *data, struct wl_data_device *device, struct wl_data_offer *offer)
{
	*(struct wl_data_offer **)data = offer;
}

static void handle_other_enter(void *data, struct wl_data_device *device, uint32_t serial,
	struct wl_surface *surface, wl_fixed_t x, wl_fixed_t y, struct wl_data_offer *offer)
{
}

static void handle_other_leave(void *data, struct wl_data_device *device)
{
}

static void handle_other_motion(
	void *data, struct wl_data_device *device, uint32_t time, wl_fixed_t x, wl_fixed_t y)
{
}

static void handle_other_selection(
	void *data, struct wl_data_device *device, struct wl_data_offer *offer)
{
}

static const struct wl_data_device_listener other_listener = {
	.data_offer = handle_other_offer,
	.enter = handle_other_enter,
	.leave = handle_other_leave,
	.motion = handle_other_motion,
	.drop = handle_other_leave,
	.selection = handle_other_selection,
};

/* Each toolkit in a program has a data device; those that did not take the drop destroy offers. */
static void drop_belongs_to_the_device_that_accepted(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a, *b = &test->b;
	struct wl_data_offer *other = NULL;
	struct wl_data_device *device =
		wl_data_device_manager_get_data_device(b->manager, b->peer->seat);
	wl_data_device_add_listener(device, &other_listener, &other);
	start_drag(test, COPY | MOVE);
	point(test, 210, 20);
	assert_non_null(other);
	wl_data_offer_accept(b->dragged, 0, TEXT);
	wl_data_offer_set_actions(b->dragged, COPY, COPY);
	fixture_pump(test->fixture);
	key(test, KEY_LEFTCTRL, true);
	key(test, KEY_LEFTCTRL, false);
	forget(a);
	press(test, false);
	heard(a, "dropped; ");
	wl_data_offer_destroy(other);
	heard(a, "");
	wl_data_offer_finish(b->dragged);
	heard(a, "finished; ");
}

static void drop_without_common_action_is_cancelled(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a, *b = &test->b;
	start_drag(test, COPY);
	point(test, 210, 20);
	wl_data_offer_accept(b->dragged, 0, TEXT);
	wl_data_offer_set_actions(b->dragged, MOVE, MOVE);
	forget(a);
	forget(b);
	press(test, false);
	heard(b, "leave; ");
	heard(a, "target none; cancelled; ");
	assert_null(seat_of(test)->pointer.grab);
}

static void drop_on_the_background_is_cancelled(void **state)
{
	struct test *test = *state;
	start_drag(test, COPY);
	point(test, 150, 250);
	forget(&test->a);
	press(test, false);
	heard(&test->a, "cancelled; ");
}

static void modifiers_choose_the_action(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a, *b = &test->b;
	start_drag(test, COPY | MOVE);
	point(test, 210, 20);
	wl_data_offer_set_actions(b->dragged, COPY | MOVE, COPY);
	forget(a);
	forget(b);
	key(test, KEY_LEFTSHIFT, true);
	heard(b, "action 2; ");
	heard(a, "source action 2; ");
	key(test, KEY_LEFTSHIFT, false);
	heard(b, "action 1; ");
	/* Escape cancels the drag. */
	key(test, KEY_ESC, true);
	heard(b, "leave; ");
	heard(a, "source action 1; source action 0; cancelled; ");
	key(test, KEY_ESC, false);
	press(test, false);
	assert_null(seat_of(test)->pointer.grab);
}

static void handle_keymap(
	void *data, struct wl_keyboard *keyboard, uint32_t format, int32_t fd, uint32_t size)
{
	close(fd);
}

static void handle_keys(void *data, struct wl_keyboard *keyboard, uint32_t serial,
	struct wl_surface *surface, struct wl_array *keys)
{
	note(data, "%zu keys; ", keys->size / sizeof(uint32_t));
}

static void handle_no_keys(
	void *data, struct wl_keyboard *keyboard, uint32_t serial, struct wl_surface *surface)
{
	note(data, "no keys; ");
}

static void handle_key(void *data, struct wl_keyboard *keyboard, uint32_t serial, uint32_t time,
	uint32_t code, uint32_t state)
{
	note(data, "%s %u; ", state ? "down" : "up", code);
}

static void handle_modifiers(void *data, struct wl_keyboard *keyboard, uint32_t serial,
	uint32_t depressed, uint32_t latched, uint32_t locked, uint32_t group)
{
}

static const struct wl_keyboard_listener keyboard_listener = {
	.keymap = handle_keymap,
	.enter = handle_keys,
	.leave = handle_no_keys,
	.key = handle_key,
	.modifiers = handle_modifiers,
};

/* Web pages close dialogs by the release of Escape. */
static void key_that_cancels_reaches_no_client(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a, *b = &test->b;
	struct wl_seat *seat = peer_bind(b->peer, &wl_seat_interface, 3);
	wl_keyboard_add_listener(wl_seat_get_keyboard(seat), &keyboard_listener, b);
	start_drag(test, COPY);
	focus(test, b);
	forget(a);
	forget(b);
	key(test, KEY_A, true);
	key(test, KEY_ESC, true);
	heard(a, "leave; cancelled; ");
	heard(b, "down 30; ");
	key(test, KEY_ESC, false);
	key(test, KEY_A, false);
	heard(b, "up 30; ");
	press(test, false);
}

static void ask_is_resolved_after_the_drop(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a, *b = &test->b;
	start_drag(test, COPY | MOVE | ASK);
	point(test, 210, 20);
	wl_data_offer_accept(b->dragged, 0, TEXT);
	wl_data_offer_set_actions(b->dragged, COPY | MOVE | ASK, ASK);
	fixture_pump(test->fixture);
	press(test, false);
	forget(a);
	forget(b);
	wl_data_offer_set_actions(b->dragged, COPY | MOVE, MOVE);
	heard(b, "");
	wl_data_offer_finish(b->dragged);
	heard(a, "source action 2; finished; ");
}

static void unresolved_ask_is_an_error(void **state)
{
	struct test *test = *state;
	struct party *b = &test->b;
	start_drag(test, ASK);
	point(test, 210, 20);
	wl_data_offer_accept(b->dragged, 0, TEXT);
	wl_data_offer_set_actions(b->dragged, ASK, ASK);
	fixture_pump(test->fixture);
	press(test, false);
	wl_data_offer_finish(b->dragged);
	peer_expect_error(b->peer, &wl_data_offer_interface, WL_DATA_OFFER_ERROR_INVALID_FINISH);
	heard(&test->a, "offer; type text/plain; actions 4; enter 50 50; leave; target text/plain; "
			"source action 4; dropped; cancelled; ");
}

static void drop_on_b(struct test *test)
{
	struct party *b = &test->b;
	start_drag(test, COPY);
	point(test, 210, 20);
	wl_data_offer_accept(b->dragged, 0, TEXT);
	wl_data_offer_set_actions(b->dragged, COPY, COPY);
	fixture_pump(test->fixture);
	press(test, false);
	forget(&test->a);
}

static void destroyed_offer_cancels(void **state)
{
	struct test *test = *state;
	drop_on_b(test);
	/* Destroyed instead of finished. */
	wl_data_offer_destroy(test->b.dragged);
	heard(&test->a, "cancelled; ");
}

static void death_of_the_target_cancels(void **state)
{
	struct test *test = *state;
	drop_on_b(test);
	part(&test->b);
	heard(&test->a, "cancelled; ");
}

static void death_of_the_source_ends_the_transfer(void **state)
{
	struct test *test = *state;
	struct party *b = &test->b;
	drop_on_b(test);
	part(&test->a);
	fixture_pump(test->fixture);
	assert_string_equal(receive(test, b->dragged, TEXT), "");
	wl_data_offer_finish(b->dragged);
	wl_data_offer_destroy(b->dragged);
	assert_true(peer_alive(b->peer));
}

static void death_of_the_source_ends_the_drag(void **state)
{
	struct test *test = *state;
	start_drag(test, COPY);
	point(test, 210, 20);
	forget(&test->b);
	part(&test->a);
	/* The keyboard focus goes to the remaining window. */
	heard(&test->b, "leave; no selection; ");
	assert_null(seat_of(test)->pointer.grab);
	press(test, false);
	heard(&test->b, "");
}

static void target_can_die_during_the_drag(void **state)
{
	struct test *test = *state;
	start_drag(test, COPY);
	point(test, 210, 20);
	part(&test->b);
	point(test, 220, 20);
	point(test, 50, 50);
	forget(&test->a);
	press(test, false);
	assert_true(peer_alive(test->a.peer));
	assert_null(seat_of(test)->pointer.grab);
}

static void finish_before_the_drop_is_an_error(void **state)
{
	struct test *test = *state;
	start_drag(test, COPY);
	point(test, 210, 20);
	wl_data_offer_accept(test->b.dragged, 0, TEXT);
	wl_data_offer_set_actions(test->b.dragged, COPY, COPY);
	wl_data_offer_finish(test->b.dragged);
	peer_expect_error(
		test->b.peer, &wl_data_offer_interface, WL_DATA_OFFER_ERROR_INVALID_FINISH);
}

static void accept_after_finish_is_an_error(void **state)
{
	struct test *test = *state;
	drop_on_b(test);
	wl_data_offer_finish(test->b.dragged);
	wl_data_offer_accept(test->b.dragged, 0, TEXT);
	peer_expect_error(
		test->b.peer, &wl_data_offer_interface, WL_DATA_OFFER_ERROR_INVALID_OFFER);
}

static void two_preferred_actions_are_an_error(void **state)
{
	struct test *test = *state;
	start_drag(test, COPY | MOVE);
	point(test, 210, 20);
	wl_data_offer_set_actions(test->b.dragged, COPY | MOVE, COPY | MOVE);
	peer_expect_error(
		test->b.peer, &wl_data_offer_interface, WL_DATA_OFFER_ERROR_INVALID_ACTION);
	press(test, false);
}

static void stale_serial_starts_no_drag(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a;
	point(test, 50, 50);
	press(test, true);
	forget(a);
	wl_data_device_start_drag(a->device, make_source(a, COPY), a->window->surface, NULL,
		seat_of(test)->pointer.press_serial - 1);
	heard(a, "cancelled; ");
	assert_null(seat_of(test)->pointer.grab);
	press(test, false);
	/* Likewise after the button release. */
	wl_data_device_start_drag(a->device, make_source(a, COPY), a->window->surface, NULL,
		seat_of(test)->pointer.press_serial);
	heard(a, "cancelled; ");
}

static void drag_without_source_stays_in_its_client(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a;
	point(test, 50, 50);
	press(test, true);
	forget(a);
	wl_data_device_start_drag(
		a->device, NULL, a->window->surface, NULL, seat_of(test)->pointer.press_serial);
	heard(a, "enter 50 50 nothing; ");
	/* Other clients get no events. */
	point(test, 210, 20);
	heard(a, "leave; ");
	heard(&test->b, "");
	point(test, 51, 52);
	press(test, false);
	heard(a, "enter 51 52 nothing; drop; leave; ");
}

static void icon_follows_the_pointer(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a;
	struct wl_surface *icon = wl_compositor_create_surface(a->peer->compositor);
	struct peer_buffer *buffer = peer_buffer_create(a->peer, 10, 10, WL_SHM_FORMAT_XRGB8888);
	peer_buffer_fill(buffer, 0, 0, 10, 10, 0xff00ff00);
	point(test, 50, 50);
	press(test, true);
	wl_data_device_start_drag(a->device, make_source(a, COPY), a->window->surface, icon,
		seat_of(test)->pointer.press_serial);
	wl_surface_offset(icon, 20, 5);
	peer_surface_show(icon, buffer);
	fixture_settle(test->fixture);
	assert_int_equal(fixture_pixel(test->fixture, 75, 60), 0x00ff00);
	assert_int_equal(fixture_pixel(test->fixture, 85, 60), 0x336699);
	point(test, 60, 50);
	fixture_settle(test->fixture);
	assert_int_equal(fixture_pixel(test->fixture, 85, 60), 0x00ff00);
	/* The icon is no target of the drop. */
	point(test, 190, 45);
	point(test, 200, 50);
	fixture_settle(test->fixture);
	heard(&test->b, "offer; type text/plain; actions 1; enter 0 50; ");
	press(test, false);
	fixture_settle(test->fixture);
	assert_int_equal(fixture_pixel(test->fixture, 225, 60), 0x336699);
	wl_surface_destroy(icon);
	assert_true(peer_alive(a->peer));
}

static void icon_is_hidden_without_a_buffer(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a;
	struct wl_surface *icon = wl_compositor_create_surface(a->peer->compositor);
	struct peer_buffer *buffer = peer_buffer_create(a->peer, 10, 10, WL_SHM_FORMAT_XRGB8888);
	peer_buffer_fill(buffer, 0, 0, 10, 10, 0xff00ff00);
	point(test, 50, 20);
	press(test, true);
	wl_data_device_start_drag(a->device, make_source(a, COPY), a->window->surface, icon,
		seat_of(test)->pointer.press_serial);
	fixture_settle(test->fixture);
	uint32_t background = fixture_pixel(test->fixture, 75, 30);
	assert_int_not_equal(background, 0x00ff00);
	wl_surface_offset(icon, 20, 5); /* beside the cursor */
	const struct surface *surface = peer_surface_find(a->peer, icon);
	assert_false(surface->mapped);
	for (int i = 0; i < 2; i++) {
		peer_surface_show(icon, buffer);
		fixture_settle(test->fixture);
		assert_int_equal(fixture_pixel(test->fixture, 75, 30), 0x00ff00);
		assert_true(surface->mapped);
		/* A commit without a buffer changes nothing. */
		wl_surface_commit(icon);
		fixture_settle(test->fixture);
		assert_true(surface->mapped);
		wl_surface_attach(icon, NULL, 0, 0);
		wl_surface_commit(icon);
		fixture_settle(test->fixture);
		assert_int_equal(fixture_pixel(test->fixture, 75, 30), background);
		assert_false(surface->mapped);
	}
	/* Both coordinates follow the pointer. */
	peer_surface_show(icon, buffer);
	point(test, 60, 45);
	fixture_settle(test->fixture);
	assert_int_equal(fixture_pixel(test->fixture, 80, 50), 0x00ff00);
	assert_int_equal(fixture_pixel(test->fixture, 89, 59), 0x00ff00);
	assert_int_equal(fixture_pixel(test->fixture, 79, 50), background);
	assert_int_equal(fixture_pixel(test->fixture, 80, 49), background);
	press(test, false);
	fixture_settle(test->fixture);
	assert_int_equal(fixture_pixel(test->fixture, 80, 50), background);
}

static void icon_can_be_destroyed_during_the_drag(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a;
	struct wl_surface *icon = wl_compositor_create_surface(a->peer->compositor);
	point(test, 50, 50);
	press(test, true);
	wl_data_device_start_drag(a->device, make_source(a, COPY), a->window->surface, icon,
		seat_of(test)->pointer.press_serial);
	fixture_pump(test->fixture);
	wl_surface_destroy(icon);
	point(test, 60, 50);
	press(test, false);
	assert_true(peer_alive(a->peer));
}

static void icon_with_a_role_is_an_error(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a;
	wl_data_device_start_drag(
		a->device, make_source(a, COPY), a->window->surface, a->window->surface, 0);
	peer_expect_error(a->peer, &wl_data_device_interface, WL_DATA_DEVICE_ERROR_ROLE);
}

static void emit_touch(struct test *test, struct wl_signal *signal, double x, double y)
{
	struct input_touch_event event = {.id = 3, .x = x / 400, .y = y / 300};
	signal_emit(signal, &event);
	signal_emit(&test->touch->events.touch_frame, NULL);
	fixture_pump(test->fixture);
}

static void touch_can_drag(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a, *b = &test->b;
	emit_touch(test, &test->touch->events.touch_down, 50, 50);
	struct seat_touch_point *point = touch_find(seat_of(test), 0);
	assert_non_null(point);
	forget(a);
	wl_data_device_start_drag(
		a->device, make_source(a, COPY), a->window->surface, NULL, point->serial);
	heard(a, "offer; type text/plain; actions 1; enter 50 50; ");
	emit_touch(test, &test->touch->events.touch_motion, 210, 20);
	heard(b, "offer; type text/plain; actions 1; enter 10 20; ");
	wl_data_offer_accept(b->dragged, 0, TEXT);
	wl_data_offer_set_actions(b->dragged, COPY, COPY);
	fixture_pump(test->fixture);
	emit_touch(test, &test->touch->events.touch_up, 0, 0);
	heard(b, "action 1; drop; leave; ");
	assert_null(seat_of(test)->touch.grab);
	assert_int_equal(seat_of(test)->touch.n_points, 0);
}

/* Before version 3 there are no actions, and each drop succeeds. */
static void version_1_drags_without_actions(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a, *b = &test->b;
	start_drag(test, 0);
	point(test, 210, 20);
	forget(a);
	heard(b, "offer; type text/plain; enter 10 20; ");
	press(test, false);
	heard(b, "drop; leave; ");
	assert_string_equal(receive(test, b->dragged, TEXT), DATA);
	heard(a, "send text/plain; ");
	wl_data_offer_destroy(b->dragged);
	heard(a, "");
	/* The "cancelled" event is for selections only. */
	start_drag(test, 0);
	point(test, 150, 250);
	forget(a);
	press(test, false);
	heard(a, "");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(drag_transfers_data_after_the_drop),
		TEST(drop_belongs_to_the_device_that_accepted),
		TEST(drop_without_common_action_is_cancelled),
		TEST(drop_on_the_background_is_cancelled),
		TEST(modifiers_choose_the_action),
		TEST(key_that_cancels_reaches_no_client),
		TEST(ask_is_resolved_after_the_drop),
		TEST(unresolved_ask_is_an_error),
		TEST(destroyed_offer_cancels),
		TEST(death_of_the_target_cancels),
		TEST(death_of_the_source_ends_the_transfer),
		TEST(death_of_the_source_ends_the_drag),
		TEST(target_can_die_during_the_drag),
		TEST(finish_before_the_drop_is_an_error),
		TEST(accept_after_finish_is_an_error),
		TEST(two_preferred_actions_are_an_error),
		TEST(stale_serial_starts_no_drag),
		TEST(drag_without_source_stays_in_its_client),
		TEST(icon_follows_the_pointer),
		TEST(icon_is_hidden_without_a_buffer),
		TEST(icon_can_be_destroyed_during_the_drag),
		TEST(icon_with_a_role_is_an_error),
		TEST(touch_can_drag),
		cmocka_unit_test_setup_teardown(
			version_1_drags_without_actions, setup_old, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
