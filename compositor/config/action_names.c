/* SPDX-License-Identifier: MIT */
/* Names of all actions that keys can be bound to. */

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
