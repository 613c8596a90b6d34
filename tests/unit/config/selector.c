/* SPDX-License-Identifier: MIT */
/* GPU selectors in configuration files. */

#include "harness/config_file.h"

static void malformed_selectors_are_invalid(void **state)
{
	static const char *const good[] = {"integrated", "discrete", "display", "pci-0000_03_00_0",
		"pci-00ff_0a_1f_7", "1002:73bf", "renderD128", "renderD1", "big",
		"platform-fd4a0000_gpu", "ssh:farm", "ssh:me@10.0.0.1:2222", "away"};
	static const char *const bad[] = {"", "card0", "pci-0000:03:00.0", "pci-0000_03_00", "1002",
		"1002:73BF", "1002:73bf0", "renderD", "renderDx", "renderD1234567", "Integrated",
		"small", "pci-0000_03_00_01", "platform-", "platform-a b", "ssh:", "ssh:-oX=y",
		"ssh:a b", "ssh:a:", "ssh:a:b", "ssh:a:123456", "ssh:a;b", "ssh:$a", "sshfarm"};
	struct config *config =
		config_file_load_good("[gpu]\nalias.big = 10de:2684\nalias.away = ssh:far\n");
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(config_selector_valid(config, good[i]));
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_false(config_selector_valid(config, bad[i]));
	}
	assert_true(config_names_remote(config));
	config_destroy(config);
	config = config_file_load_good("[app a]\nexe = x\ngpu = ssh:far\n[app b]\nexe = y\n");
	assert_true(config_names_remote(config));
	config_destroy(config);
	config = config_file_load_good("[gpu]\nalias.a = discrete\n[app a]\nexe = x\ngpu = a\n");
	assert_false(config_names_remote(config));
	config_destroy(config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(malformed_selectors_are_invalid),
	};
	return cmocka_run_group_tests(tests, config_folder_create, config_folder_remove);
}
