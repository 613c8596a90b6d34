/* SPDX-License-Identifier: MIT */
/*
 * Menus of windows: opened on the title bar or by the client, and closed by presses, locks and
 * other windows.
 */

#include "backend/headless.h"
#include "harness/client/xdg_peer.h"
#include "harness/hand.h"
#include "kde-server-decoration-client-protocol.h"
#include "seat/seat.h"
#include "shell/geometry/private.h"
#include "shell/input/input.h"
#include "util/signal.h"
#include <linux/input-event-codes.h>

/* Of the menu, whose top left corner is beside the pointer. */
#define FIRST_ROW 20
#define ROW 30

static struct shell *shell_of(struct test *test)
{
	return test->fixture->server->shell;
}

static struct peer_window *create(struct test *test)
{
	struct peer_window *window = peer_window_create(test->peer, 20, 40, 300, 100, 0xffff0000);
	struct org_kde_kwin_server_decoration_manager *manager =
		peer_bind(test->peer, &org_kde_kwin_server_decoration_manager_interface, 0);
	org_kde_kwin_server_decoration_manager_create(manager, window->surface);
	fixture_pump(test->fixture);
	wl_surface_commit(window->surface);
	fixture_settle(test->fixture);
	return window;
}

static void button(struct test *test, uint32_t code, bool pressed)
{
	struct input_button_event event = {.button = code, .pressed = pressed};
	signal_emit(&test->pointer->events.button, &event);
	signal_emit(&test->pointer->events.frame, NULL);
	fixture_pump(test->fixture);
}

/* Clicks on the title bar at 60, 30 with the right button. */
static void open_menu(struct test *test)
{
	point(test, 60, 30);
	button(test, BTN_RIGHT, true);
	button(test, BTN_RIGHT, false);
	fixture_settle(test->fixture);
	if (!shell_of(test)->private->menu) {
		print_message("skip: %s: this build draws no text\n", __func__);
		skip();
	}
}

static void item_runs_when_the_button_is_released_on_it(void **state)
{
	struct test *test = *state;
	struct window *window = peer_window_find(create(test));
	open_menu(test);
	click(test, 100, 30 + FIRST_ROW);
	assert_null(shell_of(test)->private->menu);
	assert_true(window->minimized);
	window_focus(window);
	fixture_settle(test->fixture);
	/* Press, drag, release. */
	point(test, 60, 30);
	button(test, BTN_RIGHT, true);
	point(test, 100, 30 + FIRST_ROW + 3 * ROW);
	button(test, BTN_RIGHT, false);
	assert_null(shell_of(test)->private->menu);
	assert_true(window->on_top);
}

static void menu_is_closed_by_presses_outside_unmaps_locks_and_focus(void **state)
{
	struct test *test = *state;
	struct peer_window *other = peer_window_create(test->peer, 5, 200, 50, 50, 0xff00ff00);
	struct peer_window *window = create(test);
	open_menu(test);
	const uint32_t before = fixture_pixel(test->fixture, 180, 60);
	click(test, 390, 290);
	assert_null(shell_of(test)->private->menu);
	fixture_settle(test->fixture);
	assert_int_not_equal(fixture_pixel(test->fixture, 180, 60), before);
	open_menu(test);
	shell_lock(shell_of(test));
	assert_null(shell_of(test)->private->menu);
	window_open_menu(peer_window_find(window), (struct coord_global){60, 30});
	assert_null(shell_of(test)->private->menu);
	shell_unlock(shell_of(test));
	open_menu(test);
	window_focus(peer_window_find(other));
	assert_null(shell_of(test)->private->menu);
	open_menu(test);
	peer_window_destroy(window);
	fixture_pump(test->fixture);
	assert_null(shell_of(test)->private->menu);
	assert_null(shell_of(test)->seat->pointer.grab);
	assert_null(shell_of(test)->seat->keyboard.grab);
}

static void keys_select_items_and_workspaces(void **state)
{
	struct test *test = *state;
	struct input_device *keyboard =
		headless_add_input(test->fixture->server->backend, INPUT_KEYBOARD, "keys");
	static const uint32_t codes[] = {
		KEY_UP, KEY_UP, KEY_ENTER, KEY_DOWN, KEY_ENTER}; /* close, move, 1, 2 */
	struct window *window = peer_window_find(create(test));
	open_menu(test);
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		hand_key(test->fixture, keyboard, codes[i], true);
		hand_key(test->fixture, keyboard, codes[i], false);
		assert_true(!shell_of(test)->private->menu == (i == 4));
	}
	assert_string_equal(window->workspace->name, "2");
	shell_switch_workspace(shell_of(test), "2");
	fixture_settle(test->fixture);
	open_menu(test);
	hand_key(test->fixture, keyboard, KEY_ESC, true);
	hand_key(test->fixture, keyboard, KEY_ESC, false);
	assert_null(shell_of(test)->private->menu);
}

static void touched_item_runs(void **state)
{
	struct test *test = *state;
	struct input_device *screen =
		headless_add_input(test->fixture->server->backend, INPUT_TOUCH, "screen");
	struct window *window = peer_window_find(create(test));
	for (int i = 0; i < 2; i++) {
		open_menu(test);
		struct input_touch_event event = {.id = 1,
			.x = i == 0 ? 390.0 / 400 : 100.0 / 400,
			.y = (30.0 + FIRST_ROW) / 300};
		signal_emit(&screen->events.touch_down, &event);
		signal_emit(&screen->events.touch_frame, NULL);
		signal_emit(&screen->events.touch_up, &event);
		signal_emit(&screen->events.touch_frame, NULL);
		fixture_pump(test->fixture);
		assert_null(shell_of(test)->private->menu);
		assert_int_equal(window->minimized, i == 1);
	}
}

static void long_press_on_the_title_bar_opens_the_menu(void **state)
{
	struct test *test = *state;
	struct input_device *screen =
		headless_add_input(test->fixture->server->backend, INPUT_TOUCH, "screen");
	struct window *window = peer_window_find(create(test));
	open_menu(test); /* skips if there is none */
	menu_close(shell_of(test));
	struct input_touch_event event = {.id = 1, .x = 60.0 / 400, .y = 30.0 / 300};
	signal_emit(&screen->events.touch_down, &event);
	signal_emit(&screen->events.touch_frame, NULL);
	fixture_sleep(test->fixture, INT64_C(400000000));
	assert_null(shell_of(test)->private->menu);
	fixture_sleep(test->fixture, INT64_C(200000000));
	assert_non_null(shell_of(test)->private->menu);
	/* The finger leaves; the menu stays until another touch. */
	signal_emit(&screen->events.touch_up, &event);
	signal_emit(&screen->events.touch_frame, NULL);
	fixture_pump(test->fixture);
	assert_non_null(shell_of(test)->private->menu);
	event = (struct input_touch_event){
		.id = 1, .x = 100.0 / 400, .y = (30.0 + FIRST_ROW) / 300};
	signal_emit(&screen->events.touch_down, &event);
	signal_emit(&screen->events.touch_up, &event);
	signal_emit(&screen->events.touch_frame, NULL);
	fixture_pump(test->fixture);
	assert_true(window->minimized);
}

static void menu_is_announced_where_it_opens(void **state)
{
	struct test *test = *state;
	struct peer_window *window = create(test);
	point(test, 60, 30);
	button(test, BTN_RIGHT, true);
	button(test, BTN_RIGHT, false);
	fixture_settle(test->fixture);
	assert_int_equal(window->capabilities >> XDG_TOPLEVEL_WM_CAPABILITIES_WINDOW_MENU & 1,
		shell_of(test)->private->menu != NULL);
	assert_true(window->capabilities & 1u << XDG_TOPLEVEL_WM_CAPABILITIES_MAXIMIZE);
}

static void client_opens_the_menu_with_a_press(void **state)
{
	struct test *test = *state;
	struct peer_window *window = create(test);
	xdg_toplevel_show_window_menu(window->toplevel, test->peer->seat, 12345, 5, 5);
	fixture_pump(test->fixture);
	assert_null(shell_of(test)->private->menu);
	open_menu(test); /* skips if there is none */
	menu_close(shell_of(test));
	point(test, 100, 100);
	button(test, BTN_RIGHT, true);
	xdg_toplevel_show_window_menu(window->toplevel, test->peer->seat, last_serial(test), 5, 5);
	fixture_pump(test->fixture);
	assert_non_null(shell_of(test)->private->menu);
	/* The client's press has ended for it: the release goes to the menu. */
	assert_null(test->fixture->server->seat->pointer.focus);
	button(test, BTN_RIGHT, false);
	click(test, 20 + 5 + 40, 40 + 5 + FIRST_ROW);
	assert_true(peer_window_find(window)->minimized);
	assert_true(peer_alive(test->peer));
}

/* A client that draws a shadow around its window asks in coordinates of the surface. */
static void menu_opens_beside_the_pointer_despite_a_shadow(void **state)
{
	struct test *test = *state;
	struct peer_window *window = create(test);
	open_menu(test); /* skips if there is none */
	menu_close(shell_of(test));
	for (int i = 0; i < 4; i++) {
		const int left = i % 2 ? 60 : 0, top = i / 2 ? 30 : 0;
		window_focus(peer_window_find(window));
		xdg_surface_set_window_geometry(
			window->xdg_surface, left, top, 300 - left, 100 - top);
		wl_surface_commit(window->surface);
		peer_window_place(window, 80, 40);
		point(test, 85, 45);
		button(test, BTN_RIGHT, true);
		xdg_toplevel_show_window_menu(
			window->toplevel, test->peer->seat, last_serial(test), left + 5, top + 5);
		fixture_pump(test->fixture);
		button(test, BTN_RIGHT, false);
		assert_non_null(shell_of(test)->private->menu);
		assert_false(peer_window_find(window)->minimized);
		click(test, 85 + 40, 45 + FIRST_ROW);
		assert_true(peer_window_find(window)->minimized);
	}
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(item_runs_when_the_button_is_released_on_it),
		TEST(menu_is_closed_by_presses_outside_unmaps_locks_and_focus),
		TEST(keys_select_items_and_workspaces),
		TEST(touched_item_runs),
		TEST(long_press_on_the_title_bar_opens_the_menu),
		TEST(menu_is_announced_where_it_opens),
		TEST(client_opens_the_menu_with_a_press),
		TEST(menu_opens_beside_the_pointer_despite_a_shadow),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
