/* SPDX-License-Identifier: MIT */
/* Help on the screen: key bindings, and the hint of a first start. */

#include "backend/headless.h"
#include "harness/client/reload.h"
#include "harness/client/xdg_peer.h"
#include "harness/hand.h"
#include "shell/geometry/text_columns.h"
#include "shell/look/look.h"
#include "shell/shell.h"
#include <linux/input-event-codes.h>
#include <stdlib.h>
#include <string.h>

static const char *help_text(const struct test *test)
{
	return shell_message_text(test->fixture->server->shell, SHELL_MESSAGE_HELP);
}

static bool lists(const struct test *test, const char *line)
{
	char *text = help_bindings(test->fixture->server->shell->config);
	bool found = strstr(text, line);
	free(text);
	return found;
}

static void help_lists_the_bindings_in_force(void **state)
{
	struct test *test = *state;
	assert_true(lists(test, "Super+Return           spawn foot\n"));
	assert_true(lists(test, "Super+F1               help\n"));
	assert_true(lists(test, "Super+Shift+Tab        cycle-back\n"));
	assert_true(lists(test, "Super+Page_Down        workspace-next\n"));
	assert_true(lists(test, "Super+1 ... 9          workspace 1 ... 9\n"));
	assert_true(lists(test, "Super+Shift+1 ... 9    move-to-workspace 1 ... 9\n"));
	assert_false(lists(test, "Super+2"));
	assert_true(reload_text(test->fixture, "[keys]\nSuper+Return = none\nSuper+5 = none\n"
					       "Ctrl+Alt+x = spawn xterm -e 'top'\n"));
	assert_false(lists(test, "Super+Return"));
	assert_true(lists(test, "Super+1 ... 4          workspace 1 ... 4\n"));
	assert_true(lists(test, "Super+6 ... 9          workspace 6 ... 9\n"));
	assert_true(lists(test, "Ctrl+Alt+X             spawn xterm -e 'top'\n"));
}

static void help_is_shown_and_hidden_by_its_action(void **state)
{
	struct test *test = *state;
	struct shell *shell = test->fixture->server->shell;
	assert_null(help_text(test));
	assert_true(shell_run_action(shell, "help", NULL));
	fixture_settle(test->fixture);
	assert_non_null(help_text(test));
	assert_true(shell_run_action(shell, "help", NULL));
	assert_null(help_text(test));

	/* A click on the panel hides it, and no other message. */
	shell_run_action(shell, "help", NULL);
	shell_show_message(shell, SHELL_MESSAGE_SESSION, "other", 0);
	fixture_settle(test->fixture);
	struct scene_hit hit = scene_at(shell->scene, (struct coord_global){200, 150});
	if (hit.data) { /* there is a font */
		click(test, 200, 150);
		assert_null(help_text(test));
		assert_non_null(shell_message_text(shell, SHELL_MESSAGE_SESSION));
	}
}

static void help_has_two_columns_on_small_screens(void **state)
{
	char *text = text_in_columns("a b\nlonger line\nc\nd\nlast");
	assert_string_equal(text, "a b           d\nlonger line   last\nc             ");
	free(text);
	text = text_in_columns("one");
	assert_string_equal(text, "one   ");
	free(text);
	text = text_in_columns("123456789012345678901234567890123456789012345678901234567890\nb\n");
	assert_string_equal(text, "12345678901234567890123456789012345678901234567890   \n"
				  "b                                                    ");
	free(text);
}

static void help_is_closed_by_escape(void **state)
{
	struct test *test = *state;
	struct shell *shell = test->fixture->server->shell;
	struct input_device *keyboard =
		headless_add_input(test->fixture->server->backend, INPUT_KEYBOARD, "keys");
	shell_run_action(shell, "help", NULL);
	shell_lock(shell);
	hand_key(test->fixture, keyboard, KEY_ESC, true);
	hand_key(test->fixture, keyboard, KEY_ESC, false);
	assert_non_null(help_text(test)); /* hidden, and the key is the locker's */
	shell_unlock(shell);
	hand_key(test->fixture, keyboard, KEY_ESC, true);
	hand_key(test->fixture, keyboard, KEY_ESC, false);
	assert_null(help_text(test));
	assert_false(help_key(shell, XKB_KEY_Escape));
}

static void mode_is_shown_until_it_ends(void **state)
{
	struct test *test = *state;
	struct shell *shell = test->fixture->server->shell;
	assert_true(reload_text(test->fixture, "[mode size]\nLeft = resize narrower\n"
					       "Escape = mode default\n"));
	shell_run_action(shell, "mode", "size");
	assert_string_equal(
		shell_message_text(shell, SHELL_MESSAGE_MODE), "mode size (Escape: end)");
	fixture_settle(test->fixture);
	shell_run_action(shell, "mode", "default");
	assert_null(shell_message_text(shell, SHELL_MESSAGE_MODE));
	shell_run_action(shell, "mode", "size");
	shell_lock(shell);
	assert_null(shell_message_text(shell, SHELL_MESSAGE_MODE));
}

static void welcome_names_the_first_keys(void **state)
{
	struct test *test = *state;
	struct shell *shell = test->fixture->server->shell;
	shell_show_welcome(shell);
	const char *text = shell_message_text(shell, SHELL_MESSAGE_SESSION);
	assert_non_null(strstr(text, "\nSuper+Return: terminal"));
	assert_non_null(strstr(text, "\nSuper+D: start a program"));
	assert_non_null(strstr(text, "\nSuper+F1: all keys"));
	fixture_sleep(test->fixture, INT64_C(61000000000));
	assert_null(shell_message_text(shell, SHELL_MESSAGE_SESSION));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(help_lists_the_bindings_in_force),
		TEST(help_is_shown_and_hidden_by_its_action),
		TEST(help_has_two_columns_on_small_screens),
		TEST(help_is_closed_by_escape),
		TEST(mode_is_shown_until_it_ends),
		TEST(welcome_names_the_first_keys),
	};
	return cmocka_run_group_tests_name("shell/help", tests, NULL, NULL);
}
