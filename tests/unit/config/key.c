/* SPDX-License-Identifier: MIT */
/* Key bindings: locked ones. */

#include "harness/config_file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void only_some_actions_can_be_locked(void **state)
{
	struct config *config =
		config_file_load_good("[keys]\nXF86AudioMute = locked spawn mute it\n"
				      "Super+x = spawn locked\n"
				      "Ctrl+Alt+BackSpace = locked quit\n");
	config_file_expect_key(config, 0, XKB_KEY_XF86AudioMute, "spawn", "mute it");
	assert_true(config_file_find_key(config, 0, XKB_KEY_XF86AudioMute)->locked);
	config_file_expect_key(config, CONFIG_SUPER, XKB_KEY_x, "spawn", "locked");
	assert_false(config_file_find_key(config, CONFIG_SUPER, XKB_KEY_x)->locked);
	assert_true(
		config_file_find_key(config, CONFIG_CTRL | CONFIG_ALT, XKB_KEY_BackSpace)->locked);
	config_destroy(config);
	static const char *const bad[] = {"Super+x = locked", "Super+x = locked close",
		"Super+x = locked workspace 2", "Ctrl+Alt+BackSpace = quit",
		"Ctrl+Alt+BackSpace = locked spawn x", "Ctrl+Alt+F1 = locked quit"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char text[128], *error;
		snprintf(text, sizeof(text), "[keys]\n%s\n", bad[i]);
		assert_null(config_file_load(text, &error));
		assert_non_null(strstr(error, ":2: keys."));
		free(error);
	}
}

static void names_of_buttons_wheels_and_gestures_are_unique(void **state)
{
	static const char *const names[] = {"MouseLeft", "MouseBack", "MouseWheelUp",
		"MouseWheelDown", "MouseWheelLeft", "MouseWheelRight", "Swipe3Left", "Swipe3Down",
		"Swipe4Up", "Swipe4Right", "Pinch3In", "Pinch3Out", "Pinch4In", "Pinch4Out"};
	char name[CONFIG_BUTTON_NAME_SIZE];
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		config_button_name(config_button_find(names[i]), name);
		assert_string_equal(name, names[i]);
	}
	static const char *const unknown[] = {"Swipe2Up", "Swipe5Up", "Pinch3Up", "MouseWheel", ""};
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		assert_int_equal(config_button_find(unknown[i]), 0);
	}
	config_button_name(CONFIG_SWIPE, name);
	assert_string_equal(name, "");
}

static void wheel_needs_a_modifier(void **state)
{
	char *error;
	assert_null(config_file_load("[keys]\nMouseWheelUp = close\n", &error));
	assert_non_null(strstr(error, ":2: keys.MouseWheelUp: a wheel"));
	free(error);
	struct config *config = config_file_load_good("[keys]\nSuper+MouseWheelUp = close\n"
						      "Swipe4Left = locked dpms off\n");
	config_destroy(config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_some_actions_can_be_locked),
		cmocka_unit_test(names_of_buttons_wheels_and_gestures_are_unique),
		cmocka_unit_test(wheel_needs_a_modifier),
	};
	return cmocka_run_group_tests(tests, config_folder_create, config_folder_remove);
}
