/* SPDX-License-Identifier: MIT */
/* Swipes that drag workspaces and columns along, and snap to the next one or return. */

#include "harness/shell.h"
#include "shell/input/input.h"
#include "shell/input/pointing.h"
#include "shell/windows/motion.h"
#include "util/signal.h"
#include <linux/input-event-codes.h>
#include <stdio.h>

#define MS INT64_C(1000000)

static int set_up(void **state)
{
	static const char text[] = "[look]\nanimations = yes\nanimation-time = 100\n"
				   "[layout]\noverflow = scroll\nwidth = 100\n"
				   "[keys]\nSwipe3Left = workspace-next\n"
				   "Swipe3Right = workspace-previous\nSwipe3Up = workspace-next\n"
				   "Swipe4Left = focus right\nSwipe4Right = focus left\n"
				   "Swipe4Up = workspace-next\nSwipe4Down = minimize\n";
	set_up_shell(state);
	struct shell_fixture *fixture = *state;
	FILE *stream = fmemopen((void *)text, sizeof(text) - 1, "r");
	char *error = NULL;
	struct config *config = config_parse("test.ini", stream, &error);
	fclose(stream);
	assert_non_null(config);
	shell_set_config(fixture->shell, config);
	scene_output_set_awake(fixture->outputs[0].shown, true);
	return 0;
}

static void settle(struct shell_fixture *fixture)
{
	scene_output_begin_frame(fixture->outputs[0].shown, clock_now(fixture->clock) + 1000 * MS);
	scene_update(fixture->scene);
	assert_false(motions_run(fixture->shell));
}

static void emit(struct shell_fixture *fixture, enum input_phase phase, uint32_t fingers, double dx,
	double dy, bool cancelled)
{
	struct input_gesture_event event = {
		.time = clock_now(fixture->clock),
		.gesture = INPUT_SWIPE,
		.phase = phase,
		.fingers = fingers,
		.dx = dx,
		.dy = dy,
		.cancelled = cancelled,
	};
	signal_emit(&fixture->pointer.events.gesture, &event);
}

static void begin(struct shell_fixture *fixture, uint32_t fingers)
{
	emit(fixture, INPUT_BEGIN, fingers, 0, 0, false);
}

/* Moves the fingers within 100 ms. */
static void drag(struct shell_fixture *fixture, double dx, double dy)
{
	clock_advance(fixture->clock, 100 * MS);
	emit(fixture, INPUT_UPDATE, 0, dx, dy, false);
}

/* Lifts the fingers after they rested. */
static void lift(struct shell_fixture *fixture)
{
	clock_advance(fixture->clock, 500 * MS);
	emit(fixture, INPUT_END, 0, 0, 0, false);
}

static int shown(struct shell_fixture *fixture)
{
	return shell_workspace(fixture->shell)->number;
}

/* Maps a window on each of the workspaces 1 to 3, and shows the second one. */
static void fill(struct shell_fixture *fixture, struct window *windows[static 3])
{
	static const char *const names[] = {"1", "2", "3"};
	for (int i = 0; i < 3; i++) {
		shell_run_action(fixture->shell, "workspace", names[i]);
		windows[i] = map(fixture, i, 200, 100);
	}
	shell_run_action(fixture->shell, "workspace", "2");
	settle(fixture);
}

static void distance_and_speed_decide(void **state)
{
	static const struct {
		double distance, speed;
		int result;
	} rows[] = {
		{0, 0, 0},
		{199, 0, 0},
		{200, 0, 1},
		{-200, 0, -1},
		{40, 1200, 1},
		{-40, -1200, -1},
		{300, -1200, 0}, /* on the way back */
		{300, -3000, 0},
		{40, -3000, 0},
		{-300, 500, -1},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(swipe_result(rows[i].distance, rows[i].speed), rows[i].result);
	}
}

static void neighbours_follow_in_both_directions(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *windows[3];
	fill(fixture, windows);
	begin(fixture, 3);
	drag(fixture, -100, 8);
	assert_int_equal(windows[1]->workspace->tree->shift_x, -250);
	assert_int_equal(windows[2]->workspace->tree->shift_x, 750);
	assert_int_equal(windows[0]->workspace->tree->shift_x, 0);
	assert_int_equal(shown(fixture), 2);
	drag(fixture, 140, 8);
	assert_int_equal(windows[1]->workspace->tree->shift_x, 100);
	assert_int_equal(windows[0]->workspace->tree->shift_x, -900);
	assert_int_equal(windows[2]->workspace->tree->shift_x, 0);
	assert_false(windows[2]->workspace->tree->node.enabled);
	drag(fixture, 900, 0);
	assert_int_equal(windows[1]->workspace->tree->shift_x, 1000);
	lift(fixture);
	assert_int_equal(shown(fixture), 1);
	settle(fixture);
	assert_false(windows[1]->workspace->tree->node.enabled);
}

static void vertical_swipe_drags_vertically(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *windows[3];
	fill(fixture, windows);
	begin(fixture, 3);
	drag(fixture, 8, -300);
	assert_int_equal(windows[1]->workspace->tree->shift_y, -450);
	assert_int_equal(windows[2]->workspace->tree->shift_y, 150);
	lift(fixture);
	assert_int_equal(shown(fixture), 3);
	assert_int_equal(windows[2]->workspace->tree->shift_y, 150);
	settle(fixture);
	/* Down is not bound: nothing follows. */
	begin(fixture, 3);
	drag(fixture, 8, 300);
	assert_int_equal(windows[2]->workspace->tree->shift_y, 0);
	lift(fixture);
	assert_int_equal(shown(fixture), 3);
}

static void short_or_cancelled_swipe_returns(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *windows[3];
	fill(fixture, windows);
	begin(fixture, 3);
	drag(fixture, -100, 0);
	lift(fixture);
	assert_int_equal(windows[1]->workspace->tree->shift_x, -250);
	settle(fixture);
	assert_int_equal(shown(fixture), 2);
	begin(fixture, 3);
	drag(fixture, -390, 0);
	emit(fixture, INPUT_END, 0, 0, 0, true);
	settle(fixture);
	assert_int_equal(shown(fixture), 2);
	assert_int_equal(windows[1]->workspace->tree->shift_x, 0);
	assert_false(windows[2]->workspace->tree->node.enabled);
}

static void flick_switches(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *windows[3];
	fill(fixture, windows);
	begin(fixture, 3);
	for (int i = 0; i < 6; i++) {
		clock_advance(fixture->clock, 8 * MS);
		emit(fixture, INPUT_UPDATE, 0, -15, 0, false);
	}
	emit(fixture, INPUT_END, 0, 0, 0, false);
	assert_int_equal(shown(fixture), 3);
	settle(fixture);
}

static void interruptions_end_a_drag(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *windows[3];
	fill(fixture, windows);
	for (int i = 0; i < 3; i++) {
		shell_run_action(fixture->shell, "workspace", "2");
		settle(fixture);
		begin(fixture, 3);
		drag(fixture, -300, 0);
		assert_true(motions_run(fixture->shell));
		if (i == 0) {
			shell_lock(fixture->shell);
			shell_unlock(fixture->shell);
		} else if (i == 1) {
			shell_run_action(fixture->shell, "workspace", "1");
		} else {
			input_device_finish(&fixture->pointer);
			input_device_init(&fixture->pointer, INPUT_POINTER, "pointer");
			seat_add_device(fixture->seat, &fixture->pointer);
		}
		drag(fixture, -90, 0);
		emit(fixture, INPUT_END, 0, 0, 0, false);
		settle(fixture);
		assert_int_equal(shown(fixture), i == 1 ? 1 : 2);
		assert_int_equal(windows[1]->workspace->tree->shift_x, 0);
	}
}

static void obey_and_settle(struct shell_fixture *fixture)
{
	obey_all(fixture, 1);
	settle(fixture);
}

/* Returns the distance of a tile from its place. */
static int shift(const struct window *window)
{
	return window->workspace->tiled_tree->shift_x + window->tree->shift_x;
}

static bool is_drawn(const struct window *window)
{
	int x, y;
	return scene_node_coords(&window->tree->node, &x, &y);
}

/* Drags from the second workspace to the third one, far enough to switch. */
static void drag_on(struct shell_fixture *fixture, struct window *windows[static 3])
{
	begin(fixture, 3);
	drag(fixture, -300, 0);
	assert_int_equal(windows[1]->workspace->tree->shift_x, -750);
}

static void workspace_returns_if_the_swipe_loses_its_action(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *windows[3];
	fill(fixture, windows);
	drag_on(fixture, windows);
	key(fixture, KEY_LEFTCTRL, true);
	lift(fixture);
	key(fixture, KEY_LEFTCTRL, false);
	assert_int_equal(windows[1]->workspace->tree->shift_x, -750);
	settle(fixture);
	assert_int_equal(windows[1]->workspace->tree->shift_x, 0);
	assert_false(windows[2]->workspace->tree->node.enabled);
	assert_int_equal(shown(fixture), 2);
}

static void workspace_returns_if_all_others_vanish(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *windows[3];
	fill(fixture, windows);
	drag_on(fixture, windows);
	unmap(fixture, 0);
	unmap(fixture, 2);
	assert_int_equal(fixture->shell->private->n_workspaces, 1);
	lift(fixture);
	settle(fixture);
	assert_int_equal(windows[1]->workspace->tree->shift_x, 0);
}

static void swipe_that_turns_back_runs_the_other_action(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *windows[3];
	fill(fixture, windows);
	begin(fixture, 4);
	drag(fixture, 0, -300);
	drag(fixture, 0, 600);
	lift(fixture);
	settle(fixture);
	assert_true(windows[1]->minimized);
	assert_int_equal(shown(fixture), 2);
	assert_int_equal(windows[2]->workspace->tree->shift_x, 0);
	assert_false(windows[2]->workspace->tree->node.enabled);
}

static void new_output_ends_a_drag(void **state)
{
	struct shell_fixture *fixture = *state;
	plug(fixture, 1, 1000);
	shell_run_action(fixture->shell, "workspace", "2");
	struct window *second = map(fixture, 1, 200, 100);
	assert_ptr_equal(second->workspace->output, fixture->outputs[1].shown);
	shell_run_action(fixture->shell, "workspace", "1");
	map(fixture, 0, 200, 100);
	shell_run_action(fixture->shell, "workspace", "3");
	struct window *third = map(fixture, 2, 200, 100);
	unplug(fixture, 1);
	shell_run_action(fixture->shell, "workspace", "2");
	settle(fixture);
	assert_ptr_equal(shell_workspace(fixture->shell), second->workspace);
	begin(fixture, 3);
	drag(fixture, -100, 0);
	assert_int_equal(third->workspace->tree->shift_x, 750);
	plug(fixture, 1, 1000);
	assert_false(motions_run(fixture->shell));
	assert_int_equal(third->workspace->tree->shift_x, 0);
	lift(fixture);
}

static void unused_drag_leaves_neighbours_hidden(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *windows[3];
	fill(fixture, windows);
	begin(fixture, 3);
	drag(fixture, -100, 0);
	assert_true(windows[2]->workspace->tree->node.enabled);
	drag(fixture, 100, 0);
	assert_false(windows[2]->workspace->tree->node.enabled);
	assert_false(windows[0]->workspace->tree->node.enabled);
	lift(fixture);
	settle(fixture);
}

static void new_workspace_of_a_client_keeps_the_drag(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *windows[3];
	fill(fixture, windows);
	drag_on(fixture, windows);
	assert_non_null(shell_get_workspace(fixture->shell, "mail"));
	assert_int_equal(windows[1]->workspace->tree->shift_x, -750);
	lift(fixture);
	assert_int_equal(shown(fixture), 3);
	settle(fixture);
}

static void columns_follow_the_fingers(void **state)
{
	struct shell_fixture *fixture = *state;
	workspace_set_layout(shell_workspace(fixture->shell), CONFIG_LAYOUT_COLUMNS);
	struct window *a = map(fixture, 0, 200, 100);
	obey_and_settle(fixture);
	struct window *b = map(fixture, 1, 200, 100);
	obey_and_settle(fixture);
	const int step = b->x - a->x;
	begin(fixture, 4);
	drag(fixture, 100, 0);
	assert_int_equal(shift(b), step / 4);
	assert_int_equal(shift(a), step / 4);
	assert_true(is_drawn(a) && is_drawn(b));
	lift(fixture);
	assert_int_equal(shift(b), step / 4);
	settle(fixture);
	assert_ptr_equal(fixture->shell->focus, b);
	assert_true(!is_drawn(a) && shift(a) == 0);
	begin(fixture, 4);
	drag(fixture, 300, 0);
	const int drawn = b->x + shift(b);
	lift(fixture);
	assert_ptr_equal(fixture->shell->focus, a);
	assert_int_equal(b->x + shift(b), drawn);
	settle(fixture);
	assert_true(is_drawn(a) && !is_drawn(b));
	assert_int_equal(shift(a), 0);
}

static void covered_tab_is_hidden_after_a_drag(void **state)
{
	struct shell_fixture *fixture = *state;
	workspace_set_layout(shell_workspace(fixture->shell), CONFIG_LAYOUT_COLUMNS);
	map(fixture, 0, 200, 100);
	obey_and_settle(fixture);
	struct window *b = map(fixture, 1, 200, 100);
	obey_and_settle(fixture);
	struct window *c = map(fixture, 2, 200, 100);
	obey_and_settle(fixture);
	assert_true(shell_run_action(fixture->shell, "join", "left"));
	obey_and_settle(fixture);
	shell_run_action(fixture->shell, "toggle-tabbed", NULL);
	obey_and_settle(fixture);
	assert_ptr_equal(fixture->shell->focus, c);
	assert_true(b->private->tiled && (is_drawn(b) != is_drawn(c)));
	begin(fixture, 4);
	drag(fixture, 100, 0);
	window_focus(b);
	drag(fixture, 10, 0);
	emit(fixture, INPUT_END, 0, 0, 0, true);
	obey_and_settle(fixture);
	assert_true(is_drawn(b) && !is_drawn(c));
}

static void fullscreen_window_stays_while_columns_return(void **state)
{
	struct shell_fixture *fixture = *state;
	workspace_set_layout(shell_workspace(fixture->shell), CONFIG_LAYOUT_COLUMNS);
	map(fixture, 0, 200, 100);
	obey_and_settle(fixture);
	struct window *b = map(fixture, 1, 200, 100);
	obey_and_settle(fixture);
	window_request_fullscreen(b, true, NULL);
	obey_and_settle(fixture);
	begin(fixture, 4);
	drag(fixture, 100, 0);
	lift(fixture);
	assert_int_equal(b->tree->shift_x, 0);
	settle(fixture);
}

static void columns_do_not_follow_a_focus_elsewhere(void **state)
{
	struct shell_fixture *fixture = *state;
	workspace_set_layout(shell_workspace(fixture->shell), CONFIG_LAYOUT_COLUMNS);
	map(fixture, 0, 200, 100);
	obey_and_settle(fixture);
	struct window *b = map(fixture, 1, 200, 100);
	obey_and_settle(fixture);
	plug(fixture, 1, 1000);
	scene_output_set_awake(fixture->outputs[1].shown, true);
	fixture->shell->private->output = fixture->outputs[1].shown;
	assert_ptr_equal(fixture->shell->focus, b);
	begin(fixture, 4);
	drag(fixture, 20, 0);
	assert_null(fixture->shell->private->pointing->dragged);
	lift(fixture);
}

static void swipe_without_next_column_runs_its_action(void **state)
{
	struct shell_fixture *fixture = *state;
	workspace_set_layout(shell_workspace(fixture->shell), CONFIG_LAYOUT_COLUMNS);
	struct window *a = map(fixture, 0, 200, 100);
	obey_and_settle(fixture);
	plug(fixture, 1, 1000); /* on the right */
	begin(fixture, 4);
	drag(fixture, -100, 0);
	assert_int_equal(shift(a), 0);
	assert_ptr_equal(shell_active_output(fixture->shell), fixture->outputs[1].shown);
	lift(fixture);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down_shell)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distance_and_speed_decide),
		TEST(neighbours_follow_in_both_directions),
		TEST(vertical_swipe_drags_vertically),
		TEST(short_or_cancelled_swipe_returns),
		TEST(flick_switches),
		TEST(interruptions_end_a_drag),
		TEST(workspace_returns_if_the_swipe_loses_its_action),
		TEST(workspace_returns_if_all_others_vanish),
		TEST(swipe_that_turns_back_runs_the_other_action),
		TEST(new_output_ends_a_drag),
		TEST(unused_drag_leaves_neighbours_hidden),
		TEST(new_workspace_of_a_client_keeps_the_drag),
		TEST(columns_follow_the_fingers),
		TEST(covered_tab_is_hidden_after_a_drag),
		TEST(fullscreen_window_stays_while_columns_return),
		TEST(columns_do_not_follow_a_focus_elsewhere),
		TEST(swipe_without_next_column_runs_its_action),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
