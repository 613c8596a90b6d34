/* SPDX-License-Identifier: MIT */
/*
 * Positions to which floating windows return: two thirds of the window are seen. The user may leave
 * less of it on the output.
 */

#include "harness/shell.h"
#include "shell/geometry/facts.h"
#include "shell/window.h"
#include "shell/windows/windows.h"
#include "shell/windows/workspaces.h"
#include <linux/input-event-codes.h>
#include <stdio.h>

#define WIDTH 300
#define HEIGHT 200

/* Not beside the first output, which would show the rest of windows. */
static const struct box screen = {3000, 0, 1000, 600};

/* A place at an edge or corner of the screen, of which a part is seen. */
struct spot {
	int across,
		along; /* -1, 0, 1: beyond the left edge, inside, beyond the right or lower edge */
	double part; /* seen of the width, or height, or of each */
	bool decorated;
};

#define SPOTS (3 * 2 * 4 * 2)

static struct spot spot_of(int i)
{
	static const double parts[] = {0.2, 0.5, 0.64, 0.9};
	return (struct spot){i % 3 - 1, i / 3 % 2, parts[i / 6 % 4], i / 24};
}

static struct box outer_box(const struct window *window)
{
	const struct frame_extents frame = window_frame(window);
	return (struct box){window->x - frame.left, window->y - frame.top,
		window->geometry.width + frame.left + frame.right,
		window->geometry.height + frame.top + frame.bottom};
}

static double seen_of(const struct window *window)
{
	const struct box outer = outer_box(window);
	struct box common;
	return box_intersect(&common, &outer, &screen)
		       ? (double)common.width * common.height / outer.width / outer.height
		       : 0;
}

/* Moves the window so that as much of it is seen. */
static void put(struct window *window, const struct spot *spot)
{
	const struct frame_extents frame = window_frame(window);
	const struct box outer = outer_box(window);
	const int right = screen.x + screen.width, bottom = screen.y + screen.height;
	const int x = spot->across < 0   ? screen.x - (int)((1 - spot->part) * outer.width)
		      : spot->across > 0 ? right - (int)(spot->part * outer.width)
					 : screen.x + 300;
	const int y = spot->along > 0 ? bottom - (int)(spot->part * outer.height) : screen.y + 100;
	window_move_to(window, x + frame.left, y + frame.top);
}

static struct window *open_at(struct shell_fixture *fixture, const struct spot *spot)
{
	plug_at(fixture, 1, &screen);
	move_to(fixture, 3500, 100);
	struct window *window = map(fixture, 0, WIDTH, HEIGHT);
	window_set_decorated(window, spot->decorated);
	obey_all(fixture, 1);
	put(window, spot);
	window_focus(window);
	return window;
}

static void settle(struct shell_fixture *fixture)
{
	for (int i = 0; i < 3; i++) {
		obey_all(fixture, 1000000000);
	}
}

enum way {
	MAXIMIZED,
	FULLSCREEN,
	TILED,
	COLUMNS,
	UNPLUGGED,
	MOVED,
	WORKSPACE_MOVED,
	SCALED,
	TURNED,
	SMALLER,
	MAPPED_AGAIN,
	WAYS,
};

static void leave(struct shell_fixture *fixture, struct window *window, enum way way)
{
	struct test_output *output = &fixture->outputs[1];
	switch (way) {
	case MAXIMIZED: window_request_maximize(window, true); break;
	case FULLSCREEN: window_request_fullscreen(window, true, NULL); break;
	case TILED: window_tile(window, WINDOW_TILED_TOP | WINDOW_TILED_LEFT); break;
	case COLUMNS: workspace_set_layout(window->workspace, CONFIG_LAYOUT_COLUMNS); break;
	case UNPLUGGED: unplug(fixture, 1); break;
	case MOVED: run(fixture, "move-to-output", "left"); break;
	case WORKSPACE_MOVED: run(fixture, "workspace-to-output", "left"); break;
	case SCALED: scene_output_set_scale(output->shown, 1.5); break;
	case TURNED: scene_output_set_transform(output->shown, WL_OUTPUT_TRANSFORM_90); break;
	case SMALLER:
		output->output.mode.width = 500;
		output->output.mode.height = 400;
		scene_output_mode_changed(output->shown);
		break;
	default: unmap(fixture, 0);
	}
}

static void come_back(struct shell_fixture *fixture, struct window *window, enum way way)
{
	struct test_output *output = &fixture->outputs[1];
	switch (way) {
	case MAXIMIZED: window_request_maximize(window, false); break;
	case FULLSCREEN: window_request_fullscreen(window, false, NULL); break;
	case TILED: window_tile(window, 0); break;
	case COLUMNS: workspace_set_layout(window->workspace, CONFIG_LAYOUT_FLOATING); break;
	case UNPLUGGED: plug_at(fixture, 1, &screen); break;
	case MOVED: run(fixture, "move-to-output", "right"); break;
	case WORKSPACE_MOVED: run(fixture, "workspace-to-output", "right"); break;
	case SCALED: scene_output_set_scale(output->shown, 1); break;
	case TURNED: scene_output_set_transform(output->shown, WL_OUTPUT_TRANSFORM_NORMAL); break;
	case SMALLER:
		output->output.mode.width = screen.width;
		output->output.mode.height = screen.height;
		scene_output_mode_changed(output->shown);
		break;
	default: move_to(fixture, 3500, 100); map(fixture, 0, WIDTH, HEIGHT);
	}
}

/* A window that was seen well is where it was; another one is shown whole. */
static void check_returned(const struct window *window, const struct box *before, double seen)
{
	if (seen >= 2.0 / 3) {
		assert_box(window, before->x, before->y, before->width, before->height);
	} else {
		assert_true(seen_of(window) > 0.999);
	}
	assert_int_equal(window->geometry.width, before->width);
	assert_int_equal(window->geometry.height, before->height);
}

static void two_thirds_are_seen_of_a_window_that_returns(void **state)
{
	for (int i = 0; i < WAYS * SPOTS; i++) {
		struct shell_fixture *fixture = *state;
		const struct spot spot = spot_of(i / WAYS);
		struct window *window = open_at(fixture, &spot);
		const struct box before = window_box(window);
		const double seen = seen_of(window);
		leave(fixture, window, i % WAYS);
		if (i % WAYS != MAPPED_AGAIN) {
			settle(fixture);
		}
		come_back(fixture, window, i % WAYS);
		if (i % WAYS == MAPPED_AGAIN) {
			window_set_decorated(window, spot.decorated);
		}
		settle(fixture);
		check_returned(window, &before, seen);
		/* Repeated requests move the window no further. */
		const struct box after = window_box(window);
		window_request_maximize(window, false);
		scene_output_set_scale(fixture->outputs[0].shown, 2);
		settle(fixture);
		assert_box(window, after.x, after.y, after.width, after.height);
		tear_down_shell(state);
		set_up_shell(state);
	}
}

static void two_thirds_are_seen_of_a_window_placed_by_a_rule(void **state)
{
	for (int i = 0; i < SPOTS; i++) {
		struct shell_fixture *fixture = *state;
		const struct spot spot = spot_of(i);
		char text[128];
		struct window *window = open_at(fixture, &spot);
		const struct box outer = outer_box(window), before = window_box(window);
		const double seen = seen_of(window);
		const int x = outer.x - screen.x, y = outer.y - screen.y;
		unmap(fixture, 0);
		if (x < 0) { /* the rule counts from the left edge */
			tear_down_shell(state);
			set_up_shell(state);
			continue;
		}
		snprintf(text, sizeof(text), "[window a]\napp-id = a\nposition = %d,%d\n", x, y);
		configure_shell(fixture, text);
		window_set_app_id(window, "a");
		map(fixture, 0, WIDTH, HEIGHT);
		check_returned(window, &before, seen);
		tear_down_shell(state);
		set_up_shell(state);
	}
}

/* Changes that do not move the window. */
static void disturb(struct shell_fixture *fixture, struct window *window, int i)
{
	switch (i) {
	case 0: window_request_maximize(window, false); break;
	case 1: window_request_fullscreen(window, false, NULL); break;
	case 2:
		unplug(fixture, 0);
		plug(fixture, 0, 0);
		break;
	case 3: scene_output_set_scale(fixture->outputs[0].shown, 2); break;
	case 4:
		window_set_minimized(window, true);
		window_set_minimized(window, false);
		break;
	case 5:
		run(fixture, "workspace", "7");
		run(fixture, "workspace-back", NULL);
		break;
	case 6: plug(fixture, 2, 6000); break;
	default: window_set_sticky(window, true); run(fixture, "workspace", "7");
	}
}

/* Dragged there by its title bar, or by Super and its middle. */
static void window_stays_where_the_user_leaves_it(void **state)
{
	for (int i = 0; i < 8 * SPOTS; i++) {
		struct shell_fixture *fixture = *state;
		const struct spot spot = spot_of(i / 8);
		struct window *window = open_at(fixture, &spot);
		const struct box target = window_box(window);
		window_move_to(window, 3400, 200);
		move_to(fixture, 3500, 250);
		button(fixture, BTN_LEFT, true);
		window_request_move(window, fixture->seat, false, 0);
		/* Not to the edges of the screen, where windows are tiled. */
		move_to(fixture, 3500 + target.x - 3400, 250 + target.y - 200);
		const bool held = window->x == target.x && window->y == target.y;
		button(fixture, BTN_LEFT, false);
		if (!held || !window_floating(window)) {
			window_tile(window, 0);
			obey_all(fixture, 1);
			window_move_to(window, target.x, target.y);
		}
		assert_box(window, target.x, target.y, target.width, target.height);
		disturb(fixture, window, i % 8);
		settle(fixture);
		assert_box(window, target.x, target.y, target.width, target.height);
		tear_down_shell(state);
		set_up_shell(state);
	}
}

/* Most of it lies on the one, the rest on the other: nothing is hidden. */
static void window_returns_across_two_outputs(void **state)
{
	for (int i = 0; i < 2; i++) {
		struct shell_fixture *fixture = *state;
		plug(fixture, 1, 1000);
		struct window *window = map(fixture, 0, WIDTH, HEIGHT);
		window_move_to(window, 1000 - (i ? 140 : 160), 200);
		window_request_maximize(window, true);
		settle(fixture);
		window_request_maximize(window, false);
		settle(fixture);
		assert_box(window, 1000 - (i ? 140 : 160), 200, WIDTH, HEIGHT);
		tear_down_shell(state);
		set_up_shell(state);
	}
}

/* Two thirds of what the output has room for. */
static void window_larger_than_the_output_fills_it_when_it_returns(void **state)
{
	struct shell_fixture *fixture = *state;
	static const int xs[] = {-900, -300, 100, 700}, expected[] = {0, -300, 100, 0};
	struct window *window = map(fixture, 0, 1400, 300);
	for (int i = 0; i < 4; i++) {
		window_move_to(window, xs[i], 100);
		window_request_maximize(window, true);
		settle(fixture);
		window_request_maximize(window, false);
		settle(fixture);
		assert_box(window, expected[i], 100, 1400, 300);
	}
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up_shell, tear_down_shell)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(two_thirds_are_seen_of_a_window_that_returns),
		TEST(two_thirds_are_seen_of_a_window_placed_by_a_rule),
		TEST(window_stays_where_the_user_leaves_it),
		TEST(window_returns_across_two_outputs),
		TEST(window_larger_than_the_output_fills_it_when_it_returns),
	};
	return cmocka_run_group_tests_name("shell/windows/returns", tests, NULL, NULL);
}
