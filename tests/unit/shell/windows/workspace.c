/* SPDX-License-Identifier: MIT */
/* Workspaces: per output, created on demand, moved between outputs and back. */

#include "harness/shell.h"
#include "shell/geometry/facts.h"
#include "shell/geometry/private.h"
#include "shell/windows/windows.h"
#include "shell/windows/workspaces.h"
#include "util/signal.h"
#include <linux/input-event-codes.h>
#include <string.h>

static const char *on(struct shell_fixture *fixture, int output)
{
	struct workspace *workspace = workspace_on(fixture->shell, fixture->outputs[output].shown);
	return workspace ? workspace->name : "none";
}

/* Lists the workspaces in order, separated by spaces. */
static const char *list(struct shell_fixture *fixture)
{
	static char text[512];
	struct workspace *workspace;
	text[0] = '\0';
	wl_list_for_each (workspace, &fixture->shell->workspaces, link) {
		strcat(strcat(text, *text ? " " : ""), workspace->name);
	}
	return text;
}

static void each_output_shows_a_workspace(void **state)
{
	struct shell_fixture *fixture = *state;
	assert_string_equal(on(fixture, 0), "1");
	plug(fixture, 1, 1000);
	assert_string_equal(on(fixture, 1), "2");
	struct window *a = map(fixture, 0, 100, 100);
	/* The pointer crosses to the other output: new windows and switches go there. */
	move_to(fixture, 1500, 100);
	struct window *b = map(fixture, 1, 100, 100);
	assert_int_equal(b->workspace->number, 2);
	assert_true(window_shown(a) && window_shown(b));
	run(fixture, "workspace", "5");
	assert_string_equal(on(fixture, 0), "1");
	assert_string_equal(on(fixture, 1), "5");
	assert_true(window_shown(a) && !window_shown(b));
	assert_null(fixture->shell->focus);
	/* A workspace of another output is shown there. */
	run(fixture, "workspace", "1");
	assert_ptr_equal(fixture->shell->focus, a);
	assert_ptr_equal(shell_active_output(fixture->shell), fixture->outputs[0].shown);
	assert_string_equal(on(fixture, 1), "5");
}

static void empty_hidden_workspaces_vanish(void **state)
{
	struct shell_fixture *fixture = *state;
	map(fixture, 0, 100, 100);
	run(fixture, "workspace", "3");
	run(fixture, "workspace", "mail");
	run(fixture, "workspace", "2");
	assert_string_equal(list(fixture), "1 2");
	map(fixture, 1, 100, 100);
	run(fixture, "workspace", "mail");
	map(fixture, 2, 100, 100);
	run(fixture, "workspace", "1");
	assert_string_equal(list(fixture), "1 2 mail");
	unmap(fixture, 1);
	assert_string_equal(list(fixture), "1 mail");
	assert_false(shell_switch_workspace(fixture->shell, "10")); /* the limit is 9 */
	assert_false(shell_switch_workspace(fixture->shell, ""));
}

static void number_of_workspaces_is_limited(void **state)
{
	struct shell_fixture *fixture = *state;
	char name[16];
	for (int i = 0; i < 2 * WORKSPACES_MAX; i++) {
		snprintf(name, sizeof(name), "name %d", i);
		shell_get_workspace(fixture->shell, name);
	}
	assert_int_equal(fixture->shell->private->n_workspaces, WORKSPACES_MAX);
	char longer[WORKSPACE_NAME_MAX + 2];
	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	workspaces_prune(fixture->shell);
	assert_null(shell_get_workspace(fixture->shell, longer));
	assert_non_null(shell_get_workspace(fixture->shell, longer + 1));
	workspaces_prune(fixture->shell);
}

static void next_previous_and_back_walk_the_workspaces(void **state)
{
	struct shell_fixture *fixture = *state;
	map(fixture, 0, 100, 100);
	for (int i = 1; i < 4; i++) {
		char name[2] = {(char)('1' + i), '\0'};
		run(fixture, "workspace", name);
		map(fixture, i, 100, 100);
	}
	static const struct {
		const char *action, *now;
	} steps[] = {{"workspace-next", "1"}, {"workspace-next", "2"}, {"workspace-previous", "1"},
		{"workspace-previous", "4"}, {"workspace-back", "1"}, {"workspace-back", "4"}};
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		run(fixture, steps[i].action, NULL);
		assert_string_equal(on(fixture, 0), steps[i].now);
	}
}

static void window_moves_with_or_without_the_user(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map(fixture, 0, 100, 100), *b = map(fixture, 1, 100, 100);
	run(fixture, "move-to-workspace", "2");
	assert_string_equal(on(fixture, 0), "1");
	assert_ptr_equal(fixture->shell->focus, a);
	run(fixture, "follow-to-workspace", "2");
	assert_string_equal(on(fixture, 0), "2");
	assert_ptr_equal(fixture->shell->focus, a);
	assert_true(window_shown(b));
}

static void window_moves_to_another_output(void **state)
{
	struct shell_fixture *fixture = *state;
	plug(fixture, 1, 1000);
	struct window *a = map(fixture, 0, 300, 200);
	window_move_to(a, 70, 80);
	run(fixture, "move-to-output", "right");
	assert_box(a, 1070, 80, 300, 200);
	assert_int_equal(a->workspace->number, 2);
	assert_ptr_equal(fixture->shell->focus, a);
	run(fixture, "maximize", NULL);
	obey(&fixture->windows[0]);
	assert_box(a, 1000, 0, 1000, 600);
	run(fixture, "move-to-output", "LEFT");
	obey(&fixture->windows[0]);
	assert_box(a, 0, 0, 1000, 600);
	/* There is no output further to the left. */
	run(fixture, "move-to-output", "left");
	assert_int_equal(a->workspace->number, 1);
}

/* To see it, and to reach its buttons. */
static void moved_windows_fit_the_other_output(void **state)
{
	struct shell_fixture *fixture = *state;
	plug_at(fixture, 1, &(struct box){1000, 0, 640, 360});
	struct window *a = map(fixture, 0, 300, 200), *b = map(fixture, 1, 800, 500);
	window_move_to(a, 560, 300);
	window_move_to(b, 100, 50);
	run(fixture, "workspace-to-output", "right");
	obey(&fixture->windows[1]);
	assert_box(a, 1340, 160, 300, 200);
	assert_box(b, 1000, 0, 640, 360);
	run(fixture, "workspace-to-output", "left");
	obey(&fixture->windows[1]);
	assert_box(a, 560, 300, 300, 200);
	assert_box(b, 100, 50, 800, 500);
}

/* A window that the user drags belongs to the workspace below it. */
static void dragged_window_joins_the_workspace_of_its_output(void **state)
{
	struct shell_fixture *fixture = *state;
	plug(fixture, 1, 1000);
	struct window *a = map(fixture, 0, 300, 200);
	window_move_to(a, 800, 100);
	assert_int_equal(a->workspace->number, 1);
	window_move_to(a, 900, 100);
	assert_int_equal(a->workspace->number, 2);
	run(fixture, "focus-output", "left");
	run(fixture, "workspace", "4");
	assert_true(window_shown(a));
}

/* Clients ask for this without an action, which would end the drag first. */
static void moved_workspace_ends_a_drag(void **state)
{
	struct shell_fixture *fixture = *state;
	plug(fixture, 1, 1000);
	struct window *a = map(fixture, 0, 300, 200);
	window_move_to(a, 100, 100);
	move_to(fixture, 150, 150);
	key(fixture, KEY_LEFTMETA, true);
	button(fixture, BTN_LEFT, true);
	assert_non_null(fixture->shell->private->grab);
	workspace_move_to_output(a->workspace, fixture->outputs[1].shown);
	assert_null(fixture->shell->private->grab);
	assert_null(fixture->seat->pointer.grab);
	assert_box(a, 1100, 100, 300, 200);
	button(fixture, BTN_LEFT, false);
	key(fixture, KEY_LEFTMETA, false);
}

static void workspace_moves_to_another_output_with_its_windows(void **state)
{
	struct shell_fixture *fixture = *state;
	plug(fixture, 1, 1000);
	struct window *a = map(fixture, 0, 300, 200);
	window_move_to(a, 70, 80);
	run(fixture, "workspace-to-output", "right");
	assert_string_equal(on(fixture, 1), "1");
	assert_string_equal(on(fixture, 0), "2"); /* the free number */
	assert_box(a, 1070, 80, 300, 200);
	assert_true(window_shown(a));
	assert_ptr_equal(fixture->shell->focus, a);
}

static void workspaces_return_with_their_output(void **state)
{
	struct shell_fixture *fixture = *state;
	plug(fixture, 1, 1000);
	move_to(fixture, 1500, 100);
	struct window *a = map(fixture, 0, 300, 200);
	run(fixture, "workspace", "7");
	struct window *b = map(fixture, 1, 300, 200);
	unplug(fixture, 1);
	/* The window in use stays visible. */
	assert_string_equal(on(fixture, 0), "7");
	assert_string_equal(list(fixture), "2 7"); /* 1 was empty */
	assert_true(window_shown(b) && !window_shown(a));
	assert_ptr_equal(fixture->shell->focus, b);
	run(fixture, "workspace", "2");
	assert_true(window_shown(a));
	plug(fixture, 1, 1000);
	assert_string_equal(on(fixture, 1), "7");
	assert_string_equal(on(fixture, 0), "1");
	assert_true(window_shown(b) && !window_shown(a));
	assert_ptr_equal(a->workspace->output, fixture->outputs[1].shown);
	/* Without any output, the last one shown stays. */
	unplug(fixture, 0);
	unplug(fixture, 1);
	plug(fixture, 1, 0);
	assert_string_equal(on(fixture, 1), "7");
}

static void workspace_that_the_user_moved_stays_when_its_first_output_returns(void **state)
{
	struct shell_fixture *fixture = *state;
	plug(fixture, 1, 1000);
	plug(fixture, 2, 2000);
	move_to(fixture, 1500, 100);
	struct window *a = map(fixture, 0, 300, 200);
	unplug(fixture, 1);
	assert_ptr_equal(a->workspace->output, fixture->outputs[0].shown);
	workspace_move_to_output(a->workspace, fixture->outputs[2].shown);
	plug(fixture, 1, 1000);
	assert_ptr_equal(a->workspace->output, fixture->outputs[2].shown);
	assert_true(window_shown(a));
}

static void fullscreen_window_covers_the_output_of_its_new_workspace(void **state)
{
	struct shell_fixture *fixture = *state;
	plug_at(fixture, 1, &(struct box){1000, 0, 640, 360});
	struct window *a = map(fixture, 0, 300, 200);
	assert_string_equal(on(fixture, 1), "2");
	/* On the output of its workspace, and on one that it named. */
	for (int i = 0; i < 2; i++) {
		window_focus(a);
		window_request_fullscreen(a, true, i ? fixture->outputs[0].shown : NULL);
		obey(&fixture->windows[0]);
		assert_box(a, 0, 0, 1000, 600);
		run(fixture, "move-to-workspace", "2");
		obey(&fixture->windows[0]);
		assert_box(a, 1000, 0, 640, 360);
		assert_true(a->states & WINDOW_FULLSCREEN);
		window_request_fullscreen(a, false, NULL);
		obey(&fixture->windows[0]);
		window_focus(a);
		run(fixture, "move-to-workspace", "1");
	}
}

/* Plugs in output 1 with another name. */
static void rename_output(struct shell_fixture *fixture, const char *name, const char *serial)
{
	fixture->outputs[1].name = name;
	fixture->outputs[1].serial = serial;
	plug(fixture, 1, 1000);
}

static void workspaces_follow_their_screen_to_another_connector(void **state)
{
	struct shell_fixture *fixture = *state;
	rename_output(fixture, "DOCK-1", "S1");
	move_to(fixture, 1500, 100);
	struct window *a = map(fixture, 0, 300, 200);
	unplug(fixture, 1);
	rename_output(fixture, "DOCK-2", "S2");
	assert_ptr_equal(a->workspace->output, fixture->outputs[0].shown);
	unplug(fixture, 1);
	rename_output(fixture, "DOCK-3", "S1");
	assert_ptr_equal(a->workspace->output, fixture->outputs[1].shown);
	assert_box(a, 1000 + (a->x - 1000), a->y, 300, 200);
	/* Equal screens: the connector decides. */
	fixture->outputs[2].name = "DOCK-4";
	fixture->outputs[2].serial = "S1";
	plug(fixture, 2, 2000);
	move_to(fixture, 2500, 100);
	struct window *b = map(fixture, 1, 300, 200);
	assert_ptr_equal(b->workspace->output, fixture->outputs[2].shown);
	unplug(fixture, 1);
	unplug(fixture, 2);
	plug(fixture, 2, 1000);
	assert_ptr_equal(b->workspace->output, fixture->outputs[2].shown);
	assert_ptr_equal(a->workspace->output, fixture->outputs[0].shown);
	rename_output(fixture, "DOCK-3", "S1");
	assert_ptr_equal(a->workspace->output, fixture->outputs[1].shown);
	/* Another screen on the connector takes its place. */
	unplug(fixture, 1);
	rename_output(fixture, "DOCK-3", "S9");
	assert_ptr_equal(a->workspace->output, fixture->outputs[1].shown);
}

static void sticky_window_follows_its_output(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map(fixture, 0, 300, 200);
	run(fixture, "sticky", NULL);
	run(fixture, "workspace", "2");
	assert_true(window_shown(a));
	assert_ptr_equal(fixture->shell->focus, a);
	run(fixture, "sticky", NULL);
	run(fixture, "workspace", "1");
	assert_false(window_shown(a));
}

static void urgent_window_marks_its_workspace(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map(fixture, 0, 300, 200);
	run(fixture, "workspace", "2");
	window_activate(a, false);
	assert_true(workspace_is_urgent(a->workspace));
	run(fixture, "workspace", "1");
	assert_false(workspace_is_urgent(a->workspace));
}

/* The workspace in use had come from the removed output. */
static void output_shows_its_workspace_again_when_another_one_returns(void **state)
{
	struct shell_fixture *fixture = *state;
	plug(fixture, 1, 1000);
	map(fixture, 0, 300, 200);
	run(fixture, "workspace", "5");
	struct window *b = map(fixture, 1, 300, 200);
	move_to(fixture, 1500, 100);
	struct window *c = map(fixture, 2, 300, 200);
	unplug(fixture, 1);
	assert_ptr_equal(fixture->shell->focus, c);
	assert_false(window_shown(b));
	plug(fixture, 1, 1000);
	assert_string_equal(on(fixture, 1), "2");
	assert_string_equal(on(fixture, 0), "5");
	/* So does an output whose shown workspace is moved away. */
	run(fixture, "workspace", "1");
	run(fixture, "workspace-to-output", "right");
	assert_string_equal(on(fixture, 0), "5");
}

/* A screen below two others, between them. */
static void direction_leads_to_the_output_beside(void **state)
{
	struct shell_fixture *fixture = *state;
	struct shell *shell = fixture->shell;
	plug_at(fixture, 1, &(struct box){480, 600, 1000, 300});
	plug_at(fixture, 2, &(struct box){1000, 0, 1000, 600});
	struct scene_output *left = fixture->outputs[0].shown, *below = fixture->outputs[1].shown,
			    *right = fixture->outputs[2].shown;
	const struct {
		struct scene_output *from;
		const char *direction;
		struct scene_output *to;
	} steps[] = {{left, "right", right}, {left, "down", below}, {right, "left", left},
		{right, "down", below}, {below, "up", left}, {below, "left", left},
		{below, "right", right}, {left, "up", NULL}, {left, "left", NULL},
		{right, "right", NULL}, {below, "down", NULL}};
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		shell->private->output = steps[i].from;
		assert_ptr_equal(shell_find_output(shell, steps[i].direction), steps[i].to);
	}
}

static void focus_stays_on_the_workspace_of_a_window_that_leaves(void **state)
{
	struct shell_fixture *fixture = *state;
	struct shell *shell = fixture->shell;
	plug(fixture, 1, 1000);
	struct window *a = map(fixture, 0, 300, 200);
	map(fixture, 1, 300, 200);
	/* The pointer is on the other, empty output. */
	move_to(fixture, 1500, 100);
	assert_ptr_equal(shell->focus, fixture->windows[1].window);
	unmap(fixture, 1);
	assert_ptr_equal(shell->focus, a);
	struct window *c = map(fixture, 2, 300, 200);
	window_focus(a);
	move_to(fixture, 500, 100);
	move_to(fixture, 1500, 100);
	window_set_minimized(a, true);
	assert_ptr_equal(shell->focus, c); /* its workspace has no other window */
}

static void user_stays_when_a_window_moves_to_a_workspace_of_another_output(void **state)
{
	struct shell_fixture *fixture = *state;
	struct shell *shell = fixture->shell;
	plug(fixture, 1, 1000);
	struct window *a = map(fixture, 0, 300, 200), *b = map(fixture, 1, 300, 200);
	run(fixture, "move-to-workspace", "2");
	assert_true(window_shown(b));
	assert_int_equal(b->workspace->number, 2);
	assert_ptr_equal(shell_active_output(shell), fixture->outputs[0].shown);
	assert_ptr_equal(shell->focus, a);
}

static void fullscreen_window_opens_on_the_workspace_of_its_output(void **state)
{
	struct shell_fixture *fixture = *state;
	plug(fixture, 1, 1000);
	make(fixture, 0);
	struct window *window = fixture->windows[0].window;
	window_request_fullscreen(window, true, fixture->outputs[1].shown);
	window_initial_commit(window);
	map(fixture, 0, 1000, 600);
	assert_box(window, 1000, 0, 1000, 600);
	assert_ptr_equal(window->workspace->output, fixture->outputs[1].shown);
}

/* A reload with fewer workspaces replaces the one that the other output shows. */
static void reload_keeps_the_active_output(void **state)
{
	struct shell_fixture *fixture = *state;
	struct shell *shell = fixture->shell;
	plug(fixture, 1, 1000);
	move_to(fixture, 1500, 100);
	map(fixture, 0, 300, 200);
	run(fixture, "workspace", "9");
	map(fixture, 1, 300, 200);
	move_to(fixture, 500, 100);
	struct window *used = map(fixture, 2, 300, 200);
	configure_shell(fixture, "[look]\nworkspaces = 5\n");
	assert_string_equal(on(fixture, 1), "2");
	assert_ptr_equal(shell->focus, used);
	assert_ptr_equal(shell_active_output(shell), fixture->outputs[0].shown);
}

/* Random actions with two outputs that come and go keep the rules of workspaces. */
static void random_actions_keep_the_rules(void **state)
{
	struct shell_fixture *fixture = *state;
	static const char *const names[] = {"1", "2", "3", "mail", "left", "right"};
	static const char *const actions[] = {"workspace", "move-to-workspace",
		"follow-to-workspace", "move-to-output", "workspace-to-output", "focus-output",
		"workspace-next", "workspace-back", "sticky", "fullscreen", "maximize", "minimize",
		"restore", "cycle"};
	const int n_actions = sizeof(actions) / sizeof(actions[0]);
	for (int turn = 0; turn < 3000; turn++) {
		int index = random_between(0, WINDOWS - 1), kind = random_between(0, 9);
		struct test_window *self = &fixture->windows[index];
		if (kind == 0 && !(self->window && self->window->mapped)) {
			map(fixture, index, random_between(10, 800), random_between(10, 500));
		} else if (kind == 1 && self->window && self->window->mapped) {
			unmap(fixture, index);
		} else if (kind == 2) {
			int output = random_between(0, 1);
			if (fixture->outputs[output].shown) {
				unplug(fixture, output);
			} else {
				plug(fixture, output, output * 1000);
			}
		} else {
			run(fixture, actions[random_between(0, n_actions - 1)],
				names[random_between(0, 5)]);
		}
		for (int i = 0; i < 2; i++) {
			if (fixture->outputs[i].shown) {
				assert_string_not_equal(on(fixture, i), "none");
			}
		}
		int n = 0;
		struct workspace *workspace;
		wl_list_for_each (workspace, &fixture->shell->workspaces, link) {
			n += workspace->n_windows;
			assert_true(workspace->shown || workspace->n_windows > 0);
		}
		assert_int_equal(n, wl_list_length(&fixture->shell->windows));
		struct window *focus = fixture->shell->focus;
		assert_true(!focus || window_shown(focus));
	}
}

/* Open, opened later, dialogs of dialogs, and those of another window that becomes the parent. */
static void dialogs_follow_a_sticky_parent(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *parent = map(fixture, 0, 300, 200), *other = map(fixture, 4, 300, 200);
	struct window *dialogs[3];
	for (int i = 0; i < 3; i++) {
		make(fixture, i + 1);
		dialogs[i] = fixture->windows[i + 1].window;
	}
	window_set_parent(dialogs[0], parent);
	map(fixture, 1, 100, 50);
	window_set_sticky(parent, true);
	window_set_parent(dialogs[1], dialogs[0]);
	map(fixture, 2, 100, 50);
	window_set_parent(dialogs[2], other);
	map(fixture, 3, 100, 50);
	window_set_parent(dialogs[2], parent);
	for (int number = 2; number < 4; number++) {
		shell_switch_workspace(fixture->shell, number == 2 ? "2" : "3");
		assert_true(window_shown(parent));
		assert_false(window_shown(other));
		for (int i = 0; i < 3; i++) {
			assert_int_equal(dialogs[i]->workspace->number, number);
			assert_true(window_shown(dialogs[i]));
		}
	}
	window_set_sticky(parent, false);
	shell_switch_workspace(fixture->shell, "1");
	assert_false(window_shown(parent));
	for (int i = 0; i < 3; i++) {
		assert_false(window_shown(dialogs[i]));
	}
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up_shell, tear_down_shell)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_output_shows_a_workspace),
		TEST(empty_hidden_workspaces_vanish),
		TEST(number_of_workspaces_is_limited),
		TEST(next_previous_and_back_walk_the_workspaces),
		TEST(window_moves_with_or_without_the_user),
		TEST(window_moves_to_another_output),
		TEST(moved_windows_fit_the_other_output),
		TEST(dragged_window_joins_the_workspace_of_its_output),
		TEST(moved_workspace_ends_a_drag),
		TEST(workspace_moves_to_another_output_with_its_windows),
		TEST(workspaces_return_with_their_output),
		TEST(output_shows_its_workspace_again_when_another_one_returns),
		TEST(direction_leads_to_the_output_beside),
		TEST(focus_stays_on_the_workspace_of_a_window_that_leaves),
		TEST(user_stays_when_a_window_moves_to_a_workspace_of_another_output),
		TEST(fullscreen_window_opens_on_the_workspace_of_its_output),
		TEST(reload_keeps_the_active_output),
		TEST(workspace_that_the_user_moved_stays_when_its_first_output_returns),
		TEST(fullscreen_window_covers_the_output_of_its_new_workspace),
		TEST(workspaces_follow_their_screen_to_another_connector),
		TEST(sticky_window_follows_its_output),
		TEST(urgent_window_marks_its_workspace),
		TEST(random_actions_keep_the_rules),
		TEST(dialogs_follow_a_sticky_parent),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
