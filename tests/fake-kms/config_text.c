/* SPDX-License-Identifier: MIT */
/* Configuration files of tests, replaced and reloaded. */

#include "config_text.h"
#include <stdio.h>

void config_text_write(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

void config_text_reload(struct fixture *fixture, const char *path, const char *text)
{
	char *error = NULL;
	config_text_write(path, text);
	if (!server_reload(fixture->server, &error)) {
		fail_msg("%s", error);
	}
	fixture_pump(fixture);
}
