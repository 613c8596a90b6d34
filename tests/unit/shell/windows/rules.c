/* SPDX-License-Identifier: MIT */
/* Rules of the configuration for new windows. */

#include "harness/shell.h"
#include "shell/geometry/facts.h"
#include "surface/client.h"

static struct window *open_window(struct shell_fixture *fixture, int index, const char *app_id)
{
	make(fixture, index);
	window_set_app_id(fixture->windows[index].window, app_id);
	return map(fixture, index, 300, 200);
}

static void rule_sets_size_and_place(void **state)
{
	struct shell_fixture *fixture = *state;
	configure_shell(fixture, "[window a]\napp-id = mix*\nsize = 400x250\nposition = 30,40\n");
	make(fixture, 0);
	window_set_app_id(fixture->windows[0].window, "mixer");
	window_initial_commit(fixture->windows[0].window);
	assert_int_equal(fixture->windows[0].configure.width, 400);
	assert_int_equal(fixture->windows[0].configure.height, 250);
	struct window *mixer = map(fixture, 0, 400, 250);
	assert_box(mixer, 30, 40, 400, 250);
	struct window *other = open_window(fixture, 1, "mail");
	assert_int_equal(other->geometry.width, 300);
}

static void position_of_a_rule_counts_from_the_corner_of_the_frame(void **state)
{
	struct shell_fixture *fixture = *state;
	plug(fixture, 1, 1000);
	configure_shell(fixture, "[window a]\napp-id = corner\nposition = 0,0\ndecoration = yes\n"
				 "[window b]\napp-id = far\nposition = 5000,5000\n");
	struct window *corner = open_window(fixture, 0, "corner");
	const struct frame_extents frame = window_frame(corner);
	assert_true(frame.top > 0);
	assert_box(corner, frame.left, frame.top, 300, 200);
	/* The next output is not a part of the area. */
	assert_box(open_window(fixture, 1, "far"), 700, 400, 300, 200);
}

static void rule_chooses_workspace_and_focus(void **state)
{
	struct shell_fixture *fixture = *state;
	configure_shell(fixture, "[window a]\napp-id = mail\nworkspace = post\n"
				 "[window b]\napp-id = chat\nworkspace = post\nfocus = yes\n"
				 "[window c]\napp-id = log\nfocus = no\n");
	struct window *mail = open_window(fixture, 0, "mail");
	assert_string_equal(mail->workspace->name, "post");
	assert_false(window_shown(mail));
	struct window *plain = open_window(fixture, 1, "plain");
	open_window(fixture, 2, "log");
	assert_ptr_equal(fixture->shell->focus, plain);
	struct window *chat = open_window(fixture, 3, "chat");
	assert_true(window_shown(mail) && window_shown(chat));
	assert_ptr_equal(fixture->shell->focus, chat);
}

static void rule_chooses_the_output(void **state)
{
	struct shell_fixture *fixture = *state;
	plug(fixture, 1, 1000);
	configure_shell(fixture, "[window a]\napp-id = a\noutput = RIGHT\n");
	struct window *a = open_window(fixture, 0, "a");
	assert_ptr_equal(window_output(a), fixture->outputs[1].shown);
	assert_in_range(a->x, 1000, 1700);
}

static void rule_sets_states(void **state)
{
	struct shell_fixture *fixture = *state;
	configure_shell(fixture, "[window a]\napp-id = a\nfullscreen = yes\nsticky = yes\n"
				 "[window b]\napp-id = b\nmaximized = yes\nalways-on-top = yes\n"
				 "[window c]\napp-id = c\nminimized = yes\nopacity = 0.5\n");
	struct window *a = open_window(fixture, 0, "a"), *b = open_window(fixture, 1, "b");
	struct window *c = open_window(fixture, 2, "c");
	assert_true((a->states & WINDOW_FULLSCREEN) && a->sticky);
	assert_true((b->states & WINDOW_MAXIMIZED) && b->on_top);
	assert_true(c->minimized);
	assert_true(c->surface_tree->opacity == 0.5f);
	assert_true(b->surface_tree->opacity == 1);
}

/* By the rule, and by the request of the client. */
static void window_that_covers_an_output_opens_on_that_of_its_rule(void **state)
{
	struct shell_fixture *fixture = *state;
	plug_at(fixture, 1, &(struct box){1000, 0, 640, 360});
	configure_shell(fixture, "[window a]\napp-id = *\nworkspace = 2\n"
				 "[window b]\napp-id = full\nfullscreen = yes\n"
				 "[window c]\napp-id = most\nmaximized = yes\n");
	static const char *const ids[] = {"full", "most", "full again", "named"};
	for (int i = 0; i < 4; i++) {
		make(fixture, i);
		struct window *window = fixture->windows[i].window;
		window_set_app_id(window, ids[i]);
		if (i >= 2) {
			window_request_fullscreen(
				window, true, i == 3 ? fixture->outputs[0].shown : NULL);
		}
		window_initial_commit(window);
		map(fixture, i, 1000, 600);
		obey(&fixture->windows[i]);
		assert_ptr_equal(window->workspace->output, fixture->outputs[1].shown);
		assert_box(window, 1000, 0, 640, 360);
	}
}

static void later_rules_override_what_they_give(void **state)
{
	struct shell_fixture *fixture = *state;
	configure_shell(fixture, "[window all]\napp-id = *\nsticky = yes\nalways-on-top = yes\n"
				 "[window dialogs]\ntype = dialog\nsticky = no\n");
	struct window *a = open_window(fixture, 0, "a");
	make(fixture, 1);
	window_set_parent(fixture->windows[1].window, a);
	struct window *dialog = map(fixture, 1, 100, 100);
	assert_true(a->sticky && a->on_top);
	assert_true(!dialog->sticky && dialog->on_top);
}

static struct window *open_maximized(struct shell_fixture *fixture, int index, const char *app_id)
{
	make(fixture, index);
	struct window *window = fixture->windows[index].window;
	window_set_app_id(window, app_id);
	window_request_maximize(window, true);
	window_initial_commit(window);
	return map(fixture, index, 300, 200);
}

static void window_that_starts_maximized_is_a_column_unless_a_rule_says_so(void **state)
{
	struct shell_fixture *fixture = *state;
	configure_shell(fixture, "[layout]\ndefault = columns\n[workspace 2]\nlayout = floating\n"
				 "[window a]\napp-id = big\nmaximized = yes\n"
				 "[window b]\napp-id = away\nworkspace = 2\n"
				 "[window c]\napp-id = free\nlayout = floating\n");
	assert_false(open_maximized(fixture, 0, "small")->states & WINDOW_MAXIMIZED);
	assert_true(open_maximized(fixture, 1, "big")->states & WINDOW_MAXIMIZED);
	assert_true(open_maximized(fixture, 2, "away")->states & WINDOW_MAXIMIZED);
	assert_true(open_maximized(fixture, 3, "free")->states & WINDOW_MAXIMIZED);
}

static void layout_of_columns_ends_the_maximized_state(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = open_maximized(fixture, 0, "a");
	assert_true(a->states & WINDOW_MAXIMIZED);
	workspace_set_layout(a->workspace, CONFIG_LAYOUT_COLUMNS);
	assert_false(a->states & WINDOW_MAXIMIZED);
	assert_false(fixture->windows[0].configure.states & WINDOW_MAXIMIZED);
	assert_true(a->private->want_width < 1000);
	window_request_maximize(a, true); /* by the user */
	assert_true(a->states & WINDOW_MAXIMIZED);
}

static void rule_keeps_a_window_out_of_the_columns(void **state)
{
	struct shell_fixture *fixture = *state;
	configure_shell(fixture, "[layout]\ndefault = columns\n"
				 "[window a]\ntitle = *calculator*\nlayout = floating\n");
	assert_int_equal(shell_workspace(fixture->shell)->layout, CONFIG_LAYOUT_COLUMNS);
	make(fixture, 0);
	window_set_title(fixture->windows[0].window, "a calculator");
	struct window *a = map(fixture, 0, 300, 200), *b = open_window(fixture, 1, "b");
	assert_null(a->private->tiled);
	assert_non_null(b->private->tiled);
}

static void rule_matches_class_and_sandbox(void **state)
{
	struct shell_fixture *fixture = *state;
	configure_shell(fixture, "[window a]\nclass = Xeyes\nsticky = yes\n"
				 "[window b]\nsandbox-app-id = org.*\nalways-on-top = yes\n");
	static int x_server;
	struct client x = {.x_server = (void *)&x_server},
		      boxed = {.sandboxed = true, .sandbox_app_id = (char[]){"org.x"}}, plain = {0};
	struct client *const clients[] = {&x, &boxed, &plain};
	for (int i = 0; i < 3; i++) {
		make(fixture, i);
		fixture->windows[i].surface->client = clients[i];
		window_set_app_id(fixture->windows[i].window, "Xeyes");
		struct window *window = map(fixture, i, 300, 200);
		assert_int_equal(window->sticky, i == 0);
		assert_int_equal(window->on_top, i == 1);
		fixture->windows[i].surface->client = NULL;
	}
}

static void rule_decides_about_the_frame(void **state)
{
	struct shell_fixture *fixture = *state;
	configure_shell(fixture, "[window a]\napp-id = a\ndecoration = no\n"
				 "[window b]\napp-id = b\ndecoration = yes\n");
	struct window *a = open_window(fixture, 0, "a"), *b = open_window(fixture, 1, "b");
	window_set_decorated(a, true);
	window_set_decorated(b, false);
	assert_null(a->private->decoration);
	assert_non_null(b->private->decoration);
	/* Mapped again, the windows are new ones. */
	unmap(fixture, 1);
	window_set_decorated(b, false);
	assert_null(b->private->decoration);
}

static void rule_sets_wishes_until_the_window_unmaps(void **state)
{
	struct shell_fixture *fixture = *state;
	configure_shell(fixture, "[window a]\napp-id = a\ntearing = yes\nadaptive-sync = no\n"
				 "inhibit-idle = yes\nhide-from-captures = yes\n"
				 "hidden-rate = 20\n[window c]\napp-id = c\nhidden-rate = 0\n");
	struct window *a = open_window(fixture, 0, "a"), *b = open_window(fixture, 1, "b");
	assert_int_equal(a->surface->rules.tearing, SURFACE_WISH_ON);
	assert_int_equal(a->surface->rules.variable, SURFACE_WISH_OFF);
	assert_true(window_inhibits_idle(a) && a->tree->secret);
	assert_int_equal(a->surface->rules.hidden_period, 50000000);
	assert_int_equal(b->surface->rules.hidden_period, 0);
	assert_true(open_window(fixture, 2, "c")->surface->rules.hidden_period < 0);
	assert_int_equal(b->surface->rules.tearing, SURFACE_WISH_CLIENT);
	assert_true(!window_inhibits_idle(b) && !b->tree->secret);
	unmap(fixture, 0);
	assert_int_equal(a->surface->rules.tearing, SURFACE_WISH_CLIENT);
	assert_true(!window_inhibits_idle(a) && !a->tree->secret);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up_shell, tear_down_shell)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rule_sets_size_and_place),
		TEST(position_of_a_rule_counts_from_the_corner_of_the_frame),
		TEST(rule_chooses_workspace_and_focus),
		TEST(rule_chooses_the_output),
		TEST(rule_sets_states),
		TEST(window_that_covers_an_output_opens_on_that_of_its_rule),
		TEST(later_rules_override_what_they_give),
		TEST(window_that_starts_maximized_is_a_column_unless_a_rule_says_so),
		TEST(layout_of_columns_ends_the_maximized_state),
		TEST(rule_keeps_a_window_out_of_the_columns),
		TEST(rule_matches_class_and_sandbox),
		TEST(rule_decides_about_the_frame),
		TEST(rule_sets_wishes_until_the_window_unmaps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
