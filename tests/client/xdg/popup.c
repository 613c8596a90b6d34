/* SPDX-License-Identifier: MIT */
/* xdg_popup: placement, reposition, grabs, and popups without parents. */

#include "harness/client/xdg_peer.h"
#include "harness/hand.h"
#include "seat/seat.h"
#include "surface/surface.h"

static void popup_slides_into_the_output(void **state)
{
	struct test *test = *state;
	struct peer_window *window = peer_window_create(test->peer, 100, 100, 200, 150, 0xffff0000);
	struct popup *popup = popup_create(test, window->xdg_surface, popup_rules(test, 20, 30));
	fixture_pump(test->fixture);
	assert_int_equal(popup->n_configures, 0); /* not before its commit */
	popup_map(popup);
	assert_int_equal(popup->n_configures, 1);
	assert_int_equal(popup->x, 20);
	assert_int_equal(popup->y, 30);
	assert_int_equal(popup->width, 50);
	assert_int_equal(fixture_pixel(test->fixture, 121, 131), 0x00ff00);
	assert_int_equal(fixture_pixel(test->fixture, 119, 131), 0xff0000);

	/* At the edge of the output it slides; its position is relative to the window geometry. */
	popup_destroy(popup);
	xdg_surface_set_window_geometry(window->xdg_surface, 10, 10, 180, 130);
	wl_surface_commit(window->surface);
	peer_window_place(window, 200, 100);
	popup = popup_create(test, window->xdg_surface, popup_rules(test, 170, 0));
	popup_map(popup);
	assert_int_equal(popup->x, 150);
	assert_int_equal(fixture_pixel(test->fixture, 351, 101), 0x00ff00);
	assert_int_equal(fixture_pixel(test->fixture, 349, 101), 0xff0000);
	popup_destroy(popup);
}

static void reposition_applies_after_the_acknowledgement(void **state)
{
	struct test *test = *state;
	struct peer_window *window = peer_window_create(test->peer, 100, 100, 200, 150, 0xffff0000);
	struct popup *popup = popup_create(test, window->xdg_surface, popup_rules(test, 20, 30));
	popup_map(popup);
	popup->mute = true;
	struct xdg_positioner *positioner = popup_rules(test, 60, 50);
	xdg_popup_reposition(popup->popup, positioner, 77);
	xdg_positioner_destroy(positioner);
	fixture_settle(test->fixture);
	assert_int_equal(popup->n_repositioned, 1);
	assert_int_equal(popup->token, 77);
	assert_int_equal(popup->x, 60);
	/* The popup moves after the acknowledgement, without new content. */
	assert_int_equal(fixture_pixel(test->fixture, 121, 131), 0x00ff00);
	point(test, 150, 160);
	const struct seat_pointer *pointer = &test->fixture->server->seat->pointer;
	assert_ptr_equal(pointer->focus, peer_surface_find(test->peer, popup->surface));
	xdg_surface_ack_configure(popup->xdg_surface, popup->serial);
	fixture_pump(test->fixture);
	/* The pointer focus follows at once. */
	assert_ptr_equal(pointer->focus, peer_surface_find(test->peer, window->surface));
	fixture_settle(test->fixture);
	assert_int_equal(fixture_pixel(test->fixture, 121, 131), 0xff0000);
	assert_int_equal(fixture_pixel(test->fixture, 161, 151), 0x00ff00);
	wl_surface_commit(popup->surface);
	fixture_settle(test->fixture);
	assert_int_equal(fixture_pixel(test->fixture, 161, 151), 0x00ff00);
	/* With another size it moves at the next commit. */
	positioner = popup_rules(test, 20, 30);
	xdg_positioner_set_size(positioner, 20, 20);
	xdg_popup_reposition(popup->popup, positioner, 78);
	xdg_positioner_destroy(positioner);
	fixture_settle(test->fixture);
	xdg_surface_ack_configure(popup->xdg_surface, popup->serial);
	fixture_settle(test->fixture);
	assert_int_equal(fixture_pixel(test->fixture, 121, 131), 0xff0000);
	wl_surface_commit(popup->surface);
	fixture_settle(test->fixture);
	assert_int_equal(fixture_pixel(test->fixture, 121, 131), 0x00ff00);
	popup_destroy(popup);
}

static void popup_of_a_lost_device_is_dismissed(void **state)
{
	struct test *test = *state;
	struct peer_window *window = peer_window_create(test->peer, 50, 50, 200, 100, 0xffff0000);
	struct popup *popup = popup_create(test, window->xdg_surface, popup_rules(test, 20, 30));
	popup_map(popup);
	popup_expect_lost(test, popup);
}

static void reactive_popup_follows_its_parent(void **state)
{
	struct test *test = *state;
	struct peer_window *window = peer_window_create(test->peer, 100, 100, 200, 150, 0xffff0000);
	struct xdg_positioner *positioner = popup_rules(test, 180, 30);
	xdg_positioner_set_reactive(positioner);
	struct popup *popup = popup_create(test, window->xdg_surface, positioner);
	popup_map(popup);
	assert_int_equal(popup->x, 180);
	peer_window_place(window, 190, 100);
	assert_int_equal(popup->n_configures, 2);
	assert_int_equal(popup->x, 160);
	peer_window_place(window, 190, 90); /* unchanged */
	assert_int_equal(popup->n_configures, 2);
	popup_destroy(popup);
}

static void grab_lasts_until_a_click_outside(void **state)
{
	struct test *test = *state;
	struct peer *other = peer_create(test->fixture);
	struct peer_window *window = peer_window_create(test->peer, 0, 0, 200, 150, 0xffff0000);
	struct peer_window *beside = peer_window_create(other, 250, 0, 100, 100, 0xff0000ff);
	click(test, 10, 10);
	struct popup *menu = popup_create(test, window->xdg_surface, popup_rules(test, 20, 30));
	xdg_popup_grab(menu->popup, test->peer->seat, last_serial(test));
	popup_map(menu);
	assert_true(popup_is_mapped(menu));
	assert_ptr_equal(keyboard_focus(test), peer_surface_find(test->peer, menu->surface));
	struct popup *nested = popup_create(test, menu->xdg_surface, popup_rules(test, 40, 10));
	xdg_popup_grab(nested->popup, test->peer->seat, last_serial(test));
	popup_map(nested);
	assert_ptr_equal(keyboard_focus(test), peer_surface_find(test->peer, nested->surface));

	/* The client's own windows get clicks as usual. */
	click(test, 10, 10);
	assert_int_equal(menu->n_done + nested->n_done, 0);
	assert_ptr_equal(test->fixture->server->seat->pointer.focus,
		peer_surface_find(test->peer, window->surface));
	/* Other clients get no pointer focus. */
	point(test, 300, 50);
	assert_null(test->fixture->server->seat->pointer.focus);

	popup_destroy(nested);
	assert_ptr_equal(keyboard_focus(test), peer_surface_find(test->peer, menu->surface));
	/* A nested grab needs the serial of an event, not of a press. */
	uint32_t serial = wl_display_get_serial(test->fixture->server->display); /* modifiers */
	nested = popup_create(test, menu->xdg_surface, popup_rules(test, 40, 10));
	xdg_popup_grab(nested->popup, test->peer->seat, serial + 1000);
	wl_surface_commit(nested->surface);
	fixture_pump(test->fixture);
	assert_int_equal(nested->n_done, 1);
	popup_destroy(nested);
	nested = popup_create(test, menu->xdg_surface, popup_rules(test, 40, 10));
	xdg_popup_grab(nested->popup, test->peer->seat, serial);
	popup_map(nested);
	assert_int_equal(nested->n_done, 0);
	assert_ptr_equal(keyboard_focus(test), peer_surface_find(test->peer, nested->surface));
	popup_destroy(nested);
	assert_ptr_equal(keyboard_focus(test), peer_surface_find(test->peer, menu->surface));
	click(test, 300, 50);
	assert_int_equal(menu->n_done, 1);
	assert_false(popup_is_mapped(menu));
	assert_ptr_equal(keyboard_focus(test), peer_surface_find(other, beside->surface));
	assert_null(test->fixture->server->seat->pointer.grab);
	assert_ptr_equal(test->fixture->server->seat->pointer.focus,
		peer_surface_find(other, beside->surface));
	popup_destroy(menu);
	assert_true(peer_alive(test->peer) && peer_alive(other));
}

/* Toolkits hide a menu by a commit without a buffer, and open it again. */
static void popup_that_is_opened_again_may_grab_again(void **state)
{
	struct test *test = *state;
	struct peer_window *window = peer_window_create(test->peer, 0, 0, 200, 150, 0xffff0000);
	click(test, 10, 10);
	struct popup *menu = popup_create(test, window->xdg_surface, popup_rules(test, 20, 30));
	xdg_popup_grab(menu->popup, test->peer->seat, last_serial(test));
	popup_map(menu);
	wl_surface_attach(menu->surface, NULL, 0, 0);
	wl_surface_commit(menu->surface);
	fixture_settle(test->fixture);
	assert_null(test->fixture->server->seat->pointer.grab);
	click(test, 10, 10);
	xdg_popup_grab(menu->popup, test->peer->seat, last_serial(test));
	popup_map(menu);
	assert_true(popup_is_mapped(menu));
	assert_ptr_equal(keyboard_focus(test), peer_surface_find(test->peer, menu->surface));
	click(test, 300, 250);
	assert_int_equal(menu->n_done, 1);
	popup_destroy(menu);
	assert_true(peer_alive(test->peer));
}

/* A serial of no user action denies the grab. */
static void grab_without_user_action_is_denied(void **state)
{
	struct test *test = *state;
	struct peer_window *window = peer_window_create(test->peer, 0, 0, 200, 150, 0xffff0000);
	click(test, 10, 10);
	struct popup *menu = popup_create(test, window->xdg_surface, popup_rules(test, 20, 30));
	xdg_popup_grab(menu->popup, test->peer->seat, last_serial(test) + 1000);
	wl_surface_commit(menu->surface);
	fixture_pump(test->fixture);
	assert_int_equal(menu->n_done, 1);
	assert_int_equal(menu->n_configures, 0);
	assert_null(test->fixture->server->seat->pointer.grab);
	popup_destroy(menu);
	assert_true(peer_alive(test->peer));
}

/* Popups nested in a denied one are dismissed, too. */
static void popup_nested_in_a_denied_one_is_dismissed(void **state)
{
	struct test *test = *state;
	struct peer_window *window = peer_window_create(test->peer, 0, 0, 200, 150, 0xffff0000);
	click(test, 10, 10);
	struct popup *menu = popup_create(test, window->xdg_surface, popup_rules(test, 20, 30));
	xdg_popup_grab(menu->popup, test->peer->seat, last_serial(test));
	popup_map(menu);
	struct popup *denied = popup_create(test, menu->xdg_surface, popup_rules(test, 40, 10));
	xdg_popup_grab(denied->popup, test->peer->seat, last_serial(test) + 1000);
	struct popup *nested = popup_create(test, denied->xdg_surface, popup_rules(test, 40, 10));
	xdg_popup_grab(nested->popup, test->peer->seat, last_serial(test));
	assert_true(peer_alive(test->peer));
	assert_int_equal(menu->n_done, 0);
	assert_int_equal(denied->n_done, 1);
	assert_int_equal(nested->n_done, 1);
	popup_destroy(nested);
	popup_destroy(denied);
	popup_destroy(menu);
	assert_true(peer_alive(test->peer));
}

/* The client nests a popup before it gets popup_done for the parent. */
static void popup_on_a_dismissed_one_is_dismissed(void **state)
{
	struct test *test = *state;
	struct peer_window *window = peer_window_create(test->peer, 0, 0, 200, 150, 0xffff0000);
	struct popup *menu = popup_create(test, window->xdg_surface, popup_rules(test, 20, 30));
	popup_map(menu);
	wl_surface_attach(window->surface, NULL, 0, 0);
	wl_surface_commit(window->surface);
	fixture_pump(test->fixture);
	assert_int_equal(menu->n_done, 1);
	struct popup *nested = popup_create(test, menu->xdg_surface, popup_rules(test, 40, 10));
	popup_map(nested);
	assert_false(popup_is_mapped(nested));
	assert_int_equal(nested->n_done, 1);
	popup_destroy(nested);
	popup_destroy(menu);
	assert_true(peer_alive(test->peer));
}

/* The window is destroyed before its popups, in any order. */
static void popups_are_dismissed_with_their_window(void **state)
{
	struct test *test = *state;
	struct peer_window *window = peer_window_create(test->peer, 0, 0, 200, 150, 0xffff0000);
	click(test, 10, 10);
	struct popup *menu = popup_create(test, window->xdg_surface, popup_rules(test, 20, 30));
	xdg_popup_grab(menu->popup, test->peer->seat, last_serial(test));
	popup_map(menu);
	struct popup *nested = popup_create(test, menu->xdg_surface, popup_rules(test, 40, 10));
	popup_map(nested);
	wl_surface_attach(window->surface, NULL, 0, 0);
	wl_surface_commit(window->surface);
	fixture_settle(test->fixture);
	assert_int_equal(menu->n_done, 1);
	assert_int_equal(nested->n_done, 1);
	peer_window_destroy(window);
	fixture_pump(test->fixture);
	wl_surface_commit(nested->surface);
	popup_destroy(menu);
	popup_destroy(nested);
	assert_true(peer_alive(test->peer));

	window = peer_window_create(test->peer, 0, 0, 200, 150, 0xffff0000);
	menu = popup_create(test, window->xdg_surface, popup_rules(test, 20, 30));
	popup_map(menu);
	peer_destroy(test->peer); /* as if it had crashed */
	test->peer = NULL;
	fixture_settle(test->fixture);
	test_free(menu);
}

/* While the user moves a window, no popup takes the pointer, and the popup is dismissed. */
static void grab_during_a_window_move_is_denied(void **state)
{
	struct test *test = *state;
	struct peer_window *window = peer_window_create(test->peer, 0, 0, 200, 150, 0xffff0000);
	point(test, 10, 10);
	hand_press(test->fixture, test->pointer, true);
	xdg_toplevel_move(window->toplevel, test->peer->seat, last_serial(test));
	fixture_pump(test->fixture);
	const struct pointer_grab *grab = test->fixture->server->seat->pointer.grab;
	assert_non_null(grab);
	struct popup *menu = popup_create(test, window->xdg_surface, popup_rules(test, 20, 30));
	xdg_popup_grab(menu->popup, test->peer->seat, last_serial(test));
	wl_surface_commit(menu->surface);
	fixture_pump(test->fixture);
	assert_int_equal(menu->n_done, 1);
	assert_ptr_equal(test->fixture->server->seat->pointer.grab, grab);
	hand_press(test->fixture, test->pointer, false);
	assert_null(test->fixture->server->seat->pointer.grab);
	popup_destroy(menu);
	assert_true(peer_alive(test->peer));
}

/* The server ends while the grab of a disconnected client waits for a button release. */
static void server_can_end_while_a_grab_waits_for_a_button(void **state)
{
	struct test *test = *state;
	struct peer_window *window = peer_window_create(test->peer, 0, 0, 200, 150, 0xffff0000);
	hand_point(test->fixture, test->pointer, 10, 10);
	hand_press(test->fixture, test->pointer, true);
	fixture_settle(test->fixture);
	struct popup *menu = popup_create(test, window->xdg_surface, popup_rules(test, 20, 30));
	xdg_popup_grab(menu->popup, test->peer->seat, last_serial(test));
	popup_map(menu);
	peer_destroy(test->peer);
	test->peer = NULL;
	fixture_settle(test->fixture);
	assert_int_equal(test->fixture->server->seat->pointer.n_buttons, 1);
	assert_non_null(test->fixture->server->seat->pointer.grab);
	test_free(menu);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(popup_slides_into_the_output),
		TEST(reposition_applies_after_the_acknowledgement),
		TEST(reactive_popup_follows_its_parent),
		TEST(popup_of_a_lost_device_is_dismissed),
		TEST(grab_lasts_until_a_click_outside),
		TEST(popup_that_is_opened_again_may_grab_again),
		TEST(grab_without_user_action_is_denied),
		TEST(popup_nested_in_a_denied_one_is_dismissed),
		TEST(grab_during_a_window_move_is_denied),
		TEST(server_can_end_while_a_grab_waits_for_a_button),
		TEST(popup_on_a_dismissed_one_is_dismissed),
		TEST(popups_are_dismissed_with_their_window),
	};
	return cmocka_run_group_tests_name("xdg/popup", tests, NULL, NULL);
}
