/* SPDX-License-Identifier: MIT */
/* xdg_popup: pointer events during a grab, and the stacking order of popups. */

#include "harness/client/xdg_peer.h"
#include "harness/hand.h"
#include "harness/notes.h"
#include "seat/seat.h"
#include "surface/surface.h"

/** The client's window and menus, and the pointer events that it receives. */
struct menus {
	struct test *test;
	struct peer_window *window;
	struct popup *menu, *submenu; /* NULL: not open */
	struct wl_pointer *pointer;
	struct notes notes;
};

static const char *name_of(const struct menus *menus, const struct wl_surface *surface)
{
	return surface == menus->window->surface                      ? "window"
	       : menus->menu && surface == menus->menu->surface       ? "menu"
	       : menus->submenu && surface == menus->submenu->surface ? "submenu"
								      : "?";
}

static void handle_enter(void *data, struct wl_pointer *pointer, uint32_t serial,
	struct wl_surface *surface, wl_fixed_t x, wl_fixed_t y)
{
	struct menus *menus = data;
	notes_add(&menus->notes, "enter %s %d,%d; ", name_of(menus, surface), wl_fixed_to_int(x),
		wl_fixed_to_int(y));
}

static void handle_leave(
	void *data, struct wl_pointer *pointer, uint32_t serial, struct wl_surface *surface)
{
	struct menus *menus = data;
	notes_add(&menus->notes, "leave %s; ", name_of(menus, surface));
}

static void handle_motion(
	void *data, struct wl_pointer *pointer, uint32_t time, wl_fixed_t x, wl_fixed_t y)
{
	struct menus *menus = data;
	notes_add(&menus->notes, "motion %d,%d; ", wl_fixed_to_int(x), wl_fixed_to_int(y));
}

static void handle_button(void *data, struct wl_pointer *pointer, uint32_t serial, uint32_t time,
	uint32_t button, uint32_t state)
{
	struct menus *menus = data;
	notes_add(&menus->notes, state ? "press; " : "release; ");
}

static void handle_axis(
	void *data, struct wl_pointer *pointer, uint32_t time, uint32_t axis, wl_fixed_t value)
{
}

static const struct wl_pointer_listener pointer_listener = {
	.enter = handle_enter,
	.leave = handle_leave,
	.motion = handle_motion,
	.button = handle_button,
	.axis = handle_axis,
};

static void begin(struct menus *menus, struct test *test)
{
	*menus = (struct menus){.test = test, .notes = {.fixture = test->fixture}};
	menus->window = peer_window_create(test->peer, 0, 0, 200, 150, 0xffff0000);
	struct wl_seat *seat = peer_bind(test->peer, &wl_seat_interface, 4);
	menus->pointer = wl_seat_get_pointer(seat);
	wl_pointer_add_listener(menus->pointer, &pointer_listener, menus);
	point(test, 10, 10);
	forget(menus);
}

/* Events that come as they are destroyed find no names of them. */
static void close_menus(struct menus *menus)
{
	struct popup *const submenu = menus->submenu, *const menu = menus->menu;
	menus->submenu = menus->menu = NULL;
	popup_destroy(submenu);
	popup_destroy(menu);
}

static void hold(struct menus *menus, bool pressed)
{
	hand_press(menus->test->fixture, menus->test->pointer, pressed);
}

/* Opens a popup with a grab, 50x40 at x, y of its parent. */
static void open_menu(
	struct menus *menus, struct popup **popup, struct xdg_surface *parent, int x, int y)
{
	struct test *test = menus->test;
	*popup = popup_create(test, parent, popup_rules(test, x, y));
	xdg_popup_grab((*popup)->popup, test->peer->seat, last_serial(test));
	popup_map(*popup);
	assert_int_equal((*popup)->n_done, 0);
}

/* A menu that a press opens gets the pointer, and the release, while the button is held. */
static void press_drag_release_chooses_an_item(void **state)
{
	struct menus menus;
	begin(&menus, *state);
	struct test *test = menus.test;
	hold(&menus, true);
	heard(&menus, "press; ");
	open_menu(&menus, &menus.menu, menus.window->xdg_surface, 20, 30);
	point(test, 15, 12);
	heard(&menus, "motion 15,12; ");
	point(test, 25, 35);
	heard(&menus, "leave window; enter menu 5,5; ");
	point(test, 26, 37);
	heard(&menus, "motion 6,7; ");

	/* A submenu opens beside the pointer, and the pointer goes there. */
	open_menu(&menus, &menus.submenu, menus.menu->xdg_surface, 40, 10);
	point(test, 65, 45);
	heard(&menus, "leave menu; enter submenu 5,5; ");
	point(test, 30, 40);
	heard(&menus, "leave submenu; enter menu 10,10; ");
	/* Over the window again, as over a bar of menus, and over no surface of the client. */
	point(test, 100, 10);
	heard(&menus, "leave menu; enter window 100,10; ");
	point(test, 300, 250);
	heard(&menus, "leave window; ");
	point(test, 301, 251);
	heard(&menus, "");
	point(test, 66, 46);
	heard(&menus, "enter submenu 6,6; ");
	hold(&menus, false);
	heard(&menus, "release; ");
	assert_int_equal(menus.menu->n_done + menus.submenu->n_done, 0);

	/* The grab goes on: the next click is an ordinary one. */
	point(test, 67, 47);
	hold(&menus, true);
	hold(&menus, false);
	heard(&menus, "motion 7,7; press; release; ");
	close_menus(&menus);
	assert_null(test->fixture->server->seat->pointer.grab);
}

/* The menu appears under the pointer. */
static void menu_under_a_held_pointer_is_entered(void **state)
{
	struct menus menus;
	begin(&menus, *state);
	point(menus.test, 25, 35);
	hold(&menus, true);
	forget(&menus);
	open_menu(&menus, &menus.menu, menus.window->xdg_surface, 20, 30);
	heard(&menus, "leave window; enter menu 5,5; ");
	hold(&menus, false);
	heard(&menus, "release; ");
	popup_destroy(menus.menu);
}

/* Released beside all surfaces of the client, the press has chosen nothing. */
static void release_outside_dismisses_the_menus(void **state)
{
	struct menus menus;
	begin(&menus, *state);
	struct test *test = menus.test;
	hold(&menus, true);
	open_menu(&menus, &menus.menu, menus.window->xdg_surface, 20, 30);
	open_menu(&menus, &menus.submenu, menus.menu->xdg_surface, 40, 10);
	point(test, 300, 250);
	forget(&menus);
	hold(&menus, false);
	heard(&menus, "");
	assert_int_equal(menus.menu->n_done, 1);
	assert_int_equal(menus.submenu->n_done, 1);
	assert_null(test->fixture->server->seat->pointer.grab);
	/* The next press has its own release. */
	point(test, 10, 10);
	hold(&menus, true);
	hold(&menus, false);
	heard(&menus, "enter window 10,10; press; release; ");
	close_menus(&menus);
}

/* Of a press in an open menu, such as on a slider, the pointer leaves for other menus only. */
static void press_in_a_menu_keeps_the_pointer(void **state)
{
	struct menus menus;
	begin(&menus, *state);
	struct test *test = menus.test;
	click(test, 10, 10);
	open_menu(&menus, &menus.menu, menus.window->xdg_surface, 20, 30);
	open_menu(&menus, &menus.submenu, menus.menu->xdg_surface, 40, 10);
	point(test, 25, 35);
	hold(&menus, true);
	forget(&menus);
	point(test, 10, 10);
	heard(&menus, "motion -10,-20; ");
	point(test, 300, 250);
	heard(&menus, "motion 280,220; ");
	point(test, 65, 45);
	heard(&menus, "leave menu; enter submenu 5,5; ");
	hold(&menus, false);
	heard(&menus, "release; ");
	assert_int_equal(menus.menu->n_done + menus.submenu->n_done, 0);
	close_menus(&menus);
}

/* Returns the popup that the pointer enters at a point. */
static struct surface *at(struct test *test, double x, double y)
{
	point(test, x, y);
	return test->fixture->server->seat->pointer.focus;
}

/*
 * Four popups of one window that overlap at 45,45: `parents[i]` is the parent of popup i, -1 the
 * window. The newest is on top, whatever its parent is.
 */
static void stack_popups(struct test *test, const int parents[4])
{
	static const int places[4][2] = {{20, 30}, {25, 35}, {30, 25}, {15, 40}};
	struct peer_window *window = peer_window_create(test->peer, 0, 0, 200, 150, 0xffff0000);
	struct popup *popups[4];
	for (int i = 0; i < 4; i++) {
		const bool nested = parents[i] >= 0;
		const int *from = nested ? places[parents[i]] : (const int[2]){0, 0};
		popups[i] = popup_create(test,
			nested ? popups[parents[i]]->xdg_surface : window->xdg_surface,
			popup_rules(test, places[i][0] - from[0], places[i][1] - from[1]));
		popup_map(popups[i]);
		struct surface *surface = peer_surface_find(test->peer, popups[i]->surface);
		assert_ptr_equal(at(test, 45, 45), surface);
		assert_ptr_equal(at(test, places[i][0] + 1, places[i][1] + 10), surface);
		at(test, 150, 100);
	}
	/* A popup that moves takes those with it that have it for a parent. */
	struct xdg_positioner *positioner = popup_rules(test, 120, 30);
	xdg_popup_reposition(popups[0]->popup, positioner, 1);
	xdg_positioner_destroy(positioner);
	fixture_settle(test->fixture);
	for (int i = 3; i >= 0; i--) {
		bool moves = false;
		for (int up = i; up >= 0; up = parents[up]) {
			moves = moves || up == 0;
		}
		assert_ptr_equal(
			at(test, places[i][0] + (moves ? 145 - 45 : 0) + 49, places[i][1] + 39),
			peer_surface_find(test->peer, popups[i]->surface));
		popup_destroy(popups[i]);
	}
	peer_window_destroy(window);
}

static void newest_popup_is_on_top(void **state)
{
	for (int tree = 0; tree < 24; tree++) {
		const int parents[4] = {-1, tree % 2 - 1, tree / 2 % 3 - 1, tree / 6 % 4 - 1};
		stack_popups(*state, parents);
	}
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(press_drag_release_chooses_an_item),
		TEST(menu_under_a_held_pointer_is_entered),
		TEST(release_outside_dismisses_the_menus),
		TEST(press_in_a_menu_keeps_the_pointer),
		TEST(newest_popup_is_on_top),
	};
	return cmocka_run_group_tests_name("xdg/popup_pointer", tests, NULL, NULL);
}
