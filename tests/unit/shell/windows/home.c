/* SPDX-License-Identifier: MIT */
/* Homes of floating windows: title bars stay reachable, and places return, as outputs change. */

#include "harness/shell.h"
#include "shell/geometry/facts.h"
#include <linux/input-event-codes.h>

/** Height of a title bar and width of the border, by the default configuration. */
#define TITLE 28
#define BORDER 2

static struct window *map_framed(struct shell_fixture *fixture, int index, int width, int height)
{
	struct window *window = map(fixture, index, width, height);
	window_set_decorated(window, true);
	return window;
}

static void set_mode(struct shell_fixture *fixture, int index, int width, int height)
{
	struct test_output *output = &fixture->outputs[index];
	output->output.mode.width = width;
	output->output.mode.height = height;
	scene_output_mode_changed(output->shown);
}

static void assert_inside(const struct window *window, const struct box *area)
{
	const struct frame_extents frame = window_frame(window);
	const struct box box = window_box(window);
	if (box.x - frame.left < area->x || box.y - frame.top < area->y ||
		box.x + box.width + frame.right > area->x + area->width ||
		box.y + box.height + frame.bottom > area->y + area->height) {
		fail_msg("%d,%d %dx%d lies outside of %d,%d %dx%d", box.x, box.y, box.width,
			box.height, area->x, area->y, area->width, area->height);
	}
}

static void window_is_inside_an_output_that_returns_smaller(void **state)
{
	struct shell_fixture *fixture = *state;
	const struct box large = {1000, 0, 1600, 1200}, small = {1000, 0, 800, 600};
	plug_at(fixture, 1, &large);
	struct window *a = map_framed(fixture, 0, 300, 200);
	window_move_to(a, 2250, 950);
	unplug(fixture, 1);
	plug_at(fixture, 1, &small);
	assert_inside(a, &small);
	assert_int_equal(fixture->windows[0].configure.width, 0); /* it has room */
	set_mode(fixture, 1, 1600, 1200);
	assert_box(a, 2250, 950, 300, 200);
	unplug(fixture, 1);
	assert_inside(a, &(struct box){0, 0, 1000, 600});
	plug_at(fixture, 1, &large);
	assert_box(a, 2250, 950, 300, 200);
}

static void window_larger_than_its_new_output_is_shrunk_until_it_returns(void **state)
{
	struct shell_fixture *fixture = *state;
	plug_at(fixture, 1, &(struct box){1000, 0, 640, 360});
	struct window *a = map_framed(fixture, 0, 800, 500);
	window_move_to(a, 150, 60);
	run(fixture, "move-to-output", "right");
	assert_int_equal(fixture->windows[0].configure.width, 640 - 2 * BORDER);
	assert_int_equal(fixture->windows[0].configure.height, 360 - TITLE - 2 * BORDER);
	/* The title bar is reachable at once, before the client draws. */
	assert_int_equal(a->x, 1000 + BORDER);
	assert_int_equal(a->y, TITLE + BORDER);
	obey(&fixture->windows[0]);
	assert_box(a, 1000 + BORDER, TITLE + BORDER, 636, 328);
	run(fixture, "move-to-output", "left");
	obey(&fixture->windows[0]);
	assert_box(a, 150, 60, 800, 500);
}

static void window_of_fixed_size_keeps_it_and_its_title_bar(void **state)
{
	struct shell_fixture *fixture = *state;
	plug_at(fixture, 1, &(struct box){1000, 0, 640, 360});
	struct window *a = map_framed(fixture, 0, 800, 500);
	window_set_limits(a, &(struct window_limits){800, 500, 800, 500});
	window_move_to(a, 150, 60);
	run(fixture, "move-to-output", "right");
	obey(&fixture->windows[0]);
	assert_box(a, 1000 + BORDER, TITLE + BORDER, 800, 500);
}

static void scale_and_rotation_keep_windows_inside(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map_framed(fixture, 0, 300, 200);
	struct scene_output *output = fixture->outputs[0].shown;
	window_move_to(a, 650, 380);
	scene_output_set_scale(output, 2);
	assert_inside(a, &(struct box){0, 0, 500, 300});
	scene_output_set_scale(output, 1);
	assert_box(a, 650, 380, 300, 200);
	scene_output_set_transform(output, WL_OUTPUT_TRANSFORM_90);
	assert_inside(a, &(struct box){0, 0, 600, 1000});
	scene_output_set_transform(output, WL_OUTPUT_TRANSFORM_NORMAL);
	assert_box(a, 650, 380, 300, 200);
	/* The user decides anew. */
	scene_output_set_scale(output, 2);
	window_move_to(a, 20, 50);
	scene_output_set_scale(output, 1);
	assert_box(a, 20, 50, 300, 200);
}

static void windows_move_along_with_their_output(void **state)
{
	struct shell_fixture *fixture = *state;
	plug(fixture, 1, 1000);
	struct window *a = map(fixture, 0, 300, 200);
	window_move_to(a, 1100, 50);
	scene_output_set_position(fixture->outputs[1].shown, 0, 600);
	assert_box(a, 100, 650, 300, 200);
	assert_ptr_equal(a->workspace->output, fixture->outputs[1].shown);
}

static void restored_box_is_inside_of_the_output_as_it_is_now(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map_framed(fixture, 0, 300, 200);
	struct window *b = map_framed(fixture, 1, 300, 200);
	window_move_to(a, 650, 380);
	window_move_to(b, 600, 300);
	window_request_maximize(a, true);
	window_request_fullscreen(b, true, NULL);
	obey(&fixture->windows[0]);
	obey(&fixture->windows[1]);
	set_mode(fixture, 0, 500, 400);
	window_request_maximize(a, false);
	window_request_fullscreen(b, false, NULL);
	obey(&fixture->windows[0]);
	obey(&fixture->windows[1]);
	assert_inside(a, &(struct box){0, 0, 500, 400});
	assert_inside(b, &(struct box){0, 0, 500, 400});
	set_mode(fixture, 0, 1000, 600);
	assert_box(a, 650, 380, 300, 200);
	assert_box(b, 600, 300, 300, 200);
}

/* The output that the window covered went and came back at another place. */
static void window_leaves_fullscreen_to_the_output_of_its_place(void **state)
{
	struct shell_fixture *fixture = *state;
	plug(fixture, 1, 1000);
	struct window *a = map(fixture, 0, 300, 200);
	window_move_to(a, 480, 240);
	window_request_fullscreen(a, true, fixture->outputs[1].shown);
	obey(&fixture->windows[0]);
	assert_box(a, 1000, 0, 1000, 600);
	unplug(fixture, 1);
	plug_at(fixture, 1, &(struct box){0, 600, 1000, 600});
	obey(&fixture->windows[0]);
	assert_box(a, 0, 600, 1000, 600);
	window_request_fullscreen(a, false, NULL);
	obey(&fixture->windows[0]);
	assert_box(a, 480, 240, 300, 200);
	assert_ptr_equal(a->workspace->output, fixture->outputs[0].shown);
}

/* The place of a window counts from its output, at each position. */
static void covering_window_is_restored_on_the_output_that_returned_elsewhere(void **state)
{
	struct shell_fixture *fixture = *state;
	for (int i = 0; i < 2; i++) {
		plug(fixture, 1, 1000);
		struct window *a = map(fixture, i, 300, 200);
		window_move_to(a, 1480, 240);
		if (i) {
			window_request_fullscreen(a, true, NULL);
		} else {
			window_request_maximize(a, true);
		}
		obey(&fixture->windows[i]);
		unplug(fixture, 1);
		obey(&fixture->windows[i]);
		plug_at(fixture, 1, &(struct box){-1000, 600, 1000, 600});
		obey(&fixture->windows[i]);
		assert_box(a, -1000, 600, 1000, 600);
		window_request_maximize(a, false);
		window_request_fullscreen(a, false, NULL);
		obey(&fixture->windows[i]);
		assert_box(a, -520, 840, 300, 200);
		assert_ptr_equal(a->workspace->output, fixture->outputs[1].shown);
		unplug(fixture, 1);
	}
}

/* A panel that is drawn by a window. */
static void window_returns_from_under_a_panel(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map_framed(fixture, 0, 300, 200);
	window_move_to(a, 100, TITLE + BORDER);
	struct window *panel = map(fixture, 1, 1000, 40);
	window_set_type(panel, WINDOW_TYPE_DOCK);
	window_move_to(panel, 0, 0);
	window_reserve(panel, &(struct frame_extents){.top = 40});
	assert_box(a, 100, 40 + TITLE + BORDER, 300, 200);
	assert_box(panel, 0, 0, 1000, 40);
	/* The panel keeps its place, although its output changes. */
	set_mode(fixture, 0, 1000, 500);
	assert_box(panel, 0, 0, 1000, 40);
	window_reserve(panel, &(struct frame_extents){0});
	assert_box(a, 100, TITLE + BORDER, 300, 200);
}

static void window_that_is_mapped_again_opens_on_the_active_output(void **state)
{
	struct shell_fixture *fixture = *state;
	plug(fixture, 1, 1000);
	struct window *a = map(fixture, 0, 300, 200);
	window_move_to(a, 50, 60);
	unmap(fixture, 0);
	map(fixture, 0, 300, 200);
	assert_box(a, 50, 60, 300, 200);
	unmap(fixture, 0);
	move_to(fixture, 1500, 100); /* the other output becomes the active one */
	map(fixture, 0, 300, 200);
	assert_inside(a, &(struct box){1000, 0, 1000, 600});
	assert_ptr_equal(a->workspace->output, fixture->outputs[1].shown);
}

static void clients_cannot_put_title_bars_out_of_reach(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map_framed(fixture, 0, 300, 200);
	window_request_position(a, 100, 0);
	assert_box(a, 100, TITLE + BORDER, 300, 200);
	window_request_position(a, -5000, 5000);
	assert_in_range(a->x + a->geometry.width, 1, 100);
	assert_in_range(a->y, 1, 600);
	window_request_position(a, 400, 300);
	assert_box(a, 400, 300, 300, 200);
	/* At the edge, a window that shrinks stays in reach. */
	window_request_position(a, -200, 100);
	draw(&fixture->windows[0], 100, 100);
	assert_in_range(a->x + a->geometry.width, 1, 100);
}

static void position_of_a_client_chooses_output_and_workspace(void **state)
{
	struct shell_fixture *fixture = *state;
	plug(fixture, 1, 1000);
	for (int i = 0; i < 2; i++) {
		make(fixture, i);
		window_place_at(fixture->windows[i].window, i ? 9000 : 1300, 200);
		map(fixture, i, 300, 200);
		const struct window *window = fixture->windows[i].window;
		assert_ptr_equal(window->workspace->output, fixture->outputs[1].shown);
		assert_in_range(window->x, 1300, 1999);
	}
	/* A window goes with its workspace. */
	unplug(fixture, 1);
	assert_inside(fixture->windows[0].window, &(struct box){0, 0, 1000, 600});
}

static void dialog_opens_on_the_output_of_its_parent(void **state)
{
	struct shell_fixture *fixture = *state;
	plug(fixture, 1, 1000);
	struct window *parent = map(fixture, 0, 300, 200);
	make(fixture, 1);
	window_set_parent(fixture->windows[1].window, parent);
	window_place_at(fixture->windows[1].window, 1500, 100);
	const struct window *dialog = map(fixture, 1, 100, 100);
	assert_ptr_equal(dialog->workspace, parent->workspace);
	assert_in_range(dialog->x, 0, 999);
}

static void hidden_window_cannot_move_to_another_output(void **state)
{
	struct shell_fixture *fixture = *state;
	plug(fixture, 1, 1000);
	struct window *a = map(fixture, 0, 300, 200);
	run(fixture, "workspace", "5");
	assert_false(window_shown(a));
	window_request_position(a, 1500, 100);
	assert_in_range(a->x, 700, 999);
	assert_ptr_equal(a->workspace->output, fixture->outputs[0].shown);
}

/* The client has not drawn the restored size when it is maximised again. */
static void place_survives_states_that_follow_fast(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map(fixture, 0, 300, 200);
	window_move_to(a, 120, 130);
	window_request_maximize(a, true);
	obey(&fixture->windows[0]);
	window_request_maximize(a, false);
	window_request_maximize(a, true);
	obey(&fixture->windows[0]);
	window_request_maximize(a, false);
	obey(&fixture->windows[0]);
	assert_box(a, 120, 130, 300, 200);
}

static void size_of_a_rule_is_restored_within_reach(void **state)
{
	struct shell_fixture *fixture = *state;
	plug(fixture, 1, 1000);
	move_to(fixture, 1500, 100);
	make(fixture, 0);
	struct window *a = fixture->windows[0].window;
	window_set_decorated(a, true);
	a->private->saved = (struct box){.width = 400, .height = 300}; /* as a rule sets it */
	window_request_maximize(a, true);
	map(fixture, 0, 1000, 570);
	window_request_maximize(a, false);
	obey(&fixture->windows[0]);
	assert_inside(a, &(struct box){1000, 0, 1000, 600});
	assert_int_equal(a->geometry.width, 400);
}

/* The title bar is on the upper one of two outputs, most of the window on the lower one. */
static void window_across_two_outputs_stays_there(void **state)
{
	struct shell_fixture *fixture = *state;
	plug_at(fixture, 1, &(struct box){0, 600, 1000, 600});
	struct window *a = map_framed(fixture, 0, 300, 400);
	window_move_to(a, 100, 580);
	assert_ptr_equal(a->workspace->output, fixture->outputs[1].shown);
	draw(&fixture->windows[0], 320, 420);
	assert_box(a, 100, 580, 320, 420);
	struct window *panel = map(fixture, 1, 1000, 40);
	window_set_type(panel, WINDOW_TYPE_DOCK);
	window_move_to(panel, 0, 1160);
	window_reserve(panel, &(struct frame_extents){.bottom = 40});
	assert_box(a, 100, 580, 320, 420);
	/* A title bar at another one's edge is out of reach there. */
	window_request_position(a, -300, 580);
	assert_true(a->x + 320 >= 30);
	window_request_position(a, 100, 580);
	assert_box(a, 100, 580, 320, 420);
	unplug(fixture, 0);
	assert_inside(a, &(struct box){0, 600, 1000, 560});
	plug_at(fixture, 0, &(struct box){0, 0, 1000, 600});
	assert_box(a, 100, 580, 320, 420);
}

/* The layout of the workspace, not the user, chooses the place of a tile that floats there. */
static void tile_floats_on_the_output_to_which_it_moves(void **state)
{
	struct shell_fixture *fixture = *state;
	plug(fixture, 1, 1000);
	workspace_set_layout(shell_workspace(fixture->shell), CONFIG_LAYOUT_COLUMNS);
	struct window *a = map(fixture, 0, 300, 200);
	assert_non_null(a->private->tiled);
	a->private->saved = (struct box){0}; /* it opened as a tile */
	obey(&fixture->windows[0]);
	run(fixture, "move-to-output", "right");
	obey(&fixture->windows[0]);
	assert_true(window_floating(a));
	assert_box(a, 1200, 120, 600, 360); /* in the middle */
	set_mode(fixture, 1, 900, 600);
	set_mode(fixture, 1, 1000, 600);
	obey(&fixture->windows[0]);
	assert_box(a, 1200, 120, 600, 360);
}

/* The client draws the same size as before, on the other output. */
static void hidden_window_leaves_fullscreen_on_the_output_of_its_workspace(void **state)
{
	struct shell_fixture *fixture = *state;
	plug(fixture, 1, 1000);
	make(fixture, 0);
	window_request_fullscreen(fixture->windows[0].window, true, fixture->outputs[0].shown);
	struct window *a = map(fixture, 0, 1000, 600);
	run(fixture, "workspace", "5");
	assert_false(window_shown(a));
	window_request_fullscreen(a, true, fixture->outputs[1].shown);
	obey(&fixture->windows[0]);
	window_request_fullscreen(a, false, NULL);
	draw(&fixture->windows[0], 1000, 600);
	assert_ptr_equal(a->workspace->output, fixture->outputs[0].shown);
	assert_in_range(a->x, 0, 999);
}

/* By a key and the pointer, which may hold a window at its lower edge. */
static void user_cannot_leave_title_bars_out_of_reach(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map_framed(fixture, 0, 300, 200);
	window_move_to(a, 100, 100);
	move_to(fixture, 200, 290);
	button(fixture, BTN_LEFT, true);
	window_request_move(a, fixture->seat, false, 0);
	move_to(fixture, 200, 10);
	assert_int_equal(a->y, -180); /* it follows the pointer */
	button(fixture, BTN_LEFT, false);
	assert_box(a, 100, TITLE + BORDER, 300, 200);
	/* A resize at the upper edge, to which the client adds nothing after the release. */
	move_to(fixture, 200, 200);
	button(fixture, BTN_LEFT, true);
	window_request_resize(a, fixture->seat, 1, false, 0);
	move_to(fixture, 200, 20);
	for (int i = 0; i < 3; i++) {
		obey(&fixture->windows[0]);
	}
	assert_box(a, 100, -150, 300, 380);
	button(fixture, BTN_LEFT, false);
	obey(&fixture->windows[0]);
	assert_box(a, 100, TITLE + BORDER, 300, 380);
}

/* A resize keeps the opposite edges in place: of the place before the output went. */
static void resize_ends_when_the_output_goes(void **state)
{
	struct shell_fixture *fixture = *state;
	plug(fixture, 1, 1000);
	struct window *a = map(fixture, 0, 300, 200);
	window_move_to(a, 1600, 100);
	move_to(fixture, 1605, 105);
	button(fixture, BTN_LEFT, true);
	window_request_resize(a, fixture->seat, 1 | 4, false, 0); /* top and left */
	move_to(fixture, 1600, 100);
	unplug(fixture, 1);
	obey(&fixture->windows[0]);
	obey(&fixture->windows[0]);
	assert_inside(a, &(struct box){0, 0, 1000, 600});
	button(fixture, BTN_LEFT, false);
}

/* A window that was shown whole, and grows by itself, stays so as far as it fits. */
static void window_that_grows_stays_on_the_screen(void **state)
{
	struct shell_fixture *fixture = *state;
	const struct box area = {0, 0, 1000, 600};
	struct window *a = map_framed(fixture, 0, 300, 200);
	struct test_window *self = &fixture->windows[0];
	for (int i = 0; i < 9; i++) {
		draw(self, 300, 200);
		/* At the edges and corners, and in the middle. */
		window_move_to(a, BORDER + i % 3 * (700 - 2 * BORDER) / 2,
			TITLE + BORDER + i / 3 * (400 - TITLE - 2 * BORDER) / 2);
		const struct box before = window_box(a);
		assert_inside(a, &area);
		draw(self, 600, 500);
		assert_inside(a, &area);
		/* No further than necessary. */
		assert_true(a->x == before.x || a->x + 600 == 1000 - BORDER);
		assert_true(a->y == before.y || a->y + 500 == 600 - BORDER);
		draw(self, 1200, 900);
		assert_box(a, BORDER, TITLE + BORDER, 1200, 900);
	}
	/* One that the user has put partly outside stays there. */
	draw(self, 300, 200);
	window_move_to(a, 900, 300);
	draw(self, 600, 500);
	assert_box(a, 900, 300, 600, 500);
	/* The size that a state restores is not a growth. */
	draw(self, 300, 200);
	window_move_to(a, 780, 300);
	window_request_maximize(a, true);
	obey(self);
	window_request_maximize(a, false);
	obey(self);
	assert_box(a, 780, 300, 300, 200);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up_shell, tear_down_shell)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(window_is_inside_an_output_that_returns_smaller),
		TEST(window_larger_than_its_new_output_is_shrunk_until_it_returns),
		TEST(window_of_fixed_size_keeps_it_and_its_title_bar),
		TEST(scale_and_rotation_keep_windows_inside),
		TEST(windows_move_along_with_their_output),
		TEST(restored_box_is_inside_of_the_output_as_it_is_now),
		TEST(window_leaves_fullscreen_to_the_output_of_its_place),
		TEST(covering_window_is_restored_on_the_output_that_returned_elsewhere),
		TEST(window_returns_from_under_a_panel),
		TEST(window_that_is_mapped_again_opens_on_the_active_output),
		TEST(clients_cannot_put_title_bars_out_of_reach),
		TEST(position_of_a_client_chooses_output_and_workspace),
		TEST(dialog_opens_on_the_output_of_its_parent),
		TEST(hidden_window_cannot_move_to_another_output),
		TEST(place_survives_states_that_follow_fast),
		TEST(size_of_a_rule_is_restored_within_reach),
		TEST(window_across_two_outputs_stays_there),
		TEST(tile_floats_on_the_output_to_which_it_moves),
		TEST(hidden_window_leaves_fullscreen_on_the_output_of_its_workspace),
		TEST(user_cannot_leave_title_bars_out_of_reach),
		TEST(resize_ends_when_the_output_goes),
		TEST(window_that_grows_stays_on_the_screen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
