/* The names of all actions that keys can be bound to. */

#include "shell/shell.h"

const struct shell_action_info *shell_actions(void)
{
	static const struct shell_action_info actions[] = {
		{"spawn", "command"},
		{"close", NULL},
		{"quit", NULL},
		{"reload", NULL},
		{"fullscreen", NULL},
		{"maximize", NULL},
		{"minimize", NULL},
		{"restore", NULL},
		{"cycle", NULL},
		{"cycle-back", NULL},
		{"workspace", "number"},
		{"move-to-workspace", "number"},
		{"tile-left", NULL},
		{"tile-right", NULL},
		{"switch-vt", "number"},
		{"toggle-shortcuts", NULL},
		{NULL, NULL},
	};
	return actions;
}
