/* SPDX-License-Identifier: MIT */
/* Interactive moves and resizes: windows that were maximised, drops at edges, and their end. */

#include "harness/shell.h"
#include "shell/geometry/edge_tile.h"
#include "shell/geometry/facts.h"
#include "shell/window.h"
#include "shell/windows/windows.h"
#include <linux/input-event-codes.h>

static bool contains(const struct window *window, double x, double y)
{
	const struct frame_extents frame = window_frame(window);
	const struct box box = window_box(window);
	const struct box outer = {box.x - frame.left, box.y - frame.top,
		box.width + frame.left + frame.right, box.height + frame.top + frame.bottom};
	return box_contains_point(&outer, x, y);
}

/* How a maximised window is dragged off. */
struct pull {
	bool known; /* the client had a floating size before */
	bool decorated;
	int answer; /* of the client: 0: before the motion, 1: during it, 2: after the release */
	double x, y; /* of the press */
};

static void pull_off(struct shell_fixture *fixture, const struct pull *pull)
{
	struct test_window *self = &fixture->windows[0];
	make(fixture, 0);
	struct window *window = self->window;
	window_set_decorated(window, pull->decorated);
	if (pull->known) {
		map(fixture, 0, 200, 150);
		window_request_maximize(window, true);
	} else {
		window_request_maximize(window, true);
		map(fixture, 0, 1000, 570);
	}
	obey(self);
	move_to(fixture, pull->x, pull->y);
	button(fixture, BTN_LEFT, true);
	window_request_move(window, fixture->seat, false, 0);
	assert_false(window->states & WINDOW_MAXIMIZED);
	for (int step = 0; step < 3; step++) {
		if (step == pull->answer) {
			draw(self, 200, 150);
		}
		if (step < 2) {
			move_to(fixture, pull->x + 30 * (step + 1), pull->y + 20 * (step + 1));
		}
		if (step >= pull->answer) {
			assert_true(contains(
				window, fixture->seat->pointer.at.x, fixture->seat->pointer.at.y));
		}
		if (step == 1) {
			button(fixture, BTN_LEFT, false);
		}
	}
	assert_int_equal(window->geometry.width, 200);
	/* The window stays where it was dropped. */
	const struct box box = window_box(window);
	move_to(fixture, 500, 500);
	draw(self, 200, 150);
	assert_box(window, box.x, box.y, 200, 150);
}

static void maximised_window_is_dragged_off_under_the_pointer(void **state)
{
	for (int i = 0; i < 2 * 2 * 3 * 4 * 3; i++) {
		const double xs[] = {3, 300, 640, 930}, ys[] = {10, 200, 540};
		const struct pull pull = {.known = i % 2,
			.decorated = i / 2 % 2,
			.answer = i / 4 % 3,
			.x = xs[i / 12 % 4],
			.y = ys[i / 48]};
		pull_off(*state, &pull);
		tear_down_shell(state);
		set_up_shell(state);
	}
}

/* Drops the window, held at a part of its width and height, at a point. */
static void drop_at(struct shell_fixture *fixture, double part_x, double part_y, double x, double y)
{
	const struct window *window = fixture->windows[0].window;
	const struct box box = window_box(window);
	move_to(fixture, box.x + part_x * box.width, box.y + part_y * box.height);
	button(fixture, BTN_LEFT, true);
	window_request_move(fixture->windows[0].window, fixture->seat, false, 0);
	move_to(fixture, x, y);
	button(fixture, BTN_LEFT, false);
}

/* An edge or corner of an output: -1, 0 or 1 in each direction. */
static void check_drop(struct shell_fixture *fixture, int index, int across, int along, double part)
{
	struct test_window *self = &fixture->windows[0];
	struct window *window = self->window;
	const struct box on = scene_output_box(fixture->outputs[index].shown);
	window_move_to(window, 300, 200);
	const double x = across < 0   ? on.x
			 : across > 0 ? on.x + on.width - 1
				      : on.x + on.width / 2.0;
	const double y = along < 0   ? on.y
			 : along > 0 ? on.y + on.height - 1
				     : on.y + on.height / 2.0;
	drop_at(fixture, part, part, x, y);
	obey(self);
	const bool tiles = across != 0 || along < 0;
	if (tiles) {
		const uint32_t states = window->states & (WINDOW_TILED | WINDOW_MAXIMIZED);
		const struct box area = on;
		const struct box tile = edge_tile_box(window->workspace, &area, states);
		assert_true(states);
		assert_true((tile.width < on.width) == (across != 0));
		assert_true((tile.height < on.height) == (across != 0 && along != 0));
		assert_box(window, tile.x, tile.y, tile.width, tile.height);
		assert_true(box_contains_point(&tile, x, y));
		assert_ptr_equal(window->workspace->output, fixture->outputs[index].shown);
	}
	/* Restored, it is shown on that output. */
	window_tile(window, 0);
	obey(self);
	const struct box box = window_box(window);
	assert_int_equal(box.width, 200);
	if (tiles) {
		struct box shown;
		assert_true(box_intersect(&shown, &box, &on));
		assert_int_equal(shown.width, box.width);
		assert_int_equal(shown.height, box.height);
		assert_ptr_equal(window->workspace->output, fixture->outputs[index].shown);
	}
}

/* Whichever output has most of the window. */
static void drop_at_an_edge_tiles_on_the_output_of_the_pointer(void **state)
{
	static const struct box places[] = {{1000, 0, 800, 600}, {-1000, 0, 1000, 600},
		{0, 600, 1000, 800}, {0, -700, 1000, 700}};
	struct shell_fixture *fixture = *state;
	map(fixture, 0, 200, 150);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		plug_at(fixture, 1, &places[i]);
		for (int drop = 0; drop < 2 * 9 * 3; drop++) {
			check_drop(fixture, drop % 2, drop / 2 % 3 - 1, drop / 6 % 3 - 1,
				0.02 + 0.48 * (drop / 18));
		}
		unplug(fixture, 1);
	}
}

static int n_keys;

static uint32_t count_key(
	struct seat *seat, struct surface *surface, const struct input_key_event *event)
{
	n_keys++;
	return 1;
}

/* Drags with a button held, cancels, and releases. No key reaches the client. */
static void drag_and_cancel(struct shell_fixture *fixture)
{
	const struct seat_sink_impl *before = fixture->seat->sink;
	struct seat_sink_impl counting = *before;
	counting.keyboard_key = count_key;
	fixture->seat->sink = &counting;
	n_keys = 0;
	move_to(fixture, fixture->seat->pointer.at.x + 40, fixture->seat->pointer.at.y + 30);
	press(fixture, KEY_A);
	obey_all(fixture, 1);
	move_to(fixture, fixture->seat->pointer.at.x + 40, fixture->seat->pointer.at.y + 30);
	assert_non_null(fixture->seat->pointer.grab);
	key(fixture, KEY_ESC, true);
	assert_null(fixture->seat->pointer.grab);
	assert_null(fixture->seat->keyboard.grab);
	key(fixture, KEY_ESC, false);
	move_to(fixture, fixture->seat->pointer.at.x + 40, fixture->seat->pointer.at.y + 30);
	button(fixture, BTN_LEFT, false);
	assert_int_equal(n_keys, 0);
	settle_tiles(fixture);
	press(fixture, KEY_A);
	assert_int_equal(n_keys, 2);
	fixture->seat->sink = before;
}

static void escape_cancels_a_move(void **state)
{
	struct shell_fixture *fixture = *state;
	struct test_window *self = &fixture->windows[0];
	static const uint32_t states[] = {0, WINDOW_MAXIMIZED, WINDOW_TILED & ~WINDOW_TILED_RIGHT,
		WINDOW_TILED_RIGHT | WINDOW_TILED_BOTTOM};
	struct window *window = map(fixture, 0, 300, 200);
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		window_move_to(window, 70, 80);
		if (states[i] == WINDOW_MAXIMIZED) {
			window_request_maximize(window, true);
		} else {
			window_tile(window, states[i]);
		}
		obey(self);
		const struct box box = window_box(window);
		move_to(fixture, box.x + 20, box.y + 10);
		button(fixture, BTN_LEFT, true);
		window_request_move(window, fixture->seat, false, 0);
		drag_and_cancel(fixture);
		assert_box(window, box.x, box.y, box.width, box.height);
		assert_int_equal(window->states & (WINDOW_MAXIMIZED | WINDOW_TILED), states[i]);
		window_tile(window, 0);
		obey(self);
		assert_box(window, 70, 80, 300, 200);
	}
}

static void escape_cancels_a_resize(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *window = map(fixture, 0, 300, 200);
	for (uint32_t edges = 1; edges <= 10; edges++) {
		window_move_to(window, 300, 200);
		move_to(fixture, 450, 300);
		button(fixture, BTN_LEFT, true);
		window_request_resize(window, fixture->seat, edges, false, 0);
		const bool valid = (edges & 3) != 3;
		assert_true(valid == !!fixture->shell->private->grab);
		if (valid) {
			drag_and_cancel(fixture);
		} else {
			button(fixture, BTN_LEFT, false);
		}
		assert_box(window, 300, 200, 300, 200);
		assert_false(window_is_resizing(window));
	}
}

static void escape_cancels_drags_of_tiles(void **state)
{
	struct shell_fixture *fixture = *state;
	workspace_set_layout(shell_workspace(fixture->shell), CONFIG_LAYOUT_COLUMNS);
	const struct window *a = add_tile(fixture, 0);
	struct window *b = add_tile(fixture, 1);
	const struct box left = window_box(a), right = window_box(b);
	/* The place, and each edge: 1 and 2 are above and below, 4 and 8 beside. */
	for (uint32_t edges = 0; edges <= 8; edges = edges ? 2 * edges : 1) {
		move_to(fixture, right.x + 20, right.y + 20);
		button(fixture, BTN_LEFT, true);
		if (edges) {
			window_request_resize(b, fixture->seat, edges, false, 0);
		} else {
			window_request_move(b, fixture->seat, false, 0);
		}
		drag_and_cancel(fixture);
		assert_box(a, left.x, left.y, left.width, left.height);
		assert_box(b, right.x, right.y, right.width, right.height);
	}
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up_shell, tear_down_shell)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(maximised_window_is_dragged_off_under_the_pointer),
		TEST(drop_at_an_edge_tiles_on_the_output_of_the_pointer),
		TEST(escape_cancels_a_move),
		TEST(escape_cancels_a_resize),
		TEST(escape_cancels_drags_of_tiles),
	};
	return cmocka_run_group_tests_name("shell/input/grab", tests, NULL, NULL);
}
