/* SPDX-License-Identifier: MIT */
/* Programs that the user starts. */

#include "action.h"
#include "input.h"
#include "shell/shell.h"
#include "util/log.h"
#include <stdlib.h>

/* A shell, so that quotes and variables work. */
void shell_spawn(struct shell *shell, const char *command)
{
	const char *const argv[] = {"/bin/sh", "-c", command, NULL};
	char *error = NULL;
	if (!shell->host->spawn(shell->host->data, argv, &error)) {
		log_warn("cannot start '%s': %s", command, error ? error : "unknown error");
	}
	free(error);
}

void action_spawn(struct shell *shell, const char *command)
{
	shell_spawn(shell, command);
	missing_check(shell, command);
}
