/* SPDX-License-Identifier: MIT */
/* Bindings of the releases of keys and mouse buttons, as for push-to-talk. */

#include "harness/shell.h"
#include "shell/windows/windows.h"
#include <linux/input-event-codes.h>
#include <string.h>

static void release_runs_unless_another_key_comes_between(void **state)
{
	struct shell_fixture *fixture = *state;
	configure_shell(fixture, "[keys]\nF1 = release workspace 2\nF2 = workspace 3\n");
	key(fixture, KEY_F1, true);
	assert_int_equal(workspace(fixture), 1);
	key(fixture, KEY_F1, false);
	assert_int_equal(workspace(fixture), 2);
	key(fixture, KEY_F1, true);
	press(fixture, KEY_F2);
	key(fixture, KEY_F1, false);
	assert_int_equal(workspace(fixture), 3);
}

/* A microphone is on while its key is held, whatever other keys are pressed. */
static void release_of_a_pair_runs_in_any_case(void **state)
{
	struct shell_fixture *fixture = *state;
	configure_shell(fixture, "[keys]\nF1 = workspace 2\nF1 = release workspace 3\n"
				 "Any+F3 = workspace 4\nAny+F3 = release workspace 5\n"
				 "Alt+F3 = workspace 7\nF2 = workspace 6\n"
				 "Any+Ctrl+F4 = workspace 8\n");
	key(fixture, KEY_F1, true);
	assert_int_equal(workspace(fixture), 2);
	press(fixture, KEY_F2);
	press(fixture, KEY_W);
	assert_int_equal(workspace(fixture), 6);
	key(fixture, KEY_LEFTSHIFT, true);
	key(fixture, KEY_F1, false);
	assert_int_equal(workspace(fixture), 3);
	/* Other modifiers: none of F1, both of F3, except for those with a binding of their own. */
	press(fixture, KEY_F1);
	assert_int_equal(workspace(fixture), 3);
	key(fixture, KEY_F3, true);
	assert_int_equal(workspace(fixture), 4);
	key(fixture, KEY_LEFTSHIFT, false);
	key(fixture, KEY_F3, false);
	assert_int_equal(workspace(fixture), 5);
	key(fixture, KEY_LEFTALT, true);
	press(fixture, KEY_F3);
	assert_int_equal(workspace(fixture), 7);
	key(fixture, KEY_LEFTALT, false);
	press(fixture, KEY_F4);
	assert_int_equal(workspace(fixture), 7);
	key(fixture, KEY_LEFTSHIFT, true);
	press(fixture, KEY_F4);
	assert_int_equal(workspace(fixture), 7);
	key(fixture, KEY_LEFTCTRL, true);
	press(fixture, KEY_F4);
	assert_int_equal(workspace(fixture), 8);
	key(fixture, KEY_LEFTSHIFT, false);
	key(fixture, KEY_LEFTCTRL, false);
	/* Two pairs at once, released in the order of their presses. */
	key(fixture, KEY_F1, true);
	key(fixture, KEY_F3, true);
	key(fixture, KEY_F1, false);
	assert_int_equal(workspace(fixture), 3);
	key(fixture, KEY_F3, false);
	assert_int_equal(workspace(fixture), 5);
}

/* Push-to-talk: whatever other buttons and keys are pressed while the button is held. */
static void release_of_a_button_runs_its_action(void **state)
{
	struct shell_fixture *fixture = *state;
	configure_shell(fixture,
		"[keys]\nMouseForward = release workspace 1\n"
		"MouseSide = workspace 2\nMouseSide = release workspace 3\n"
		"Any+MouseExtra = workspace 4\nAny+MouseExtra = release workspace 5\n"
		"Super+MouseLeft = release workspace 6\nF1 = workspace 7\n"
		"Any+Ctrl+MouseBack = workspace 8\n"
		"Any+Ctrl+MouseBack = release workspace 9\n");
	button(fixture, BTN_SIDE, true);
	assert_int_equal(workspace(fixture), 2);
	press(fixture, KEY_F1);
	button(fixture, BTN_RIGHT, true);
	button(fixture, BTN_RIGHT, false);
	assert_int_equal(workspace(fixture), 7);
	button(fixture, BTN_SIDE, false);
	assert_int_equal(workspace(fixture), 3);
	/* Two at once, with other modifiers at the release. */
	button(fixture, BTN_SIDE, true);
	key(fixture, KEY_LEFTSHIFT, true);
	button(fixture, BTN_EXTRA, true);
	assert_int_equal(workspace(fixture), 4);
	button(fixture, BTN_SIDE, false);
	assert_int_equal(workspace(fixture), 3);
	key(fixture, KEY_LEFTSHIFT, false);
	button(fixture, BTN_EXTRA, false);
	assert_int_equal(workspace(fixture), 5);
	button(fixture, BTN_EXTRA, false);
	assert_int_equal(workspace(fixture), 5);
	/* Without a press: unless another button or key comes between. */
	button(fixture, BTN_LEFT, true);
	button(fixture, BTN_LEFT, false);
	assert_int_equal(workspace(fixture), 5);
	key(fixture, KEY_LEFTMETA, true);
	button(fixture, BTN_LEFT, true);
	assert_int_equal(workspace(fixture), 5);
	button(fixture, BTN_LEFT, false);
	assert_int_equal(workspace(fixture), 6);
	button(fixture, BTN_LEFT, true);
	button(fixture, BTN_SIDE, true); /* with Super: not bound */
	button(fixture, BTN_SIDE, false);
	button(fixture, BTN_LEFT, false);
	key(fixture, KEY_LEFTMETA, false);
	press(fixture, KEY_F1);
	assert_int_equal(workspace(fixture), 7);
	/* The named modifier is needed at the press alone. */
	button(fixture, BTN_BACK, true);
	button(fixture, BTN_BACK, false);
	assert_int_equal(workspace(fixture), 7);
	key(fixture, KEY_LEFTCTRL, true);
	key(fixture, KEY_LEFTSHIFT, true);
	button(fixture, BTN_BACK, true);
	assert_int_equal(workspace(fixture), 8);
	key(fixture, KEY_LEFTCTRL, false);
	key(fixture, KEY_LEFTSHIFT, false);
	button(fixture, BTN_BACK, false);
	assert_int_equal(workspace(fixture), 9);
}

/* Appends 1 for the command "on", 2 for others. */
static bool note_command(void *data, const char *const *argv, char **error)
{
	int *n = data;
	const char *last = argv[0];
	for (int i = 0; argv[i]; i++) {
		last = argv[i];
	}
	*n = *n * 10 + (strcmp(last, "on") == 0 ? 1 : 2);
	return true;
}

/* A drag of a window takes the buttons, and a microphone must not stay on. */
static void release_of_a_button_runs_during_a_drag(void **state)
{
	struct shell_fixture *fixture = *state;
	int n = 0;
	const struct shell_host host = {.spawn = note_command, .data = &n},
				*before = fixture->shell->host;
	fixture->shell->host = &host;
	configure_shell(fixture, "[keys]\nMouseSide = spawn on\nMouseSide = release spawn off\n");
	struct window *a = map(fixture, 0, 300, 200);
	window_move_to(a, 100, 100);
	move_to(fixture, 150, 150);
	button(fixture, BTN_SIDE, true);
	key(fixture, KEY_LEFTMETA, true);
	button(fixture, BTN_LEFT, true);
	assert_non_null(fixture->shell->private->grab);
	button(fixture, BTN_SIDE, false);
	assert_int_equal(n, 12);
	button(fixture, BTN_SIDE, true); /* of the drag */
	button(fixture, BTN_SIDE, false);
	assert_int_equal(n, 12);
	button(fixture, BTN_LEFT, false);
	key(fixture, KEY_LEFTMETA, false);
	fixture->shell->host = before;
}

/* As by an empty battery. */
static void unplugged_mouse_releases_its_buttons(void **state)
{
	struct shell_fixture *fixture = *state;
	int n = 0;
	const struct shell_host host = {.spawn = note_command, .data = &n},
				*before = fixture->shell->host;
	fixture->shell->host = &host;
	configure_shell(fixture, "[keys]\nMouseSide = spawn on\nMouseSide = release spawn off\n"
				 "MouseExtra = release spawn off\n");
	button(fixture, BTN_SIDE, true);
	assert_int_equal(n, 1);
	input_device_finish(&fixture->pointer);
	assert_int_equal(n, 12);
	input_device_init(&fixture->pointer, INPUT_POINTER, "pointer");
	seat_add_device(fixture->seat, &fixture->pointer);
	button(fixture, BTN_SIDE, false);
	assert_int_equal(n, 12);
	button(fixture, BTN_EXTRA, true);
	button(fixture, BTN_EXTRA, false);
	assert_int_equal(n, 122);
	fixture->shell->host = before;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up_shell, tear_down_shell)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(release_runs_unless_another_key_comes_between),
		TEST(release_of_a_pair_runs_in_any_case),
		TEST(release_of_a_button_runs_its_action),
		TEST(release_of_a_button_runs_during_a_drag),
		TEST(unplugged_mouse_releases_its_buttons),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
