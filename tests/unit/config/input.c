/* SPDX-License-Identifier: MIT */
/* Input sections and switches. */

#include "harness/config_file.h"
#include <linux/input-event-codes.h>
#include <stdlib.h>
#include <string.h>

static void matching_input_sections_are_merged(void **state)
{
	struct config *config = config_file_load_good("[keyboard]\n"
						      "layout = us\n"
						      "variant = dvorak\n"
						      "repeat-rate = 30\n"
						      "[input type:touchpad]\n"
						      "tap = no\n"
						      "drag-lock = yes\n"
						      "natural-scroll = yes\n"
						      "scroll-method = edge\n"
						      "click-method = fingers\n"
						      "acceleration-speed = -0.5\n"
						      "[input Some *]\n"
						      "tap = yes\n"
						      "send-events = without-mouse\n"
						      "acceleration-profile = flat\n"
						      "tap-button-map = left-middle-right\n"
						      "scroll-button = back\n"
						      "calibration-matrix = 0 -1 1, 1 0 0.5\n"
						      "map-to-output = DP-1\n"
						      "[input type:keyboard]\n"
						      "repeat-delay = 300\n"
						      "[input Typewriter]\n"
						      "layout = de\n"
						      "repeat-rate = 0\n");
	struct input_settings settings;
	struct config_keyboard keyboard;
	config_input_find(config, "Some Pad", "touchpad", &settings, &keyboard);
	assert_int_equal(settings.options[INPUT_TAP], INPUT_ON);
	assert_int_equal(settings.options[INPUT_DRAG], 0);
	assert_int_equal(settings.options[INPUT_DRAG_LOCK], INPUT_ON);
	assert_int_equal(settings.options[INPUT_NATURAL_SCROLL], INPUT_ON);
	assert_int_equal(settings.options[INPUT_SCROLL_METHOD], INPUT_SCROLL_EDGE);
	assert_int_equal(settings.options[INPUT_CLICK_METHOD], INPUT_CLICK_FINGERS);
	assert_int_equal(settings.options[INPUT_SEND_EVENTS], INPUT_SEND_WITHOUT_MOUSE);
	assert_int_equal(settings.options[INPUT_ACCELERATION], INPUT_ACCELERATION_FLAT);
	assert_int_equal(settings.options[INPUT_TAP_BUTTONS], INPUT_TAP_LMR);
	assert_int_equal(settings.scroll_button, BTN_BACK);
	assert_true(settings.has_speed && settings.speed == -0.5);
	static const double matrix[] = {0, -1, 1, 1, 0, 0.5};
	assert_true(settings.has_calibration);
	assert_memory_equal(settings.calibration, matrix, sizeof(matrix));
	assert_string_equal(settings.output, "DP-1");

	config_input_find(config, "Other", "pointer", &settings, &keyboard);
	static const struct input_settings none;
	assert_memory_equal(&settings, &none, sizeof(none));

	config_input_find(config, "Board", "keyboard", &settings, &keyboard);
	assert_string_equal(keyboard.layout, "us");
	assert_string_equal(keyboard.variant, "dvorak");
	assert_int_equal(keyboard.repeat_rate, 30);
	assert_int_equal(keyboard.repeat_delay, 300);
	config_input_find(config, "Typewriter", "keyboard", &settings, &keyboard);
	assert_string_equal(keyboard.layout, "de");
	assert_null(keyboard.variant); /* the variant belongs to the other layout */
	assert_int_equal(keyboard.repeat_rate, 0);
	assert_int_equal(keyboard.repeat_delay, 300);
	config_destroy(config);
}

static void switch_actions_can_be_cleared(void **state)
{
	struct config *config = config_file_load_good("[switches]\n"
						      "lid-closed = spawn lock\n"
						      "tablet-mode-on = workspace 2\n"
						      "tablet-mode-off = workspace 1\n"
						      "tablet-mode-off = none\n");
	assert_true(config->switches.lid_covers_panel);
	assert_string_equal(config->switches.lid_closed.name, "spawn");
	assert_string_equal(config->switches.lid_closed.argument, "lock");
	assert_null(config->switches.lid_opened.name);
	assert_string_equal(config->switches.tablet_mode_on.argument, "2");
	assert_null(config->switches.tablet_mode_off.name);
	config_destroy(config);
	config = config_file_load_good("[switches]\nlid-covers-panel = no\n");
	assert_false(config->switches.lid_covers_panel);
	config_destroy(config);
}

/* Compiling a keymap takes milliseconds, and a file of 1 MiB can hold 95,000 such sections. */
static void repeated_keyboard_sections_are_checked_once(void **state)
{
	char *error;
	assert_null(
		config_file_load("[keyboard]\n[keyboard]\nlayout = nowhere\n[keyboard]\n", &error));
	const char *first = strstr(error, "xkb has no such keyboard");
	assert_non_null(first);
	assert_null(strstr(first + 1, "xkb has no such keyboard"));
	free(error);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matching_input_sections_are_merged),
		cmocka_unit_test(repeated_keyboard_sections_are_checked_once),
		cmocka_unit_test(switch_actions_can_be_cleared),
	};
	return cmocka_run_group_tests(tests, config_folder_create, config_folder_remove);
}
