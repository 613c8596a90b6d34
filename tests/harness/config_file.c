/* SPDX-License-Identifier: MIT */
/* Configuration files for tests. */

#include "harness/config_file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char config_folder[] = "/tmp/causeway-config-XXXXXX";

int config_folder_create(void **state)
{
	return mkdtemp(config_folder) ? 0 : -1;
}

int config_folder_remove(void **state)
{
	static const char *const names[] = {"a.ini", "b.ini", "c.ini", "sub/d.ini", "sub"};
	char path[128];
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", config_folder, names[i]);
		remove(path);
	}
	return rmdir(config_folder);
}

const char *config_file_write(const char *name, const char *text, size_t length)
{
	static char path[128];
	snprintf(path, sizeof(path), "%s/%s", config_folder, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
	return path;
}

struct config *config_file_load(const char *text, char **error)
{
	*error = NULL;
	return config_load(config_file_write("a.ini", text, strlen(text)), error);
}

struct config *config_file_load_good(const char *text)
{
	char *error;
	struct config *config = config_file_load(text, &error);
	if (!config) {
		fail_msg("the configuration is refused: %s", error);
	}
	return config;
}

const struct config_key *config_file_find_key(
	const struct config *config, uint32_t modifiers, xkb_keysym_t sym)
{
	const struct config_key *key, *found = NULL;
	wl_list_for_each (key, &config->keys, link) {
		if (key->modifiers == modifiers && key->sym == sym && !key->button) {
			assert_null(found); /* each combination occurs once */
			found = key;
		}
	}
	return found;
}

void config_file_expect_key(const struct config *config, uint32_t modifiers, xkb_keysym_t sym,
	const char *action, const char *argument)
{
	const struct config_key *key = config_file_find_key(config, modifiers, sym);
	assert_non_null(key);
	assert_string_equal(key->action, action);
	if (argument) {
		assert_string_equal(key->argument, argument);
	} else {
		assert_null(key->argument);
	}
}
