/* SPDX-License-Identifier: MIT */
/* Power supplies, read from folders with the layout of /sys/class/power_supply. */

#include "server/power.h"
#include "harness/unit.h"
#include "util/xalloc.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/** The files of a power supply; NULL: the file is missing. */
struct supply {
	const char *type, *scope, *status, *online;
};

static void write_file(const char *folder, const char *name, const char *text)
{
	if (!text) {
		return;
	}
	char *path = xasprintf("%s/%s", folder, name);
	FILE *file = fopen(path, "we");
	assert_non_null(file);
	fprintf(file, "%s\n", text);
	fclose(file);
	free(path);
}

static void on_battery_if_the_system_battery_discharges_without_mains(void **state)
{
	static const struct {
		const char *what;
		struct supply supplies[3];
		bool on_battery;
	} table[] = {
		{"nothing", {{0}}, false},
		{"a desktop", {{"Mains", NULL, NULL, "1"}}, false},
		{"a laptop on mains",
			{{"Mains", NULL, NULL, "1"}, {"Battery", NULL, "Charging", NULL}}, false},
		{"a laptop on battery",
			{{"Mains", NULL, NULL, "0"}, {"Battery", NULL, "Discharging", NULL}}, true},
		{"a charger that is too weak",
			{{"USB", NULL, NULL, "1"}, {"Battery", NULL, "Discharging", NULL}}, false},
		{"full", {{"Mains", NULL, NULL, "0"}, {"Battery", NULL, "Full", NULL}}, false},
		{"a mouse's battery", {{"Battery", "Device", "Discharging", NULL}}, false},
		{"the system's battery", {{"Battery", "System", "Discharging", NULL}}, true},
		{"two batteries",
			{{"Battery", NULL, "Unknown", NULL}, {"Battery", NULL, "Discharging", NULL},
				{"Mains", NULL, NULL, "0"}},
			true},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		char folder[] = "/tmp/causeway-power-XXXXXX";
		assert_non_null(mkdtemp(folder));
		for (int j = 0; j < 3 && table[i].supplies[j].type; j++) {
			const struct supply *supply = &table[i].supplies[j];
			char *path = xasprintf("%s/%d", folder, j);
			assert_int_equal(mkdir(path, 0700), 0);
			write_file(path, "type", supply->type);
			write_file(path, "scope", supply->scope);
			write_file(path, "status", supply->status);
			write_file(path, "online", supply->online);
			free(path);
		}
		if (power_read(folder) != table[i].on_battery) {
			fail_msg("%s: reported as %s", table[i].what,
				table[i].on_battery ? "mains" : "battery");
		}
		char *command = xasprintf("rm -r %s", folder);
		assert_int_equal(system(command), 0);
		free(command);
	}
	assert_false(power_read("/nowhere"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_battery_if_the_system_battery_discharges_without_mains)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
