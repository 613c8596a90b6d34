/* SPDX-License-Identifier: MIT */
/* Animations: curves, and their effect on drawn places, input and visibility. */

#include "shell/windows/motion.h"
#include "harness/shell.h"
#include "shell/geometry/facts.h"
#include "shell/geometry/motion_curve.h"
#include "shell/windows/tiling.h"
#include "shell/windows/windows.h"

#define MS INT64_C(1000000)
#define DURATION (100 * MS)

static int set_up(void **state)
{
	set_up_shell(state);
	struct shell_fixture *fixture = *state;
	fixture->shell->config->look.animations = CONFIG_ANIMATIONS_YES;
	fixture->shell->config->look.animation_time = 100;
	scene_output_set_awake(fixture->outputs[0].shown, true);
	scene_update(fixture->scene);
	return 0;
}

/* Begins a frame of the output that is seen `after` ns from now. */
static void frame(struct shell_fixture *fixture, int64_t after)
{
	scene_output_begin_frame(fixture->outputs[0].shown, clock_now(fixture->clock) + after);
	scene_update(fixture->scene);
}

static bool is_hit(struct shell_fixture *fixture, const struct window *window, double x, double y)
{
	return window_from_data(scene_at(fixture->scene, (struct coord_global){x, y}).data) ==
	       window;
}

static bool is_drawn(const struct window *window)
{
	int x, y;
	return scene_node_coords(&window->tree->node, &x, &y);
}

static void progress_is_fast_at_first(void **state)
{
	static const struct {
		int64_t since;
		double progress;
	} rows[] = {{-5, 0}, {0, 0}, {DURATION / 10, 0.271}, {DURATION / 2, 0.875},
		{DURATION * 9 / 10, 0.999}, {DURATION, 1}, {DURATION * 1000, 1}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_float_equal(
			motion_progress(rows[i].since, DURATION), rows[i].progress, 1e-9);
	}
}

static void look_lies_between_begin_and_end(void **state)
{
	const struct motion_look from = {100, -40, 0}, to = {0, 0, 1};
	struct motion_look half = motion_between(&from, &to, 0.5);
	assert_float_equal(half.x, 50, 0);
	assert_float_equal(half.y, -20, 0);
	assert_float_equal(half.opacity, 0.5, 0);
	struct motion_look all = motion_between(&from, &to, 1);
	assert_float_equal(all.x + all.y, 0, 0);
}

static void workspace_slides_in_while_the_other_slides_out(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map(fixture, 0, 200, 100);
	frame(fixture, DURATION);
	run(fixture, "workspace", "2");
	struct window *b = map(fixture, 1, 200, 100);
	frame(fixture, DURATION);
	run(fixture, "workspace", "1");
	struct workspace *first = a->workspace, *second = b->workspace;
	assert_int_equal(first->tree->shift_x, -1000);
	assert_int_equal(second->tree->shift_x, 0);
	frame(fixture, DURATION / 2);
	assert_int_equal(first->tree->shift_x, -125);
	assert_int_equal(first->fullscreen_tree->shift_x, -125);
	assert_int_equal(second->tree->shift_x, 875);
	assert_true(is_drawn(a) && is_drawn(b));
	assert_true(window_shown(a) && !window_shown(b));
	frame(fixture, DURATION);
	assert_int_equal(first->tree->shift_x, 0);
	assert_int_equal(second->tree->shift_x, 0);
	assert_true(is_drawn(a) && !is_drawn(b));
	assert_null(first->tree->output);
}

static void input_goes_to_the_place_of_the_shown_workspace(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map(fixture, 0, 1000, 600);
	run(fixture, "workspace", "2");
	struct window *b = map(fixture, 1, 100, 100);
	window_move_to(b, 800, 400);
	frame(fixture, DURATION);
	run(fixture, "workspace", "1");
	frame(fixture, DURATION / 10);
	assert_true(is_drawn(b));
	assert_true(is_hit(fixture, a, 850, 450) && is_hit(fixture, a, 10, 10));
	run(fixture, "workspace", "2");
	frame(fixture, DURATION / 10);
	assert_true(is_hit(fixture, b, 850, 450));
	assert_false(is_hit(fixture, a, 10, 10));
}

static void reversed_slide_continues_from_its_place(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map(fixture, 0, 200, 100);
	run(fixture, "workspace", "2");
	struct window *b = map(fixture, 1, 200, 100);
	frame(fixture, DURATION / 2);
	assert_int_equal(a->workspace->tree->shift_x, -875);
	run(fixture, "workspace", "1");
	assert_int_equal(a->workspace->tree->shift_x, -875);
	assert_int_equal(b->workspace->tree->shift_x, 125);
	/* A third workspace takes the place of the first, which vanishes. */
	run(fixture, "workspace", "3");
	assert_int_equal(a->workspace->tree->shift_x, -875);
	assert_false(is_drawn(b));
}

static void nothing_follows_the_end(void **state)
{
	struct shell_fixture *fixture = *state;
	struct scene_output *output = fixture->outputs[0].shown;
	map(fixture, 0, 200, 100);
	run(fixture, "workspace", "2");
	assert_true(output->animated);
	frame(fixture, DURATION - MS);
	assert_true(output->animated);
	frame(fixture, DURATION);
	assert_false(output->animated);
	assert_false(motions_run(fixture->shell));
	assert_false(clock_advance_to_next(fixture->clock));
}

static void no_motion_without_viewers(void **state)
{
	struct shell_fixture *fixture = *state;
	struct scene_output *output = fixture->outputs[0].shown;
	struct config *config = fixture->shell->config;
	struct window *a = map(fixture, 0, 200, 100);
	frame(fixture, DURATION);
	config->look.animations = CONFIG_ANIMATIONS_NO;
	run(fixture, "workspace", "2");
	assert_false(is_drawn(a));
	config->look.animations = CONFIG_ANIMATIONS_AUTO; /* on battery, for example */
	run(fixture, "workspace", "1");
	assert_false(motions_run(fixture->shell));
	shell_set_automatic_motion(fixture->shell, true);
	scene_output_set_awake(output, false);
	run(fixture, "workspace", "2");
	assert_false(motions_run(fixture->shell));
	scene_output_set_awake(output, true);
	run(fixture, "workspace", "1");
	assert_true(motions_run(fixture->shell));
	shell_lock(fixture->shell);
	assert_false(motions_run(fixture->shell));
	run(fixture, "workspace", "2");
	assert_false(motions_run(fixture->shell));
	shell_unlock(fixture->shell);
}

static void removed_output_ends_its_motions(void **state)
{
	struct shell_fixture *fixture = *state;
	map(fixture, 0, 200, 100);
	run(fixture, "workspace", "2");
	plug(fixture, 1, 1000);
	unplug(fixture, 0);
	assert_false(motions_run(fixture->shell));
}

static void sticky_window_stays_while_workspaces_slide(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map(fixture, 0, 200, 100);
	frame(fixture, DURATION);
	window_set_sticky(a, true);
	run(fixture, "workspace", "2");
	for (int64_t after = 0; after <= DURATION; after += DURATION / 10) {
		frame(fixture, after);
		assert_int_equal(a->workspace->tree->shift_x + a->tree->shift_x, 0);
	}
}

static void new_window_fades_in(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map(fixture, 0, 200, 100);
	assert_true(a->tree->opacity == 0);
	assert_true(is_hit(fixture, a, a->x + 5, a->y + 5));
	frame(fixture, DURATION / 2);
	assert_true(a->tree->opacity == 0.875f);
	frame(fixture, DURATION);
	assert_true(a->tree->opacity == 1);
	unmap(fixture, 0);
	map(fixture, 0, 200, 100);
	unmap(fixture, 0); /* in the middle of the fade */
	assert_true(a->tree->opacity == 1);
}

static void moved_window_glides(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map(fixture, 0, 200, 100);
	window_move_to(a, 400, 300);
	frame(fixture, DURATION);
	assert_int_equal(a->tree->shift_x, 0);
	run(fixture, "move", "right");
	assert_box(a, 450, 300, 200, 100);
	assert_int_equal(a->tree->shift_x, -50);
	run(fixture, "move", "down");
	assert_int_equal(a->tree->shift_x, -50);
	assert_int_equal(a->tree->shift_y, -30);
	frame(fixture, DURATION);
	assert_int_equal(a->tree->shift_x, 0);
	assert_int_equal(a->tree->shift_y, 0);
}

static void obey_and_settle(struct shell_fixture *fixture)
{
	obey_all(fixture, 1);
	frame(fixture, DURATION);
}

static void tile_glides_unless_its_size_changes(void **state)
{
	struct shell_fixture *fixture = *state;
	workspace_set_layout(shell_workspace(fixture->shell), CONFIG_LAYOUT_COLUMNS);
	struct window *a = map(fixture, 0, 200, 100);
	obey_and_settle(fixture);
	struct window *b = map(fixture, 1, 200, 100);
	obey_and_settle(fixture);
	assert_int_equal(a->tree->shift_x, 0);
	const int distance = b->x - a->x;
	run(fixture, "swap", "left");
	assert_true(b->x < a->x);
	assert_int_equal(b->tree->shift_x, distance);
	assert_int_equal(a->tree->shift_x, -distance);
	frame(fixture, DURATION);
	unmap(fixture, 0);
	obey(&fixture->windows[1]);
	clock_advance(fixture->clock, 1);
	assert_int_equal(b->tree->shift_x, 0);
}

static void new_tile_fades_in_once_it_has_its_place(void **state)
{
	struct shell_fixture *fixture = *state;
	workspace_set_layout(shell_workspace(fixture->shell), CONFIG_LAYOUT_COLUMNS);
	map(fixture, 0, 200, 100);
	obey_and_settle(fixture);
	struct window *b = map(fixture, 1, 200, 100);
	assert_true(transaction_is_active(fixture->shell));
	frame(fixture, DURATION);
	assert_false(is_drawn(b));
	for (int i = 0; i < 2; i++) {
		obey(&fixture->windows[i]);
	}
	clock_advance(fixture->clock, 1);
	assert_true(is_drawn(b) && b->tree->opacity == 0);
	frame(fixture, DURATION / 2);
	assert_true(b->tree->opacity == 0.875f);
	frame(fixture, DURATION);
	assert_true(b->tree->opacity == 1);
}

static void scrolled_tile_is_drawn_until_it_is_out(void **state)
{
	struct shell_fixture *fixture = *state;
	fixture->shell->config->layout.overflow = 2; /* scroll */
	fixture->shell->config->layout.width = 100;
	workspace_set_layout(shell_workspace(fixture->shell), CONFIG_LAYOUT_COLUMNS);
	struct window *a = map(fixture, 0, 200, 100);
	obey_and_settle(fixture);
	struct window *b = map(fixture, 1, 200, 100);
	obey_and_settle(fixture);
	assert_true(is_drawn(b) && !is_drawn(a));
	run(fixture, "focus", "left");
	frame(fixture, DURATION / 2);
	assert_true(is_drawn(b) && is_drawn(a));
	assert_true(is_hit(fixture, a, 500, 300));
	frame(fixture, DURATION);
	assert_true(is_drawn(a) && !is_drawn(b));
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down_shell)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(progress_is_fast_at_first),
		cmocka_unit_test(look_lies_between_begin_and_end),
		TEST(workspace_slides_in_while_the_other_slides_out),
		TEST(input_goes_to_the_place_of_the_shown_workspace),
		TEST(reversed_slide_continues_from_its_place),
		TEST(nothing_follows_the_end),
		TEST(no_motion_without_viewers),
		TEST(removed_output_ends_its_motions),
		TEST(sticky_window_stays_while_workspaces_slide),
		TEST(new_window_fades_in),
		TEST(moved_window_glides),
		TEST(tile_glides_unless_its_size_changes),
		TEST(new_tile_fades_in_once_it_has_its_place),
		TEST(scrolled_tile_is_drawn_until_it_is_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
