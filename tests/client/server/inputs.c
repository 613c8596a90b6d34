/* SPDX-License-Identifier: MIT */
/*
 * Configuration of input devices: settings by name and type, keymaps per keyboard, and the effects
 * of lid and tablet mode switches.
 */

#include "backend/headless.h"
#include "backend/input_settings.h"
#include "harness/client/reload.h"
#include "harness/peer.h"
#include "scene/scene.h"
#include "seat/seat.h"
#include "shell/shell.h"
#include "util/signal.h"
#include <linux/input-event-codes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct test {
	struct fixture *fixture;
	struct input_device *lid, *touch, *keyboard;
	struct input_settings settings; /* last given to `touch` */
	int n_settings;
};

static struct test *current;

static void take_settings(struct input_device *device, const struct input_settings *settings)
{
	current->settings = *settings;
	current->settings.output = NULL; /* valid during this call only */
	current->n_settings++;
}

static void configure(struct test *test, const char *text)
{
	assert_true(reload_text(test->fixture, text));
}

static int setup(void **state)
{
	struct test *test = calloc(1, sizeof(*test));
	test->fixture = fixture_create(NULL);
	struct backend *backend = test->fixture->server->backend;
	test->lid = headless_add_input(backend, INPUT_SWITCH, "Lid Switch");
	test->touch = headless_add_input(backend, INPUT_TOUCH, "Some Screen");
	test->keyboard = headless_add_input(backend, INPUT_KEYBOARD, "Some Keyboard");
	test->touch->configure = take_settings;
	current = test;
	*state = test;
	return 0;
}

static int teardown(void **state)
{
	struct test *test = *state;
	fixture_destroy(test->fixture);
	free(test);
	return 0;
}

static void throw_switch(struct test *test, enum input_switch_kind kind, bool on)
{
	struct input_switch_event event = {.kind = kind, .on = on};
	signal_emit(&test->lid->events.toggle, &event);
	fixture_pump(test->fixture);
}

static bool shows(struct test *test, const char *name)
{
	return scene_output_find_name(test->fixture->server->scene, name) != NULL;
}

static struct output *panel(struct test *test)
{
	struct output *output = test->fixture->server->scene->outputs[0]->output;
	output->built_in = true;
	return output;
}

static void closed_lid_disables_the_panel(void **state)
{
	struct test *test = *state;
	struct backend *backend = test->fixture->server->backend;
	struct output *built_in = panel(test);
	/* The only output stays enabled. */
	throw_switch(test, INPUT_SWITCH_LID, true);
	assert_true(shows(test, built_in->name));
	struct output *other = headless_add_output(backend, 320, 240, 60000);
	fixture_frames(test->fixture, 2);
	assert_false(shows(test, built_in->name));
	assert_false(built_in->enabled);
	assert_true(shows(test, other->name));
	/* A reload does not enable it. */
	configure(test, "");
	assert_false(shows(test, built_in->name));
	headless_remove_output(other);
	fixture_frames(test->fixture, 2);
	assert_true(shows(test, built_in->name));
	other = headless_add_output(backend, 320, 240, 60000);
	assert_false(shows(test, built_in->name));
	throw_switch(test, INPUT_SWITCH_LID, false);
	assert_true(shows(test, built_in->name));
	/* When the switch is removed while closed, the lid counts as open. */
	throw_switch(test, INPUT_SWITCH_LID, true);
	assert_false(shows(test, built_in->name));
	headless_remove_input(test->lid);
	assert_true(shows(test, built_in->name));
}

static void lid_can_be_ignored(void **state)
{
	struct test *test = *state;
	struct output *built_in = panel(test);
	headless_add_output(test->fixture->server->backend, 320, 240, 60000);
	throw_switch(test, INPUT_SWITCH_LID, true);
	assert_false(shows(test, built_in->name));
	configure(test, "[switches]\nlid-covers-panel = no\n");
	assert_true(shows(test, built_in->name));
	throw_switch(test, INPUT_SWITCH_LID, false);
	throw_switch(test, INPUT_SWITCH_LID, true);
	assert_true(shows(test, built_in->name));
}

/* The lock covers outputs that the lid disables and enables. */
static void opening_the_lid_keeps_the_lock(void **state)
{
	struct test *test = *state;
	struct output *built_in = panel(test);
	struct peer *peer = peer_create(test->fixture);
	peer_window_create(peer, 0, 0, 64, 64, 0xffff0000);
	headless_add_output(test->fixture->server->backend, 320, 240, 60000);
	throw_switch(test, INPUT_SWITCH_LID, true);
	shell_lock(test->fixture->server->shell);
	throw_switch(test, INPUT_SWITCH_LID, false);
	assert_true(shows(test, built_in->name));
	fixture_settle(test->fixture);
	for (int i = 0; i < 2; i++) {
		struct image *image = fixture_shot(test->fixture, i);
		for (int n = 0; n < image->width * image->height; n++) {
			assert_int_equal(image->pixels[n], 0);
		}
		image_destroy(image);
	}
}

static void switches_run_actions(void **state)
{
	struct test *test = *state;
	struct shell *shell = test->fixture->server->shell;
	configure(test, "[switches]\n"
			"tablet-mode-on = workspace 3\n"
			"tablet-mode-off = workspace 1\n"
			"lid-closed = workspace 5\n");
	throw_switch(test, INPUT_SWITCH_TABLET_MODE, true);
	assert_int_equal(shell_workspace(shell)->number, 3);
	throw_switch(test, INPUT_SWITCH_TABLET_MODE, false);
	assert_int_equal(shell_workspace(shell)->number, 1);
	throw_switch(test, INPUT_SWITCH_LID, true);
	throw_switch(test, INPUT_SWITCH_LID, false);
	assert_int_equal(shell_workspace(shell)->number, 5);
}

static void settings_match_by_name_and_type(void **state)
{
	struct test *test = *state;
	configure(test, "[input type:touch]\n"
			"send-events = disabled\n"
			"[input Some*]\n"
			"map-to-output = HEADLESS-1\n"
			"left-handed = yes\n"
			"[input Other*]\n"
			"left-handed = no\n");
	assert_int_equal(test->n_settings, 1);
	assert_int_equal(test->settings.options[INPUT_SEND_EVENTS], INPUT_SEND_DISABLED);
	assert_int_equal(test->settings.options[INPUT_LEFT_HANDED], INPUT_ON);
	assert_string_equal(test->touch->output, "HEADLESS-1");
	/* Removed settings return to the device's defaults. */
	configure(test, "");
	assert_int_equal(test->n_settings, 2);
	assert_int_equal(test->settings.options[INPUT_SEND_EVENTS], 0);
	assert_null(test->touch->output);
	/* A device added later is configured at once. */
	configure(test, "[input Late]\nmap-to-output = HEADLESS-1\n");
	struct input_device *late =
		headless_add_input(test->fixture->server->backend, INPUT_TOUCH, "Late");
	assert_string_equal(late->output, "HEADLESS-1");
}

/* A touch screen is mapped to the built-in panel, unless the device names its output. */
static void touch_screen_is_mapped_to_the_panel(void **state)
{
	struct test *test = *state;
	struct backend *backend = test->fixture->server->backend;
	struct output *built_in = panel(test);
	struct input_device *mouse = headless_add_input(backend, INPUT_POINTER, "Mouse");
	configure(test, "");
	assert_string_equal(test->touch->output, built_in->name);
	assert_null(mouse->output);
	test->touch->names_output = true;
	configure(test, "");
	assert_null(test->touch->output);
	configure(test, "[input Some*]\nmap-to-output = DP-1\n");
	assert_string_equal(test->touch->output, "DP-1");
}

static xkb_keysym_t type(struct test *test, struct input_device *keyboard, uint32_t code)
{
	struct seat *seat = test->fixture->server->seat;
	struct input_key_event event = {.key = code, .pressed = true};
	signal_emit(&keyboard->events.key, &event);
	xkb_keysym_t sym = xkb_state_key_get_one_sym(seat->keyboard.state, code + 8);
	event.pressed = false;
	signal_emit(&keyboard->events.key, &event);
	fixture_pump(test->fixture);
	return sym;
}

static void keyboards_have_their_own_keymaps(void **state)
{
	struct test *test = *state;
	const struct seat *seat = test->fixture->server->seat;
	struct input_device *other =
		headless_add_input(test->fixture->server->backend, INPUT_KEYBOARD, "Other");
	assert_int_equal(type(test, test->keyboard, KEY_Y), XKB_KEY_y);
	configure(test, "[keyboard]\n"
			"repeat-rate = 40\n"
			"[input Some Keyboard]\n"
			"layout = de\n"
			"repeat-rate = 10\n");
	assert_int_equal(type(test, test->keyboard, KEY_Y), XKB_KEY_z);
	assert_int_equal(seat->keyboard.repeat_rate, 10);
	assert_int_equal(type(test, other, KEY_Y), XKB_KEY_y);
	assert_int_equal(seat->keyboard.repeat_rate, 40);
	configure(test, "[keyboard]\n"
			"layout = de\n");
	assert_int_equal(type(test, other, KEY_Y), XKB_KEY_z);
	assert_int_equal(type(test, test->keyboard, KEY_Y), XKB_KEY_z);
	headless_remove_input(test->keyboard);
	assert_int_equal(type(test, other, KEY_Y), XKB_KEY_z);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(closed_lid_disables_the_panel),
		TEST(lid_can_be_ignored),
		TEST(opening_the_lid_keeps_the_lock),
		TEST(switches_run_actions),
		TEST(settings_match_by_name_and_type),
		TEST(touch_screen_is_mapped_to_the_panel),
		TEST(keyboards_have_their_own_keymaps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
