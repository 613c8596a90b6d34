/* SPDX-License-Identifier: MIT */
/*
 * Bindings: modes, mouse buttons, wheels, gestures, and drags to the edges of an output.
 */

#include "harness/shell.h"
#include "shell/geometry/facts.h"
#include "shell/windows/windows.h"
#include "shell/windows/workspaces.h"
#include "util/signal.h"
#include <fcntl.h>
#include <linux/input-event-codes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xkbcommon/xkbcommon.h>

static void mode_replaces_the_bindings(void **state)
{
	struct shell_fixture *fixture = *state;
	configure_shell(fixture, "[keys]\nF1 = mode go\nF2 = workspace 2\n"
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
	configure_shell(fixture, "[keys]\nF2 = workspace 4\n");
	press(fixture, KEY_F2);
	assert_int_equal(workspace(fixture), 4);
}

static void unknown_mode_is_ignored(void **state)
{
	struct shell_fixture *fixture = *state;
	configure_shell(fixture, "[keys]\nF1 = mode og\nF2 = workspace 2\n[mode go]\nF2 = close\n");
	press(fixture, KEY_F1);
	press(fixture, KEY_F2);
	assert_int_equal(workspace(fixture), 2);
}

static void locked_bindings_work_after_a_mode(void **state)
{
	struct shell_fixture *fixture = *state;
	configure_shell(fixture, "[keys]\nF1 = mode go\n[mode go]\nF2 = workspace 2\n");
	press(fixture, KEY_F1);
	assert_string_equal(fixture->shell->mode, "go");
	shell_lock(fixture->shell);
	assert_null(fixture->shell->mode);
}

static void switches_obey_the_lock(void **state)
{
	struct shell_fixture *fixture = *state;
	configure_shell(fixture, "[switches]\nlid-closed = workspace 2\n");
	struct input_switch_event event = {.kind = INPUT_SWITCH_LID, .on = true};
	shell_lock(fixture->shell);
	shell_switch_thrown(fixture->shell, &event);
	assert_int_equal(workspace(fixture), 1);
	shell_unlock(fixture->shell);
	shell_switch_thrown(fixture->shell, &event);
	assert_int_equal(workspace(fixture), 2);
}

/*
 * Any with named modifiers: those must be held, others may be. Each set of held modifiers, and
 * bindings for the held ones alone come first, wherever they are in the file.
 */
static void any_allows_further_modifiers_than_the_named(void **state)
{
	struct shell_fixture *fixture = *state;
	static const uint32_t codes[] = {KEY_LEFTSHIFT, KEY_LEFTCTRL, KEY_LEFTALT, KEY_LEFTMETA};
	enum { SHIFT = 1, CTRL = 2, ALT = 4, SUPER = 8 };
	static const struct {
		uint32_t key;
		unsigned named; /* modifiers */
		int exact; /* held modifiers with a binding of their own; 0: none */
	} rows[] = {
		{KEY_F5, 0, SHIFT | CTRL},
		{KEY_F6, CTRL, 0},
		{KEY_F7, SHIFT | SUPER, SHIFT | SUPER | ALT},
		{KEY_F8, ALT, ALT},
		{KEY_N, CTRL, CTRL | SHIFT},
	};
	configure_shell(fixture,
		"[keys]\nAny+F5 = workspace 2\nShift+Ctrl+F5 = workspace 3\n"
		"Ctrl+Any+F6 = workspace 2\n"
		"Shift+Super+Alt+F7 = workspace 3\nSuper+Any+Shift+F7 = workspace 2\n"
		"Any+Alt+F8 = workspace 2\nAlt+F8 = workspace 3\n"
		"Any+Ctrl+n = workspace 2\nCtrl+Shift+n = workspace 3\n");
	for (size_t i = 0; i < 16 * sizeof(rows) / sizeof(rows[0]); i++) {
		const size_t row = i / 16;
		const unsigned held = i % 16, named = rows[row].named;
		if ((held & (CTRL | ALT)) == (CTRL | ALT)) {
			continue; /* with F1 to F12: virtual terminals */
		}
		shell_switch_workspace(fixture->shell, "1");
		for (int bit = 0; bit < 4; bit++) {
			if (held & 1u << bit) {
				key(fixture, codes[bit], true);
			}
		}
		press(fixture, rows[row].key);
		for (int bit = 0; bit < 4; bit++) {
			if (held & 1u << bit) {
				key(fixture, codes[bit], false);
			}
		}
		const bool exact = rows[row].exact && held == (unsigned)rows[row].exact;
		const int wanted = exact ? 3 : (held & named) == named ? 2 : 1;
		if (workspace(fixture) != wanted) {
			fail_msg("row %zu, modifiers %u: workspace %d, not %d", row, held,
				workspace(fixture), wanted);
		}
	}
}

static void repeat_runs_while_the_key_is_held(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map(fixture, 0, 300, 200);
	window_move_to(a, 100, 100);
	configure_shell(fixture, "[keys]\nF1 = repeat move right\n");
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
	configure_shell(
		fixture, "[keys]\nMouseSide = workspace 2\nSuper+MouseLeft = workspace 3\n");
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
	assert_null(fixture->shell->private->grab);
}

static void scroll(struct shell_fixture *fixture, double value, int value120)
{
	struct input_axis_event event = {.value = value, .value120 = value120};
	signal_emit(&fixture->pointer.events.axis, &event);
	signal_emit(&fixture->pointer.events.frame, NULL);
}

static void wheel_runs_an_action_per_detent(void **state)
{
	struct shell_fixture *fixture = *state;
	configure_shell(fixture, "[keys]\nSuper+MouseWheelDown = workspace-next\n"
				 "Super+MouseWheelUp = workspace 1\n");
	for (int i = 2; i <= 4; i++) { /* so that the workspaces stay */
		map(fixture, i, 100, 100);
		shell_move_to_workspace(fixture->shell, fixture->windows[i].window,
			shell_get_workspace(fixture->shell, (char[]){(char)('0' + i), '\0'}));
	}
	scroll(fixture, 15, 120);
	assert_int_equal(workspace(fixture), 1);
	key(fixture, KEY_LEFTMETA, true);
	scroll(fixture, 15, 120);
	assert_int_equal(workspace(fixture), 2);
	/* A wheel of high resolution, and a finger on a touchpad. */
	for (int i = 0; i < 8; i++) {
		assert_int_equal(workspace(fixture), 2);
		scroll(fixture, 2, 15);
	}
	assert_int_equal(workspace(fixture), 3);
	scroll(fixture, 16, 0);
	scroll(fixture, 16, 0);
	scroll(fixture, 0, 0);
	assert_int_equal(workspace(fixture), 4);
	/* Another direction starts anew. */
	scroll(fixture, -2, -15);
	assert_int_equal(workspace(fixture), 4);
	scroll(fixture, -15, -120);
	assert_int_equal(workspace(fixture), 1);
	key(fixture, KEY_LEFTMETA, false);
}

static void gesture(struct shell_fixture *fixture, enum input_gesture kind, uint32_t fingers,
	double dx, double dy, double scale)
{
	struct input_gesture_event event = {
		.gesture = kind, .phase = INPUT_BEGIN, .fingers = fingers, .scale = 1};
	signal_emit(&fixture->pointer.events.gesture, &event);
	event.phase = INPUT_UPDATE;
	event.dx = dx / 4;
	event.dy = dy / 4;
	event.scale = scale;
	for (int i = 0; i < 4; i++) {
		signal_emit(&fixture->pointer.events.gesture, &event);
	}
	event.phase = INPUT_END;
	signal_emit(&fixture->pointer.events.gesture, &event);
}

static void gesture_runs_one_action(void **state)
{
	struct shell_fixture *fixture = *state;
	static const struct {
		enum input_gesture kind;
		uint32_t fingers;
		double dx, dy, scale;
		int workspace;
	} rows[] = {
		{INPUT_SWIPE, 3, -80, 20, 1, 2},
		{INPUT_SWIPE, 3, 80, 20, 1, 3},
		{INPUT_SWIPE, 3, 20, -400, 1, 4},
		{INPUT_SWIPE, 3, 20, 80, 1, 5},
		{INPUT_SWIPE, 4, 20, 80, 1, 6},
		{INPUT_SWIPE, 4, 20, -80, 1, 1}, /* not bound */
		{INPUT_SWIPE, 3, 20, 20, 1, 1}, /* too short */
		{INPUT_SWIPE, 2, -80, 20, 1, 1},
		{INPUT_PINCH, 4, 0, 0, 0.5, 7},
		{INPUT_PINCH, 3, 0, 0, 1.5, 8},
		{INPUT_PINCH, 3, 0, 0, 1.1, 1},
		{INPUT_HOLD, 3, 0, 0, 1, 1},
	};
	configure_shell(fixture,
		"[keys]\nSwipe3Left = workspace 2\nswipe3right = workspace 3\n"
		"Swipe3Up = workspace 4\nSwipe3Down = workspace 5\nSwipe4Down = workspace "
		"6\nPinch4In = workspace 7\nPinch3Out = workspace 8\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		shell_switch_workspace(fixture->shell, "1");
		gesture(fixture, rows[i].kind, rows[i].fingers, rows[i].dx, rows[i].dy,
			rows[i].scale);
		assert_int_equal(workspace(fixture), rows[i].workspace);
	}
	shell_switch_workspace(fixture->shell, "1");
	shell_lock(fixture->shell);
	gesture(fixture, INPUT_SWIPE, 3, -80, 20, 1);
	assert_int_equal(workspace(fixture), 1);
}

static void count_power(void *data, bool on)
{
	int *power = data;
	*power += on ? 100 : 1;
}

static void pass(struct shell_fixture *fixture, int ms)
{
	clock_advance(fixture->clock, ms * INT64_C(1000000));
}

static void dark_outputs_wake_by_input(void **state)
{
	struct shell_fixture *fixture = *state;
	int power = 0;
	const struct shell_host host = {.set_power = count_power, .data = &power},
				*before = fixture->shell->host;
	fixture->shell->host = &host;
	configure_shell(fixture, "[keys]\nF1 = locked dpms off\nF2 = dpms toggle\n");
	press(fixture, KEY_F1);
	assert_int_equal(power, 1);
	move_to(fixture, 5, 5); /* the rest of a gesture */
	assert_int_equal(power, 1);
	pass(fixture, 400);
	key(fixture, KEY_A, true);
	assert_int_equal(power, 101);
	key(fixture, KEY_A, false);
	pass(fixture, 2000);
	press(fixture, KEY_F2);
	assert_int_equal(power, 102);
	pass(fixture, 400);
	move_to(fixture, 10, 10);
	assert_int_equal(power, 202);
	move_to(fixture, 20, 20);
	assert_int_equal(power, 202);
	assert_true(shell_run_action(fixture->shell, "dpms", "off"));
	assert_int_equal(power, 203);
	assert_true(shell_run_action(fixture->shell, "dpms", "off")); /* one has been lit since */
	assert_int_equal(power, 204);
	assert_true(shell_run_action(fixture->shell, "dpms", "toggle"));
	assert_int_equal(power, 304);
	assert_true(shell_run_action(fixture->shell, "dpms", "on")); /* a client darkened them */
	assert_int_equal(power, 404);
	fixture->shell->host = before;
}

static void key_that_wakes_outputs_does_not_toggle_them(void **state)
{
	struct shell_fixture *fixture = *state;
	int power = 0;
	const struct shell_host host = {.set_power = count_power, .data = &power},
				*before = fixture->shell->host;
	fixture->shell->host = &host;
	configure_shell(fixture, "[keys]\nF2 = dpms toggle\n");
	press(fixture, KEY_F2);
	assert_int_equal(power, 1);
	pass(fixture, 400);
	press(fixture, KEY_F2);
	assert_int_equal(power, 101);
	pass(fixture, 2000);
	press(fixture, KEY_F2);
	assert_int_equal(power, 102);
	pass(fixture, 400);
	move_to(fixture, 10, 10);
	fixture->shell->host = before;
}

static char *commands[4];
static int n_commands;

static bool keep_command(void *data, const char *const *argv, char **error)
{
	commands[n_commands++] = strdup(argv[2]);
	return true;
}

/* The script's clock stands still; its grim writes to the last argument. */
static void screenshots_of_a_second_have_different_files(const char *folder, const char *script)
{
	char command[4096], grim[64];
	const int n = snprintf(grim, sizeof(grim), "%s/grim", folder);
	assert_true(n > 0 && n < (int)sizeof(grim));
	FILE *file = fopen(grim, "w");
	fputs("#!/bin/sh\nshift 2\n[ ! \"$REFUSE\" ] && echo picture >\"$1\"\n", file);
	fclose(file);
	snprintf(command, sizeof(command),
		"cd %s && PATH=$PWD:$PATH HOME=$PWD && unset WAYLAND_DISPLAY XDG_CONFIG_HOME\n"
		"date() { echo now; }\ntake() { %s; }\n"
		"(take; take; REFUSE=1; export REFUSE; (take) || echo refused >log) 2>/dev/null\n"
		"[ \"$(echo screenshot-*)\" = 'screenshot-now-1.png screenshot-now.png' ] && "
		"[ \"$(cat screenshot-* log)\" = \"$(printf 'picture\npicture\nrefused')\" ]\n"
		"ok=$?; rm -f screenshot-* log; exit $ok",
		folder, script);
	assert_int_equal(system(command), 0);
}

static void screenshot_starts_grim(void **state)
{
	struct shell_fixture *fixture = *state;
	const struct shell_host host = {.spawn = keep_command}, *before = fixture->shell->host;
	char folder[] = "/tmp/causeway-grim-XXXXXX", grim[64], slurp[64];
	char *path = strdup(getenv("PATH"));
	fixture->shell->host = &host;
	assert_non_null(mkdtemp(folder));
	snprintf(grim, sizeof(grim), "%s/grim", folder);
	snprintf(slurp, sizeof(slurp), "%s/slurp", folder);
	setenv("PATH", folder, true);
	shell_run_action(fixture->shell, "screenshot", "output"); /* is not installed */
	assert_int_equal(n_commands, 0);
	assert_int_equal(close(creat(grim, 0755)), 0);
	shell_run_action(fixture->shell, "screenshot", "output");
	shell_run_action(fixture->shell, "screenshot", "window"); /* there is none */
	shell_run_action(fixture->shell, "screenshot", "region"); /* slurp is not installed */
	assert_int_equal(n_commands, 1);
	assert_non_null(strstr(commands[0], "grim -g '0,0 1000x600' \"$f\" || "));
	struct window *a = map(fixture, 0, 300, 200);
	window_move_to(a, 100, 50);
	shell_run_action(fixture->shell, "screenshot", "window");
	assert_int_equal(close(creat(slurp, 0755)), 0);
	shell_run_action(fixture->shell, "screenshot", "region");
	assert_int_equal(n_commands, 3);
	assert_non_null(strstr(commands[1], "grim -g '100,50 300x200' \"$f\" || "));
	assert_non_null(strstr(commands[2], "g=$(slurp) && grim -g \"$g\" \"$f\" || "));
	setenv("PATH", path, true);
	screenshots_of_a_second_have_different_files(folder, commands[0]);
	for (int i = 0; i < n_commands; i++) {
		free(commands[i]);
	}
	free(path);
	unlink(grim);
	unlink(slurp);
	rmdir(folder);
	fixture->shell->host = before;
}

static void next_keyboard_layout_goes_around(void **state)
{
	struct shell_fixture *fixture = *state;
	configure_shell(fixture, "[keyboard]\nlayout = us,de\n");
	const struct seat_keyboard *keyboard = &fixture->seat->keyboard;
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(keyboard->modifiers.group, i % 2);
		shell_run_action(fixture->shell, "next-keyboard-layout", NULL);
	}
}

/* Returns the box that shows where the dragged window will be; empty without one. */
static struct box hint_box(const struct shell_fixture *fixture)
{
	const struct scene_node *node;
	wl_list_for_each (node, &fixture->shell->layers[SHELL_TOP]->children, link) {
		const struct scene_rect *rect = wl_container_of(node, rect, node);
		if (node->enabled) {
			return (struct box){node->x, node->y, rect->width, rect->height};
		}
	}
	return (struct box){0};
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
		move_to(fixture, 450, 300);
		assert_int_equal(hint_box(fixture).width, 0);
		move_to(fixture, rows[i].x, rows[i].y);
		const struct box hint = hint_box(fixture);
		assert_true(box_equal(&hint, &rows[i].box));
		button(fixture, BTN_LEFT, false);
		key(fixture, KEY_LEFTMETA, false);
		assert_int_equal(hint_box(fixture).width, 0);
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
	assert_int_equal(hint_box(fixture).width, 0);
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
		TEST(any_allows_further_modifiers_than_the_named),
		TEST(repeat_runs_while_the_key_is_held),
		TEST(mouse_button_runs_its_action),
		TEST(wheel_runs_an_action_per_detent),
		TEST(gesture_runs_one_action),
		TEST(dark_outputs_wake_by_input),
		TEST(key_that_wakes_outputs_does_not_toggle_them),
		TEST(screenshot_starts_grim),
		TEST(next_keyboard_layout_goes_around),
		TEST(window_dropped_at_an_edge_is_tiled),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
