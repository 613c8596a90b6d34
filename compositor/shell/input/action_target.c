/* SPDX-License-Identifier: MIT */
/* Targets of actions: the workspace, output, mode or window that an action needs. */

#include "action.h"
#include "config/action.h"
#include "shell/geometry/facts.h"
#include "shell/shell.h"
#include "shell/windows/workspaces.h"
#include "util/strings.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

static char *check_workspace(struct shell *shell, const char *name)
{
	if (workspace_is_possible(shell, name)) {
		return NULL;
	}
	if (workspace_number(name) > shell->config->look.workspaces) {
		return xasprintf(
			"there is no workspace %s; the highest one is %d ([look] workspaces)", name,
			shell->config->look.workspaces);
	}
	return xasprintf("there can be no workspace '%s': names have 1 to %d bytes, and at most %d "
			 "workspaces exist",
		name, WORKSPACE_NAME_MAX, WORKSPACES_MAX);
}

static char *check_output(struct shell *shell, const char *name)
{
	if (shell_knows_output(shell, name)) {
		return NULL;
	}
	const char *names[SCENE_OUTPUTS_MAX + 1] = {NULL};
	int n = 0;
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		if (shell->scene->outputs[i]) {
			names[n++] = shell->scene->outputs[i]->output->name;
		}
	}
	char *list = strings_join(names, ", ", " and ");
	char *error =
		xasprintf("there is no output '%s'; outputs are %s, and left, right, up and down",
			name, n > 0 ? list : "missing");
	free(list);
	return error;
}

static char *check_mode(struct shell *shell, const char *name)
{
	return config_has_mode(shell->config, name)
		       ? NULL
		       : xasprintf("there is no [mode %s] with bindings", name);
}

static char *check_screenshot(struct shell *shell, const char *part)
{
	return strcmp(part, "window") == 0 && !shell->focus ? xstrdup("no window has the focus")
							    : NULL;
}

/* Returns NULL, or an error that the caller frees. */
static char *check_argument(struct shell *shell, enum config_argument kind, const char *argument)
{
	switch (kind) {
	case CONFIG_ARGUMENT_MODE: return check_mode(shell, argument);
	case CONFIG_ARGUMENT_OUTPUT: return check_output(shell, argument);
	case CONFIG_ARGUMENT_PART: return check_screenshot(shell, argument);
	case CONFIG_ARGUMENT_WORKSPACE: return check_workspace(shell, argument);
	default: return NULL;
	}
}

char *shell_check_target(struct shell *shell, const char *action, const char *argument)
{
	char *error = check_argument(shell, config_action_find(action)->argument, argument);
	return !error && window_has_action(action) && !action_window(shell)
		       ? xasprintf("there is no window for the action %s", action)
		       : error;
}
