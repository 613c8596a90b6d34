/* SPDX-License-Identifier: MIT */
/* Reloading the server's configuration from a text. */

#include "harness/client/reload.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool reload_text(struct fixture *fixture, const char *text)
{
	char path[] = "/tmp/causeway-reload-XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	fixture->options.config_path = path;
	char *error = NULL;
	bool done = server_reload(fixture->server, &error);
	fixture->options.config_path = NULL;
	if (error) {
		print_message("%s\n", error);
	}
	free(error);
	unlink(path);
	fixture_pump(fixture);
	return done;
}
