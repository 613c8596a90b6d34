/* SPDX-License-Identifier: MIT */
/* Bindings: modes, releases, mouse buttons, and drags to the edges of an output. */

#include "harness/shell.h"
#include <linux/input-event-codes.h>
#include <stdio.h>
#include <string.h>
#include <xkbcommon/xkbcommon.h>

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

static void press(struct shell_fixture *fixture, uint32_t code)
{
	key(fixture, code, true);
	key(fixture, code, false);
}

static int workspace(struct shell_fixture *fixture)
{
	return shell_workspace(fixture->shell)->number;
}

static void mode_replaces_the_bindings(void **state)
{
	struct shell_fixture *fixture = *state;
	configure(fixture, "[keys]\nF1 = mode go\nF2 = workspace 2\n"
			   "[mode go]\nF2 = workspace 3\nF3 = mode default\n");
	press(fixture, KEY_F2);
	assert_int_equal(workspace(fixture), 2);
	press(fixture, KEY_F1);
	press(fixture, KEY_F2);
	assert_int_equal(workspace(fixture), 3);
	press(fixture, KEY_F1); /* not bound in this mode */
	press(fixture, KEY_F3);
	press(fixture, KEY_F2);
	assert_int_equal(workspace(fixture), 2);
	/* A reload ends the mode. */
	press(fixture, KEY_F1);
	configure(fixture, "[keys]\nF2 = workspace 4\n");
	press(fixture, KEY_F2);
	assert_int_equal(workspace(fixture), 4);
}

static void unknown_mode_is_ignored(void **state)
{
	struct shell_fixture *fixture = *state;
	configure(fixture, "[keys]\nF1 = mode og\nF2 = workspace 2\n[mode go]\nF2 = close\n");
	press(fixture, KEY_F1);
	press(fixture, KEY_F2);
	assert_int_equal(workspace(fixture), 2);
}

static void locked_bindings_work_after_a_mode(void **state)
{
	struct shell_fixture *fixture = *state;
	configure(fixture, "[keys]\nF1 = mode go\n[mode go]\nF2 = workspace 2\n");
	press(fixture, KEY_F1);
	assert_string_equal(fixture->shell->mode, "go");
	shell_lock(fixture->shell);
	assert_null(fixture->shell->mode);
}

static void switches_obey_the_lock(void **state)
{
	struct shell_fixture *fixture = *state;
	configure(fixture, "[switches]\nlid-closed = workspace 2\n");
	struct input_switch_event event = {.kind = INPUT_SWITCH_LID, .on = true};
	shell_lock(fixture->shell);
	shell_switch_thrown(fixture->shell, &event);
	assert_int_equal(workspace(fixture), 1);
	shell_unlock(fixture->shell);
	shell_switch_thrown(fixture->shell, &event);
	assert_int_equal(workspace(fixture), 2);
}

static void release_runs_unless_another_key_comes_between(void **state)
{
	struct shell_fixture *fixture = *state;
	configure(fixture, "[keys]\nF1 = release workspace 2\nF2 = workspace 3\n");
	key(fixture, KEY_F1, true);
	assert_int_equal(workspace(fixture), 1);
	key(fixture, KEY_F1, false);
	assert_int_equal(workspace(fixture), 2);
	key(fixture, KEY_F1, true);
	press(fixture, KEY_F2);
	key(fixture, KEY_F1, false);
	assert_int_equal(workspace(fixture), 3);
}

static void repeat_runs_while_the_key_is_held(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map(fixture, 0, 300, 200);
	window_move_to(a, 100, 100);
	configure(fixture, "[keys]\nF1 = repeat move right\n");
	key(fixture, KEY_F1, true);
	assert_int_equal(a->x, 150);
	clock_advance(fixture->clock, 1000000000);
	assert_true(a->x > 250);
	key(fixture, KEY_F1, false);
	int x = a->x;
	clock_advance(fixture->clock, 1000000000);
	assert_int_equal(a->x, x);
}

static void mouse_button_runs_its_action(void **state)
{
	struct shell_fixture *fixture = *state;
	configure(fixture, "[keys]\nMouseSide = workspace 2\nSuper+MouseLeft = workspace 3\n");
	struct window *a = map(fixture, 0, 300, 200);
	window_move_to(a, 100, 100);
	move_to(fixture, 150, 150);
	button(fixture, BTN_SIDE, true);
	button(fixture, BTN_SIDE, false);
	assert_int_equal(workspace(fixture), 2);
	button(fixture, BTN_LEFT, true);
	button(fixture, BTN_LEFT, false);
	assert_int_equal(workspace(fixture), 2);
	key(fixture, KEY_LEFTMETA, true);
	button(fixture, BTN_LEFT, true);
	button(fixture, BTN_LEFT, false);
	key(fixture, KEY_LEFTMETA, false);
	assert_int_equal(workspace(fixture), 3);
	assert_null(fixture->shell->grab);
}

static void next_keyboard_layout_goes_around(void **state)
{
	struct shell_fixture *fixture = *state;
	configure(fixture, "[keyboard]\nlayout = us,de\n");
	const struct seat_keyboard *keyboard = &fixture->seat->keyboard;
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(keyboard->modifiers.group, i % 2);
		shell_run_action(fixture->shell, "next-keyboard-layout", NULL);
	}
}

static void window_dropped_at_an_edge_is_tiled(void **state)
{
	struct shell_fixture *fixture = *state;
	static const struct {
		double x, y;
		struct box box;
	} rows[] = {
		{1, 300, {0, 0, 500, 600}},
		{999, 300, {500, 0, 500, 600}},
		{500, 1, {0, 0, 1000, 600}},
		{1, 1, {0, 0, 500, 300}},
		{999, 599, {500, 300, 500, 300}},
	};
	struct window *a = map(fixture, 0, 300, 200);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		window_move_to(a, 300, 200);
		move_to(fixture, 400, 250);
		key(fixture, KEY_LEFTMETA, true);
		button(fixture, BTN_LEFT, true);
		move_to(fixture, rows[i].x, rows[i].y);
		button(fixture, BTN_LEFT, false);
		key(fixture, KEY_LEFTMETA, false);
		obey(&fixture->windows[0]);
		assert_box(a, rows[i].box.x, rows[i].box.y, rows[i].box.width, rows[i].box.height);
		window_tile(a, 0);
		obey(&fixture->windows[0]);
		assert_box(a, 300, 200, 300, 200);
	}
	/* Not in the middle, and not if it is switched off. */
	fixture->shell->config->layout.snap = false;
	move_to(fixture, 400, 250);
	key(fixture, KEY_LEFTMETA, true);
	button(fixture, BTN_LEFT, true);
	move_to(fixture, 1, 300);
	button(fixture, BTN_LEFT, false);
	key(fixture, KEY_LEFTMETA, false);
	assert_true(window_floating(a));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up_shell, tear_down_shell)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(mode_replaces_the_bindings),
		TEST(unknown_mode_is_ignored),
		TEST(locked_bindings_work_after_a_mode),
		TEST(switches_obey_the_lock),
		TEST(release_runs_unless_another_key_comes_between),
		TEST(repeat_runs_while_the_key_is_held),
		TEST(mouse_button_runs_its_action),
		TEST(next_keyboard_layout_goes_around),
		TEST(window_dropped_at_an_edge_is_tiled),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
