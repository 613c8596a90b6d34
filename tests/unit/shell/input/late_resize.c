/* SPDX-License-Identifier: MIT */
/* Resizes that begin before the client has drawn the size of an ended state. */

#include "harness/shell.h"
#include "shell/geometry/facts.h"
#include "shell/window.h"
#include "shell/windows/windows.h"
#include "xdg-shell-protocol.h"
#include <linux/input-event-codes.h>

#define LEFT XDG_TOPLEVEL_RESIZE_EDGE_LEFT
#define TOP XDG_TOPLEVEL_RESIZE_EDGE_TOP

static const uint32_t edges[] = {1, 2, 4, 5, 6, 8, 9, 10};
#define EDGES (int)(sizeof(edges) / sizeof(edges[0]))
static const struct box home = {300, 200, 300, 200};

/* States that end, and answers of the client. */
enum state { MAXIMIZED, FULLSCREEN, TILED, STATES };
enum answer {
	AFTER_THE_PRESS, /* to the state's end, then to the resize */
	AFTER_A_MOTION,
	AFTER_THE_RELEASE, /* to the last configure only */
	ANSWERS,
};

static void set_state(struct window *window, enum state state, bool on)
{
	switch (state) {
	case MAXIMIZED: window_request_maximize(window, on); break;
	case FULLSCREEN: window_request_fullscreen(window, on, NULL); break;
	default: window_tile(window, on ? WINDOW_TILED_TOP | WINDOW_TILED_LEFT : 0);
	}
}

/* The edges opposite to the dragged ones stay where those of the floating window are. */
static void check(const struct window *window, uint32_t dragged, int dx, int dy)
{
	struct box box = home;
	if (dragged & 12) {
		box.width += dragged & LEFT ? -dx : dx;
		box.x += dragged & LEFT ? dx : 0;
	}
	if (dragged & 3) {
		box.height += dragged & TOP ? -dy : dy;
		box.y += dragged & TOP ? dy : 0;
	}
	assert_box(window, box.x, box.y, box.width, box.height);
}

static void resize(
	struct shell_fixture *fixture, uint32_t dragged, enum answer answer, enum state state)
{
	struct test_window *self = &fixture->windows[0];
	struct window *window = map(fixture, 0, home.width, home.height);
	window_move_to(window, home.x, home.y);
	set_state(window, state, true);
	obey(self);
	set_state(window, state, false);
	const struct window_configure first = self->configure;
	const uint32_t serial = self->serial;
	move_to(fixture, 450, 300);
	button(fixture, BTN_LEFT, true);
	window_request_resize(window, fixture->seat, dragged, false, 0);
	assert_true(window_is_resizing(window));
	if (answer == AFTER_THE_PRESS) {
		window_applied(window, &(struct box){0, 0, first.width, first.height}, serial);
		check(window, dragged, 0, 0);
	}
	move_to(fixture, 460, 305);
	if (answer == AFTER_A_MOTION) {
		window_applied(window, &(struct box){0, 0, first.width, first.height}, serial);
		check(window, dragged, 0, 0);
		obey(self);
	}
	move_to(fixture, 480, 320);
	if (answer != AFTER_THE_RELEASE) {
		obey(self);
		obey(self);
		check(window, dragged, 30, 20);
	}
	button(fixture, BTN_LEFT, false);
	obey(self);
	obey(self);
	check(window, dragged, 30, 20);
	assert_false(window_is_resizing(window));
	unmap(fixture, 0);
}

static void resize_starts_from_the_floating_box(void **state)
{
	for (int i = 0; i < EDGES * ANSWERS * STATES; i++) {
		resize(*state, edges[i % EDGES], i / EDGES % ANSWERS, i / EDGES / ANSWERS);
		tear_down_shell(state);
		set_up_shell(state);
	}
}

/* Escape in the middle restores the floating box. */
static void cancelled_resize_leaves_the_floating_box(void **state)
{
	for (int i = 0; i < EDGES * 2; i++) {
		struct shell_fixture *fixture = *state;
		struct test_window *self = &fixture->windows[0];
		struct window *window = map(fixture, 0, home.width, home.height);
		window_move_to(window, home.x, home.y);
		window_request_maximize(window, true);
		obey(self);
		window_request_maximize(window, false);
		move_to(fixture, 450, 300);
		button(fixture, BTN_LEFT, true);
		window_request_resize(window, fixture->seat, edges[i % EDGES], false, 0);
		move_to(fixture, 480, 320);
		if (i / EDGES) {
			obey(self);
		}
		press(fixture, KEY_ESC);
		button(fixture, BTN_LEFT, false);
		obey(self);
		obey(self);
		assert_box(window, home.x, home.y, home.width, home.height);
		unmap(fixture, 0);
	}
}

/* A client that has had no floating size yet chooses one: the resize goes on from there. */
static void client_chooses_the_size_during_a_resize(void **state)
{
	for (int i = 0; i < EDGES * 2; i++) {
		struct shell_fixture *fixture = *state;
		struct test_window *self = &fixture->windows[0];
		const uint32_t dragged = edges[i % EDGES];
		make(fixture, 0);
		window_request_maximize(self->window, true);
		struct window *window = map(fixture, 0, 1000, 600);
		obey(self);
		window_request_maximize(window, false);
		assert_int_equal(self->configure.width, 0);
		move_to(fixture, 450, 300);
		button(fixture, BTN_LEFT, true);
		window_request_resize(window, fixture->seat, dragged, false, 0);
		if (i / EDGES) {
			move_to(fixture, 460, 305);
		}
		draw(self, home.width, home.height);
		const struct frame_extents frame = window_frame(window);
		const struct box chosen = window_box(window);
		assert_true(chosen.x >= frame.left && chosen.y >= frame.top);
		assert_true(chosen.x + chosen.width <= 1000 && chosen.y + chosen.height <= 600);
		button(fixture, BTN_LEFT, false);
		obey(self);
		assert_box(window, chosen.x, chosen.y, home.width, home.height);
		tear_down_shell(state);
		set_up_shell(state);
	}
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up_shell, tear_down_shell)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(resize_starts_from_the_floating_box),
		TEST(cancelled_resize_leaves_the_floating_box),
		TEST(client_chooses_the_size_during_a_resize),
	};
	return cmocka_run_group_tests_name("shell/input/late_resize", tests, NULL, NULL);
}
