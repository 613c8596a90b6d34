/* SPDX-License-Identifier: MIT */
/* Windows tiled to halves and quarters, resized by the edges that they share. */

#include "harness/shell.h"
#include "shell/geometry/edge_tile.h"
#include "shell/geometry/facts.h"
#include "shell/look/look.h"
#include "shell/window.h"
#include "shell/windows/windows.h"
#include "shell/windows/workspaces.h"
#include "util/signal.h"
#include "xdg-shell-protocol.h"
#include <linux/input-event-codes.h>
#include <stdlib.h>

#define LEFT (WINDOW_TILED & ~WINDOW_TILED_RIGHT)
#define RIGHT (WINDOW_TILED & ~WINDOW_TILED_LEFT)
#define TOP (WINDOW_TILED & ~WINDOW_TILED_BOTTOM)
#define BOTTOM (WINDOW_TILED & ~WINDOW_TILED_TOP)
#define TOP_LEFT (WINDOW_TILED_TOP | WINDOW_TILED_LEFT)
#define TOP_RIGHT (WINDOW_TILED_TOP | WINDOW_TILED_RIGHT)
#define BOTTOM_LEFT (WINDOW_TILED_BOTTOM | WINDOW_TILED_LEFT)
#define BOTTOM_RIGHT (WINDOW_TILED_BOTTOM | WINDOW_TILED_RIGHT)

static const uint32_t places[] = {
	LEFT, RIGHT, TOP, BOTTOM, TOP_LEFT, TOP_RIGHT, BOTTOM_LEFT, BOTTOM_RIGHT};
#define PLACES (int)(sizeof(places) / sizeof(places[0]))

enum way { BY_POINTER, BY_TOUCH, BY_KEYS, WAYS };

static const struct box screen = {0, 0, 1000, 600};

static struct window *map_at(struct shell_fixture *fixture, int index, uint32_t states)
{
	struct window *window = map(fixture, index, 300, 200);
	window_tile(window, states);
	obey_all(fixture, 1);
	return window;
}

/* Checks the place of a window in an area whose split is at x, y. The frame lies within it. */
static void check_in(
	const struct window *window, uint32_t states, const struct box *area, int x, int y)
{
	const struct frame_extents frame = window_frame(window);
	const bool left = states & WINDOW_TILED_LEFT, right = states & WINDOW_TILED_RIGHT;
	const bool top = states & WINDOW_TILED_TOP, bottom = states & WINDOW_TILED_BOTTOM;
	const int from_x = left ? 0 : x, to_x = right ? area->width : x;
	const int from_y = top ? 0 : y, to_y = bottom ? area->height : y;
	assert_box(window, area->x + from_x + frame.left, area->y + from_y + frame.top,
		to_x - from_x - frame.left - frame.right, to_y - from_y - frame.top - frame.bottom);
}

static void check(const struct window *window, uint32_t states, int x, int y)
{
	check_in(window, states, &screen, x, y);
}

/* Drags from one point to another, by the edges that the window shares. */
static void drag_by(struct shell_fixture *fixture, enum way way, struct window *window,
	uint32_t edges, double dx, double dy)
{
	if (way == BY_POINTER) {
		move_to(fixture, 500, 300);
		button(fixture, BTN_LEFT, true);
		window_request_resize(window, fixture->seat, edges, false, 0);
		move_to(fixture, 500 + dx / 2, 300 + dy / 2);
		obey_all(fixture, 1);
		move_to(fixture, 500 + dx, 300 + dy);
		button(fixture, BTN_LEFT, false);
		obey_all(fixture, 1);
		return;
	}
	struct input_device device;
	input_device_init(&device, INPUT_TOUCH, "screen");
	seat_add_device(fixture->seat, &device);
	struct input_touch_event event = {.id = 4, .x = 0.5, .y = 0.5};
	signal_emit(&device.events.touch_down, &event);
	signal_emit(&device.events.touch_frame, NULL);
	window_request_resize(
		window, fixture->seat, edges, true, fixture->seat->touch.points[0].id);
	event.x = 0.5 + dx / 1000;
	event.y = 0.5 + dy / 600;
	signal_emit(&device.events.touch_motion, &event);
	signal_emit(&device.events.touch_frame, NULL);
	signal_emit(&device.events.touch_up, &event);
	signal_emit(&device.events.touch_frame, NULL);
	input_device_finish(&device);
	obey_all(fixture, 1);
}

/* Moves the split by 50, 30, or a step of the keyboard, which is the same. */
static void move_split(struct shell_fixture *fixture, enum way way, struct window *window)
{
	const uint32_t edges = window_inner_edges(window);
	if (way != BY_KEYS) {
		drag_by(fixture, way, window, edges, 50, 30);
		return;
	}
	window_focus(window);
	if (edges & EDGES_SIDEWAYS) {
		run(fixture, "resize",
			edges & XDG_TOPLEVEL_RESIZE_EDGE_RIGHT ? "wider" : "narrower");
	}
	if (edges & EDGES_UPRIGHT) {
		run(fixture, "resize",
			edges & XDG_TOPLEVEL_RESIZE_EDGE_BOTTOM ? "taller" : "shorter");
	}
	obey_all(fixture, 1);
	obey_all(fixture, 1);
}

/* Each place is dragged while each other one, or none, is taken. */
static void windows_resize_by_the_edge_that_they_share(void **state)
{
	for (int i = 0; i < PLACES * (PLACES + 1) * WAYS * 2; i++) {
		struct shell_fixture *fixture = *state;
		const enum way way = i % WAYS;
		const uint32_t mine = places[i / WAYS % PLACES];
		const int at = i / WAYS / PLACES % (PLACES + 1);
		const bool decorated = i / WAYS / PLACES / (PLACES + 1);
		const struct window *other = at < PLACES ? map_at(fixture, 1, places[at]) : NULL;
		struct window *window = map_at(fixture, 0, mine);
		window_set_decorated(window, decorated);
		obey_all(fixture, 1);
		check(window, mine, 500, 300);
		move_split(fixture, way, window);
		const bool sideways = window_inner_edges(window) & EDGES_SIDEWAYS;
		const bool upright = window_inner_edges(window) & EDGES_UPRIGHT;
		const int x = sideways ? 550 : 500, y = upright ? 330 : 300;
		check(window, mine, x, y);
		if (other) {
			check(other, places[at], x, y);
		}
		tear_down_shell(state);
		set_up_shell(state);
	}
}

static void four_quarters_resize_by_the_corner_in_the_middle(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *windows[4];
	for (int i = 0; i < 4; i++) {
		windows[i] = map_at(fixture, i, places[4 + i]);
	}
	for (int i = 0; i < 4; i++) {
		const int x = 500 + 40 * (i + 1), y = 300 - 20 * (i + 1);
		drag_by(fixture, BY_POINTER, windows[i], window_inner_edges(windows[i]), 40, -20);
		for (int j = 0; j < 4; j++) {
			check(windows[j], places[4 + j], x, y);
		}
	}
}

static void outer_edges_resize_nothing(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *window = map(fixture, 0, 300, 200);
	for (int i = 0; i < PLACES; i++) {
		window_tile(window, places[i]);
		obey_all(fixture, 1);
		for (uint32_t edges = 1; edges <= 10; edges++) {
			const uint32_t inner = window_inner_edges(window);
			if (edges == 3 || edges == 7 || (edges & inner)) {
				continue;
			}
			drag_by(fixture, BY_POINTER, window, edges, 40, 40);
			assert_null(fixture->seat->pointer.grab);
			check(window, places[i], 500, 300);
		}
		window_tile(window, 0);
		obey_all(fixture, 1);
	}
}

/* A frame shows a border at the shared edges, which the pointer takes hold of. */
static void frame_is_dragged_by_its_shared_edges_only(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *window = map(fixture, 0, 300, 200);
	window_set_decorated(window, true);
	for (int i = 0; i < PLACES; i++) {
		window_tile(window, places[i]);
		obey_all(fixture, 1);
		const struct box area = edge_tile_box(window->workspace, &screen, places[i]);
		const uint32_t inner = window_inner_edges(window);
		uint32_t found = 0;
		for (int x = area.x; x < area.x + area.width; x++) {
			for (int y = area.y; y < area.y + area.height; y++) {
				uint32_t edges = 0;
				const enum decoration_part part = decoration_at(
					window, (struct coord_global){x + 0.5, y + 0.5}, &edges);
				assert_true((part == DECORATION_EDGE) == (edges != 0));
				assert_int_equal(edges & ~inner, 0);
				found |= edges;
			}
		}
		assert_int_equal(found, inner);
		const double x = inner & XDG_TOPLEVEL_RESIZE_EDGE_LEFT    ? area.x + 1
				 : inner & XDG_TOPLEVEL_RESIZE_EDGE_RIGHT ? area.x + area.width - 1
									  : area.x + 250;
		const double y = inner & XDG_TOPLEVEL_RESIZE_EDGE_TOP ? area.y + 1
				 : inner & XDG_TOPLEVEL_RESIZE_EDGE_BOTTOM
					 ? area.y + area.height - 1
					 : area.y + 150;
		move_to(fixture, x, y);
		button(fixture, BTN_LEFT, true);
		move_to(fixture, x + 20, y + 20);
		button(fixture, BTN_LEFT, false);
		obey_all(fixture, 1);
		check(window, places[i], 520, 320);
		window_tile(window, 0);
		obey_all(fixture, 1);
	}
}

static void split_is_a_share_of_the_output(void **state)
{
	struct shell_fixture *fixture = *state;
	plug_at(fixture, 1, &(struct box){1000, 0, 1000, 600});
	struct window *left = map_at(fixture, 0, LEFT);
	struct window *right = map_at(fixture, 1, RIGHT);
	drag_by(fixture, BY_POINTER, left, XDG_TOPLEVEL_RESIZE_EDGE_RIGHT, 200, 0);
	check(right, RIGHT, 700, 300);
	struct output *output = &fixture->outputs[0].output;
	output->mode.width = 2000;
	scene_output_mode_changed(fixture->outputs[0].shown);
	scene_output_set_position(fixture->outputs[1].shown, 2000, 0);
	obey_all(fixture, 1);
	const struct box wide = {0, 0, 2000, 600};
	check_in(left, LEFT, &wide, 1400, 300);
	check_in(right, RIGHT, &wide, 1400, 300);
	/* The workspace takes it along to another output, and back. */
	unplug(fixture, 0);
	obey_all(fixture, 1);
	const struct box second = {2000, 0, 1000, 600};
	check_in(left, LEFT, &second, 700, 300);
	plug_at(fixture, 0, &wide);
	obey_all(fixture, 1);
	check_in(right, RIGHT, &wide, 1400, 300);
}

static void each_workspace_has_a_split(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *left = map_at(fixture, 0, LEFT);
	drag_by(fixture, BY_POINTER, left, XDG_TOPLEVEL_RESIZE_EDGE_RIGHT, 200, 0);
	run(fixture, "workspace", "2");
	struct window *right = map_at(fixture, 1, RIGHT);
	check(right, RIGHT, 500, 300);
	drag_by(fixture, BY_POINTER, right, XDG_TOPLEVEL_RESIZE_EDGE_LEFT, -100, 0);
	check(right, RIGHT, 400, 300);
	check(left, LEFT, 700, 300);
	run(fixture, "move-to-workspace", "1");
	obey_all(fixture, 1);
	check(right, RIGHT, 700, 300);
	check(left, LEFT, 700, 300);
}

/* Ways in which the last window leaves its half. */
static void leave(struct shell_fixture *fixture, int way, struct window *window)
{
	switch (way) {
	case 0: window_tile(window, 0); break;
	case 1: window_request_maximize(window, true); break;
	case 2: unmap(fixture, 0); break;
	case 3:
		shell_move_to_workspace(
			fixture->shell, window, shell_get_workspace(fixture->shell, "2"));
		break;
	case 4:
		workspace_set_layout(window->workspace, CONFIG_LAYOUT_COLUMNS);
		workspace_set_layout(window->workspace, CONFIG_LAYOUT_FLOATING);
		break;
	default: window_tile(window, TOP);
	}
	obey_all(fixture, 1);
}

static void split_lasts_until_no_window_is_beside_it(void **state)
{
	for (int way = 0; way < 6; way++) {
		struct shell_fixture *fixture = *state;
		map(fixture, 2, 100, 100); /* keeps the workspace */
		struct window *left = map_at(fixture, 0, LEFT);
		struct window *right = map_at(fixture, 1, RIGHT);
		drag_by(fixture, BY_POINTER, left, XDG_TOPLEVEL_RESIZE_EDGE_RIGHT, 200, 0);
		window_tile(right, 0);
		obey_all(fixture, 1);
		check(left, LEFT, 700, 300);
		window_tile(right, RIGHT);
		obey_all(fixture, 1);
		check(right, RIGHT, 700, 300);
		unmap(fixture, 1);
		window_set_minimized(left, true);
		window_set_minimized(left, false);
		window_request_fullscreen(left, true, NULL);
		obey_all(fixture, 1);
		window_request_fullscreen(left, false, NULL);
		obey_all(fixture, 1);
		check(left, LEFT, 700, 300);
		leave(fixture, way, left);
		right = map_at(fixture, 1, RIGHT);
		check(right, RIGHT, 500, 300);
		tear_down_shell(state);
		set_up_shell(state);
	}
}

static void limit_width(struct window *window, int width)
{
	window_set_limits(window, &(struct window_limits){.min_width = width});
}

static void split_leaves_each_window_its_least_size(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *left = map_at(fixture, 0, LEFT);
	struct window *right = map_at(fixture, 1, RIGHT);
	drag_by(fixture, BY_POINTER, left, XDG_TOPLEVEL_RESIZE_EDGE_RIGHT, -499, 0);
	check(left, LEFT, 100, 300); /* a tenth */
	drag_by(fixture, BY_POINTER, left, XDG_TOPLEVEL_RESIZE_EDGE_RIGHT, 490, 0);
	drag_by(fixture, BY_POINTER, left, XDG_TOPLEVEL_RESIZE_EDGE_RIGHT, 490, 0);
	check(right, RIGHT, 900, 300);
	limit_width(right, 250);
	obey_all(fixture, 1);
	check(right, RIGHT, 750, 300);
	check(left, LEFT, 750, 300);
	limit_width(left, 350);
	drag_by(fixture, BY_TOUCH, right, XDG_TOPLEVEL_RESIZE_EDGE_LEFT, -490, 0);
	check(right, RIGHT, 350, 300);
	check(left, LEFT, 350, 300);
	/* A smaller output, and a new window with a limit. */
	fixture->outputs[0].output.mode.width = 700;
	scene_output_mode_changed(fixture->outputs[0].shown);
	obey_all(fixture, 1);
	check_in(left, LEFT, &(struct box){0, 0, 700, 600}, 350, 300);
	unmap(fixture, 1);
	right = map(fixture, 1, 300, 200);
	limit_width(right, 340);
	window_tile(right, RIGHT);
	limit_width(left, 100);
	drag_by(fixture, BY_POINTER, left, XDG_TOPLEVEL_RESIZE_EDGE_RIGHT, 300, 0);
	check_in(left, LEFT, &(struct box){0, 0, 700, 600}, 360, 300);
}

static void escape_restores_the_split(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *left = map_at(fixture, 0, TOP_LEFT);
	struct window *right = map_at(fixture, 1, BOTTOM_RIGHT);
	drag_by(fixture, BY_POINTER, left, window_inner_edges(left), 30, 30);
	move_to(fixture, 530, 330);
	button(fixture, BTN_LEFT, true);
	window_request_resize(right, fixture->seat, window_inner_edges(right), false, 0);
	move_to(fixture, 700, 100);
	obey_all(fixture, 1);
	check(left, TOP_LEFT, 700, 100);
	press(fixture, KEY_ESC);
	assert_null(fixture->seat->pointer.grab);
	button(fixture, BTN_LEFT, false);
	obey_all(fixture, 1);
	check(left, TOP_LEFT, 530, 330);
	check(right, BOTTOM_RIGHT, 530, 330);
}

/* The next size is sent when the last one is drawn; a client that hangs delays others briefly. */
static void slow_client_sets_the_rate_up_to_a_time_limit(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *left = map_at(fixture, 0, LEFT);
	const struct window *right = map_at(fixture, 1, RIGHT);
	struct test_window *quick = &fixture->windows[0], *slow = &fixture->windows[1];
	move_to(fixture, 500, 300);
	button(fixture, BTN_LEFT, true);
	window_request_resize(left, fixture->seat, XDG_TOPLEVEL_RESIZE_EDGE_RIGHT, false, 0);
	const int before = slow->n_configures;
	for (int i = 1; i <= 50; i++) {
		move_to(fixture, 500 + i, 300);
		obey(quick);
	}
	assert_int_equal(slow->n_configures - before, 1);
	obey(slow); /* 501: asks for the last one */
	assert_int_equal(slow->configure.width, 450);
	assert_int_equal(quick->configure.width, 550);
	clock_advance(fixture->clock, 300000000);
	move_to(fixture, 600, 300);
	assert_int_equal(quick->configure.width, 600);
	move_to(fixture, 650, 300);
	button(fixture, BTN_LEFT, false); /* the last size is always sent */
	assert_int_equal(quick->configure.width, 650);
	assert_int_equal(slow->configure.width, 350);
	obey_all(fixture, 1);
	check(left, LEFT, 650, 300);
	check(right, RIGHT, 650, 300);
}

/* The window leaves its half in the middle of the drag. */
static void drag_ends_with_the_half(void **state)
{
	for (int way = 0; way < 6; way++) {
		struct shell_fixture *fixture = *state;
		map(fixture, 2, 100, 100);
		struct window *left = map_at(fixture, 0, LEFT);
		const struct window *right = map_at(fixture, 1, RIGHT);
		move_to(fixture, 500, 300);
		button(fixture, BTN_LEFT, true);
		window_request_resize(
			left, fixture->seat, XDG_TOPLEVEL_RESIZE_EDGE_RIGHT, false, 0);
		move_to(fixture, 600, 300);
		leave(fixture, way, left);
		const struct box box = window_box(right);
		move_to(fixture, 700, 300);
		move_to(fixture, 750, 300);
		assert_null(fixture->seat->pointer.grab);
		button(fixture, BTN_LEFT, false);
		obey_all(fixture, 1);
		if (way != 4) {
			assert_box(right, box.x, box.y, box.width, box.height);
		}
		tear_down_shell(state);
		set_up_shell(state);
	}
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up_shell, tear_down_shell)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(windows_resize_by_the_edge_that_they_share),
		TEST(four_quarters_resize_by_the_corner_in_the_middle),
		TEST(outer_edges_resize_nothing),
		TEST(frame_is_dragged_by_its_shared_edges_only),
		TEST(split_is_a_share_of_the_output),
		TEST(each_workspace_has_a_split),
		TEST(split_lasts_until_no_window_is_beside_it),
		TEST(split_leaves_each_window_its_least_size),
		TEST(escape_restores_the_split),
		TEST(slow_client_sets_the_rate_up_to_a_time_limit),
		TEST(drag_ends_with_the_half),
	};
	return cmocka_run_group_tests_name("shell/input/split", tests, NULL, NULL);
}
