/* SPDX-License-Identifier: MIT */
/* Windows moved, tiled and resized by a finger. */

#include "harness/shell.h"
#include "util/signal.h"
#include "xdg-shell-protocol.h"
#include <stdlib.h>

#define WIDTH 1000
#define HEIGHT 600

struct screen {
	struct shell_fixture *fixture;
	struct input_device device;
};

static int set_up(void **state)
{
	set_up_shell(state);
	struct screen *screen = calloc(1, sizeof(*screen));
	screen->fixture = *state;
	input_device_init(&screen->device, INPUT_TOUCH, "screen");
	seat_add_device(screen->fixture->seat, &screen->device);
	*state = screen;
	return 0;
}

static int tear_down(void **state)
{
	struct screen *screen = *state;
	void *fixture = screen->fixture;
	input_device_finish(&screen->device);
	free(screen);
	return tear_down_shell(&fixture);
}

static struct input_touch_event at(int32_t id, double x, double y)
{
	return (struct input_touch_event){.id = id, .x = x / WIDTH, .y = y / HEIGHT};
}

static void touch(struct screen *screen, int32_t id, double x, double y)
{
	struct input_touch_event event = at(id, x, y);
	signal_emit(&screen->device.events.touch_down, &event);
	signal_emit(&screen->device.events.touch_frame, NULL);
}

static void slide(struct screen *screen, int32_t id, double x, double y)
{
	struct input_touch_event event = at(id, x, y);
	signal_emit(&screen->device.events.touch_motion, &event);
	signal_emit(&screen->device.events.touch_frame, NULL);
}

static void lift(struct screen *screen, int32_t id)
{
	struct input_touch_event event = {.id = id};
	signal_emit(&screen->device.events.touch_up, &event);
	signal_emit(&screen->device.events.touch_frame, NULL);
}

static void settle(struct screen *screen)
{
	obey_all(screen->fixture, 1);
}

static struct window *add(struct screen *screen, int index)
{
	struct window *window = map(screen->fixture, index, 300, 200);
	window_set_decorated(window, true);
	settle(screen);
	settle(screen);
	return window;
}

static void title_bar_follows_the_finger_that_pressed_it(void **state)
{
	struct screen *screen = *state;
	struct window *a = add(screen, 0);
	window_move_to(a, 100, 100);
	touch(screen, 1, 200, 90);
	slide(screen, 1, 204, 92); /* less than a drag */
	assert_box(a, 100, 100, 300, 200);
	touch(screen, 2, 500, 500);
	slide(screen, 2, 600, 550);
	assert_box(a, 100, 100, 300, 200);
	slide(screen, 1, 220, 110); /* begins the drag */
	slide(screen, 1, 250, 160);
	slide(screen, 2, 700, 550);
	assert_box(a, 130, 150, 300, 200);
	lift(screen, 1);
	lift(screen, 2);
	assert_null(screen->fixture->seat->touch.grab);
	assert_null(screen->fixture->shell->private->grab);
	touch(screen, 1, 800, 500);
	slide(screen, 1, 810, 500);
	lift(screen, 1);
	assert_box(a, 130, 150, 300, 200);
}

static void two_taps_on_the_title_bar_maximize(void **state)
{
	struct screen *screen = *state;
	struct window *a = add(screen, 0);
	window_move_to(a, 100, 100);
	for (int i = 0; i < 2; i++) {
		assert_false(a->states & WINDOW_MAXIMIZED);
		touch(screen, 1, 200, 90);
		lift(screen, 1);
	}
	assert_true(a->states & WINDOW_MAXIMIZED);
}

static void window_dropped_at_an_edge_by_a_finger_is_tiled(void **state)
{
	struct screen *screen = *state;
	struct window *a = add(screen, 0);
	window_move_to(a, 100, 100);
	touch(screen, 1, 200, 90);
	slide(screen, 1, 100, 300);
	slide(screen, 1, 1, 300);
	lift(screen, 1);
	assert_int_equal(a->states & WINDOW_TILED,
		WINDOW_TILED_LEFT | WINDOW_TILED_TOP | WINDOW_TILED_BOTTOM);
}

static void touch_of_a_closed_window_is_forgotten(void **state)
{
	struct screen *screen = *state;
	struct window *a = add(screen, 0);
	window_move_to(a, 100, 100);
	touch(screen, 1, 200, 90);
	assert_non_null(screen->fixture->seat->touch.grab);
	unmap(screen->fixture, 0);
	assert_null(screen->fixture->seat->touch.grab);
	slide(screen, 1, 300, 300);
	lift(screen, 1);
	assert_int_equal(screen->fixture->seat->touch.n_points, 0);
}

static void tiled_window_is_dragged_by_a_finger(void **state)
{
	struct screen *screen = *state;
	struct shell *shell = screen->fixture->shell;
	workspace_set_layout(shell_workspace(shell), CONFIG_LAYOUT_COLUMNS);
	struct window *a = add(screen, 0), *b = add(screen, 1);
	assert_true(a->x < b->x);
	touch(screen, 1, 250, a->y - 10);
	slide(screen, 1, 500, 300);
	assert_non_null(shell->private->tile_grab);
	slide(screen, 1, 980, 300);
	lift(screen, 1);
	settle(screen);
	assert_null(shell->private->tile_grab);
	assert_true(a->x > b->x);
	/* The edge between both, as a client asks for it. */
	const int width = b->geometry.width;
	touch(screen, 1, b->x + 100, 300);
	window_request_resize(b, shell->seat, XDG_TOPLEVEL_RESIZE_EDGE_RIGHT, true,
		shell->seat->touch.points[0].id);
	assert_non_null(shell->private->tile_grab);
	slide(screen, 1, b->x + 200, 300);
	lift(screen, 1);
	settle(screen);
	assert_in_range(b->geometry.width, width + 90, width + 110);
	/* A drag ends with its window. */
	touch(screen, 1, b->x + 100, b->y - 10);
	slide(screen, 1, 500, 300);
	assert_non_null(shell->private->tile_grab);
	unmap(screen->fixture, 1);
	assert_null(shell->private->tile_grab);
	assert_null(screen->fixture->seat->touch.grab);
	slide(screen, 1, 600, 300);
	lift(screen, 1);
}

static int n_ups, n_motions, n_cancels;

static uint32_t count_up(struct seat *seat, struct surface *surface, int64_t time, int32_t id)
{
	n_ups++;
	return 1;
}

static void count_motion(struct seat *seat, struct surface *surface, int64_t time, int32_t id,
	struct coord_surface at)
{
	n_motions++;
}

static void count_cancel(struct seat *seat, struct surface *surface)
{
	n_cancels++;
}

/*
 * A finger in a client's surface moves and lifts while another one is on the title bar or a button
 * of any window, or drags it: the client gets all of that, or the end of all touches.
 */
static void finger_in_a_client_lifts_during_the_press_of_another(void **state)
{
	struct screen *screen = *state;
	struct seat *seat = screen->fixture->seat;
	const struct seat_sink_impl *before = seat->sink;
	struct seat_sink_impl counting = *before;
	counting.touch_up = count_up;
	counting.touch_motion = count_motion;
	counting.touch_cancel = count_cancel;
	seat->sink = &counting;
	struct window *a = add(screen, 0), *b = add(screen, 1);
	window_move_to(a, 100, 100);
	window_move_to(b, 500, 100);
	for (int i = 0; i < 2 * 3; i++) {
		const double left = i % 2 ? 100 : 500;
		n_ups = n_motions = n_cancels = 0;
		touch(screen, 1, 200, 200);
		/* The title, the button at its right end, and the title with a drag. */
		touch(screen, 2, left + (i / 2 == 1 ? 290 : 100), 90);
		if (i / 2 == 2) {
			slide(screen, 2, left + 120, 120);
			assert_int_equal(n_cancels, 1);
		}
		assert_non_null(seat->touch.grab);
		slide(screen, 1, 210, 210);
		lift(screen, 1);
		assert_int_equal(n_motions, n_cancels ? 0 : 1);
		assert_int_equal(n_ups, n_cancels ? 0 : 1);
		slide(screen, 2, left + 100, 400); /* off the button */
		lift(screen, 2);
		assert_int_equal(seat->touch.n_points, 0);
		window_move_to(a, 100, 100);
		window_move_to(b, 500, 100);
	}
	seat->sink = before;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(title_bar_follows_the_finger_that_pressed_it),
		TEST(two_taps_on_the_title_bar_maximize),
		TEST(window_dropped_at_an_edge_by_a_finger_is_tiled),
		TEST(touch_of_a_closed_window_is_forgotten),
		TEST(tiled_window_is_dragged_by_a_finger),
		TEST(finger_in_a_client_lifts_during_the_press_of_another),
	};
	return cmocka_run_group_tests_name("shell/touch", tests, NULL, NULL);
}
