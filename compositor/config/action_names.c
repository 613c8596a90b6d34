/* SPDX-License-Identifier: MIT */
/* Names of all actions of keys, buttons and switches. */

#include "config/config.h"

const struct config_action_info *config_actions(void)
{
	static const struct config_action_info actions[] = {
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
		{"workspace", "name"},
		{"workspace-next", NULL},
		{"workspace-previous", NULL},
		{"workspace-back", NULL},
		{"workspace-to-output", "direction or name"},
		{"move-to-workspace", "name"},
		{"follow-to-workspace", "name"},
		{"focus-output", "direction or name"},
		{"move-to-output", "direction or name"},
		{"sticky", NULL},
		{"tile-left", NULL},
		{"tile-right", NULL},
		{"switch-vt", "number"},
		{"toggle-shortcuts", NULL},
		{"help", NULL},
		{NULL, NULL},
	};
	return actions;
}
