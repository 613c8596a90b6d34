/* SPDX-License-Identifier: MIT */
/* Rules of the configuration for new windows. */

#include "harness/shell.h"
#include <stdio.h>
#include <string.h>

static void configure(struct shell_fixture *fixture, const char *text)
{
	char *error = NULL;
	FILE *stream = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	struct config *config = config_parse("test.ini", stream, &error);
	fclose(stream);
	if (!config) {
		fail_msg("%s", error);
	}
	shell_set_config(fixture->shell, config);
}

static struct window *open_window(struct shell_fixture *fixture, int index, const char *app_id)
{
	make(fixture, index);
	window_set_app_id(fixture->windows[index].window, app_id);
	return map(fixture, index, 300, 200);
}

static void rule_sets_size_and_place(void **state)
{
	struct shell_fixture *fixture = *state;
	configure(fixture, "[window a]\napp-id = mix*\nsize = 400x250\nposition = 30,40\n");
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

static void rule_chooses_workspace_and_focus(void **state)
{
	struct shell_fixture *fixture = *state;
	configure(fixture, "[window a]\napp-id = mail\nworkspace = post\n"
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
	configure(fixture, "[window a]\napp-id = a\noutput = RIGHT\n");
	struct window *a = open_window(fixture, 0, "a");
	assert_ptr_equal(window_output(a), fixture->outputs[1].shown);
	assert_in_range(a->x, 1000, 1700);
}

static void rule_sets_states(void **state)
{
	struct shell_fixture *fixture = *state;
	configure(fixture, "[window a]\napp-id = a\nfullscreen = yes\nsticky = yes\n"
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

static void later_rules_override_what_they_give(void **state)
{
	struct shell_fixture *fixture = *state;
	configure(fixture, "[window all]\napp-id = *\nsticky = yes\nalways-on-top = yes\n"
			   "[window dialogs]\ntype = dialog\nsticky = no\n");
	struct window *a = open_window(fixture, 0, "a");
	make(fixture, 1);
	window_set_parent(fixture->windows[1].window, a);
	struct window *dialog = map(fixture, 1, 100, 100);
	assert_true(a->sticky && a->on_top);
	assert_true(!dialog->sticky && dialog->on_top);
}

static void rule_keeps_a_window_out_of_the_columns(void **state)
{
	struct shell_fixture *fixture = *state;
	configure(fixture, "[layout]\ndefault = columns\n"
			   "[window a]\ntitle = *calculator*\nlayout = floating\n");
	assert_int_equal(shell_workspace(fixture->shell)->layout, CONFIG_LAYOUT_COLUMNS);
	make(fixture, 0);
	window_set_title(fixture->windows[0].window, "a calculator");
	struct window *a = map(fixture, 0, 300, 200), *b = open_window(fixture, 1, "b");
	assert_null(a->tiled);
	assert_non_null(b->tiled);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up_shell, tear_down_shell)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rule_sets_size_and_place),
		TEST(rule_chooses_workspace_and_focus),
		TEST(rule_chooses_the_output),
		TEST(rule_sets_states),
		TEST(later_rules_override_what_they_give),
		TEST(rule_keeps_a_window_out_of_the_columns),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
