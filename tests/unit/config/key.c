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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_some_actions_can_be_locked),
	};
	return cmocka_run_group_tests(tests, config_folder_create, config_folder_remove);
}
