/* SPDX-License-Identifier: MIT */
/* The overview: its layout, and the choice of workspaces and windows. */

#include "shell/views/overview.h"
#include "harness/shell.h"
#include "shell/geometry/facts.h"
#include "shell/geometry/layout_columns.h"
#include "shell/windows/workspaces.h"
#include "util/signal.h"
#include <linux/input-event-codes.h>
#include <stdio.h>

static void cells_fit_without_overlap(void **state)
{
	static const struct box areas[] = {
		{0, 0, 1920, 1080}, {1000, 30, 1000, 570}, {0, 0, 1080, 1920}, {-50, 0, 320, 240}};
	for (size_t a = 0; a < sizeof(areas) / sizeof(areas[0]); a++) {
		for (int n = 1; n <= 9; n++) {
			const struct overview_layout layout =
				overview_layout(&areas[a], areas[a].width, areas[a].height, n);
			for (int i = 0; i < n; i++) {
				const struct box box = overview_cell(&layout, i);
				struct box with = box, both;
				with.height += OVERVIEW_LABEL;
				assert_true(box_intersect(&both, &with, &areas[a]));
				assert_true(box_equal(&both, &with));
				for (int j = 0; j < i; j++) {
					const struct box other = overview_cell(&layout, j);
					assert_false(box_intersect(&both, &with, &other));
				}
			}
		}
	}
}

static void cells_are_as_large_as_they_fit(void **state)
{
	static const struct {
		int n, columns, rows;
	} rows[] = {{1, 1, 1}, {2, 2, 1}, {3, 2, 2}, {4, 2, 2}, {5, 3, 2}, {9, 3, 3}};
	const struct box area = {0, 0, 1920, 1080};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct overview_layout layout = overview_layout(&area, 1920, 1080, rows[i].n);
		assert_int_equal(layout.columns, rows[i].columns);
		assert_int_equal(layout.rows, rows[i].rows);
	}
	assert_true(overview_layout(&area, 1920, 1080, 1).scale == 0.6);
}

static void windows_are_cut_to_the_output(void **state)
{
	const struct box output = {1000, 0, 1000, 500}, cell = {40, 60, 100, 50};
	static const struct {
		struct box window, part, box;
	} rows[] = {
		{{1100, 100, 200, 100}, {0, 0, 200, 100}, {50, 70, 20, 10}},
		{{900, -50, 200, 100}, {100, 50, 100, 50}, {40, 60, 10, 5}},
		{{1900, 400, 400, 400}, {0, 0, 100, 100}, {130, 100, 10, 10}},
	};
	struct box part, box;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_true(overview_place(&rows[i].window, &output, &cell, &part, &box));
		assert_true(box_equal(&part, &rows[i].part));
		assert_true(box_equal(&box, &rows[i].box));
	}
	assert_false(overview_place(&(struct box){0, 0, 1000, 500}, &output, &cell, &part, &box));
}

static void selection_moves_to_the_nearest_cell(void **state)
{
	/* Three on the left output, two on the right one. */
	static const struct box boxes[] = {{0, 0, 100, 60}, {120, 0, 100, 60}, {60, 80, 100, 60},
		{500, 0, 100, 60}, {500, 80, 100, 60}};
	static const struct {
		int from, direction, to;
	} rows[] = {{0, DIRECTION_RIGHT, 1}, {1, DIRECTION_RIGHT, 3}, {3, DIRECTION_DOWN, 4},
		{3, DIRECTION_LEFT, 1}, {4, DIRECTION_LEFT, 2}, {2, DIRECTION_UP, 0},
		{0, DIRECTION_LEFT, 0}, {0, DIRECTION_UP, 0}, {0, DIRECTION_DOWN, 2}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(
			overview_next(boxes, 5, rows[i].from, rows[i].direction), rows[i].to);
	}
}

/* Choices. */

static void type(struct shell_fixture *fixture, uint32_t code)
{
	key(fixture, code, true);
	key(fixture, code, false);
}

/* Returns the box in the overview, whose first output shows `n` workspaces. */
static struct box cell(struct shell_fixture *fixture, int n, int i)
{
	const struct scene_output *output = fixture->outputs[0].shown;
	const struct box area = shell_usable(fixture->shell, output);
	const struct overview_layout layout = overview_layout(&area, 1000, 600, n);
	return overview_cell(&layout, i);
}

static void click(struct shell_fixture *fixture, double x, double y)
{
	move_to(fixture, x, y);
	scene_update(fixture->scene);
	button(fixture, BTN_LEFT, true);
	button(fixture, BTN_LEFT, false);
}

static int shown(struct shell_fixture *fixture)
{
	return shell_workspace(fixture->shell)->number;
}

/* Maps two windows on the first workspace, and one on the second, which is shown. */
static void fill(struct shell_fixture *fixture)
{
	window_move_to(map(fixture, 0, 200, 200), 0, 0);
	window_move_to(map(fixture, 1, 200, 200), 800, 400);
	assert_true(run(fixture, "workspace", "2"));
	map(fixture, 2, 200, 200);
}

static void keys_choose_a_workspace(void **state)
{
	struct shell_fixture *fixture = *state;
	fill(fixture);
	assert_true(run(fixture, "overview", NULL));
	assert_non_null(fixture->shell->private->overview);
	type(fixture, KEY_LEFT);
	assert_int_equal(shown(fixture), 2);
	type(fixture, KEY_ENTER);
	assert_null(fixture->shell->private->overview);
	assert_int_equal(shown(fixture), 1);
	assert_true(run(fixture, "overview", NULL));
	type(fixture, KEY_RIGHT);
	type(fixture, KEY_ESC);
	assert_null(fixture->shell->private->overview);
	assert_int_equal(shown(fixture), 1);
	assert_true(run(fixture, "overview", NULL));
	assert_true(run(fixture, "overview", NULL));
	assert_null(fixture->shell->private->overview);
}

static void keys_choose_a_window(void **state)
{
	struct shell_fixture *fixture = *state;
	fill(fixture);
	assert_true(run(fixture, "overview", NULL));
	type(fixture, KEY_TAB);
	type(fixture, KEY_ENTER);
	assert_ptr_equal(fixture->shell->focus, fixture->windows[0].window);
	assert_true(run(fixture, "overview", NULL));
	key(fixture, KEY_LEFTSHIFT, true);
	type(fixture, KEY_TAB);
	key(fixture, KEY_LEFTSHIFT, false);
	type(fixture, KEY_ENTER);
	assert_ptr_equal(fixture->shell->focus, fixture->windows[2].window);
	assert_int_equal(shown(fixture), 2);
}

static void click_chooses_a_window_or_workspace(void **state)
{
	struct shell_fixture *fixture = *state;
	fill(fixture);
	const struct box first = cell(fixture, 2, 0);
	assert_true(run(fixture, "overview", NULL));
	click(fixture, first.x + 5, first.y + 5);
	assert_null(fixture->shell->private->overview);
	assert_ptr_equal(fixture->shell->focus, fixture->windows[0].window);
	assert_true(run(fixture, "workspace", "2"));
	assert_true(run(fixture, "overview", NULL));
	click(fixture, first.x + first.width / 2.0, first.y + 5); /* between the windows */
	assert_int_equal(shown(fixture), 1);
	assert_true(run(fixture, "overview", NULL));
	click(fixture, 2, 2);
	assert_null(fixture->shell->private->overview);
	assert_int_equal(shown(fixture), 1);
}

static void changes_of_windows_and_workspaces_appear(void **state)
{
	struct shell_fixture *fixture = *state;
	fill(fixture);
	assert_true(run(fixture, "overview", NULL));
	unmap(fixture, 2);
	clock_advance(fixture->clock, 1);
	type(fixture, KEY_TAB);
	type(fixture, KEY_TAB);
	type(fixture, KEY_TAB); /* of two windows */
	type(fixture, KEY_ENTER);
	assert_ptr_equal(fixture->shell->focus, fixture->windows[0].window);
	assert_true(run(fixture, "overview", NULL));
	map(fixture, 3, 200, 100);
	draw(&fixture->windows[1], 300, 250);
	clock_advance(fixture->clock, 1);
	workspaces_prune(fixture->shell);
	plug(fixture, 1, 1000);
	unplug(fixture, 1);
	assert_null(fixture->shell->private->overview);
}

static void selected_window_stays_selected(void **state)
{
	struct shell_fixture *fixture = *state;
	fill(fixture);
	assert_true(run(fixture, "overview", NULL));
	type(fixture, KEY_TAB);
	map(fixture, 3, 200, 100);
	clock_advance(fixture->clock, 1);
	type(fixture, KEY_ENTER);
	assert_ptr_equal(fixture->shell->focus, fixture->windows[0].window);
}

static void always_on_bottom_window_can_be_chosen(void **state)
{
	struct shell_fixture *fixture = *state;
	fill(fixture);
	window_set_on_bottom(fixture->windows[0].window, true);
	assert_true(run(fixture, "overview", NULL));
	type(fixture, KEY_TAB);
	type(fixture, KEY_ENTER);
	assert_ptr_equal(fixture->shell->focus, fixture->windows[0].window);
}

static void minimized_window_vanishes(void **state)
{
	struct shell_fixture *fixture = *state;
	fill(fixture);
	assert_true(run(fixture, "overview", NULL));
	window_set_minimized(fixture->windows[0].window, true);
	clock_advance(fixture->clock, 1);
	type(fixture, KEY_TAB);
	type(fixture, KEY_ENTER);
	assert_ptr_equal(fixture->shell->focus, fixture->windows[1].window);
}

/* Returns the tree of the overview, which is above messages. */
static struct scene_node *view(struct shell_fixture *fixture)
{
	struct scene_node *node =
		wl_container_of(fixture->shell->layers[SHELL_MESSAGES]->children.prev, node, link);
	return node;
}

static void many_changes_draw_the_overview_once(void **state)
{
	struct shell_fixture *fixture = *state;
	fill(fixture);
	assert_true(run(fixture, "overview", NULL));
	view(fixture)->data = fixture; /* marks the present view */
	signal_emit(&fixture->shell->events.workspaces, NULL);
	signal_emit(&fixture->shell->events.workspaces, NULL);
	assert_ptr_equal(view(fixture)->data, fixture);
	clock_advance(fixture->clock, 1);
	assert_null(view(fixture)->data);
}

static void vanished_workspace_is_not_chosen(void **state)
{
	struct shell_fixture *fixture = *state;
	fill(fixture);
	assert_true(run(fixture, "overview", NULL));
	type(fixture, KEY_LEFT);
	unmap(fixture, 0);
	unmap(fixture, 1);
	assert_int_equal(fixture->shell->private->n_workspaces, 1);
	type(fixture, KEY_ENTER); /* in the same turn */
	assert_null(fixture->shell->private->overview);
	assert_int_equal(shown(fixture), 2);
}

static void overview_follows_the_usable_area(void **state)
{
	struct shell_fixture *fixture = *state;
	fill(fixture);
	struct window *panel = map(fixture, 3, 1000, 40);
	assert_true(run(fixture, "overview", NULL));
	clock_advance(fixture->clock, 1);
	view(fixture)->data = fixture;
	window_reserve(panel, &(struct frame_extents){.top = 40});
	assert_int_equal(shell_usable(fixture->shell, fixture->outputs[0].shown).y, 40);
	clock_advance(fixture->clock, 1);
	assert_null(view(fixture)->data);
}

static void lock_closes_the_overview(void **state)
{
	struct shell_fixture *fixture = *state;
	fill(fixture);
	assert_true(run(fixture, "overview", NULL));
	shell_lock(fixture->shell);
	assert_null(fixture->shell->private->overview);
	shell_run_action(fixture->shell, "overview", NULL);
	assert_null(fixture->shell->private->overview);
	shell_unlock(fixture->shell);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up_shell, tear_down_shell)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_fit_without_overlap),
		cmocka_unit_test(cells_are_as_large_as_they_fit),
		cmocka_unit_test(windows_are_cut_to_the_output),
		cmocka_unit_test(selection_moves_to_the_nearest_cell),
		TEST(keys_choose_a_workspace),
		TEST(keys_choose_a_window),
		TEST(click_chooses_a_window_or_workspace),
		TEST(changes_of_windows_and_workspaces_appear),
		TEST(selected_window_stays_selected),
		TEST(always_on_bottom_window_can_be_chosen),
		TEST(minimized_window_vanishes),
		TEST(many_changes_draw_the_overview_once),
		TEST(vanished_workspace_is_not_chosen),
		TEST(overview_follows_the_usable_area),
		TEST(lock_closes_the_overview),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
