/* SPDX-License-Identifier: MIT */
/* Names of all actions of keys, buttons and switches. */

#include "config/config.h"

const struct config_action_info *config_actions(void)
{
	static const char *const directions[] = {"left", "right", "up", "down", NULL};
	static const char *const sideways[] = {"left", "right", NULL};
	static const char *const layouts[] = {"floating", "columns", "toggle", NULL};
	static const char *const sizes[] = {"wider", "narrower", "taller", "shorter", NULL};
	static const char *const powers[] = {"on", "off", "toggle", NULL};
	static const char *const shots[] = {"output", "window", "region", NULL};
	static const char *const places[] = {"left", "right", "top", "bottom", "top-left",
		"top-right", "bottom-left", "bottom-right", NULL};
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
		{"focus", "direction", directions},
		{"move", "direction", directions},
		{"swap", "direction", directions},
		{"join", "direction", sideways},
		{"resize", "change", sizes},
		{"width", "percentage"},
		{"tile", "place", places},
		{"toggle-tabbed", NULL},
		{"toggle-floating", NULL},
		{"focus-floating", NULL},
		{"focus-urgent", NULL},
		{"layout", "name of a layout", layouts},
		{"gaps", "gap"},
		{"sticky", NULL},
		{"always-on-top", NULL},
		{"scratchpad", NULL},
		{"move-to-scratchpad", NULL},
		{"kill", NULL},
		{"next-keyboard-layout", NULL},
		{"mode", "name of a mode"},
		{"tile-left", NULL},
		{"tile-right", NULL},
		{"switch-vt", "number"},
		{"toggle-shortcuts", NULL},
		{"help", NULL},
		{"dpms", "state", powers},
		{"screenshot", "part", shots},
		{"overview", NULL},
		{"magnify-in", NULL},
		{"magnify-out", NULL},
		{"magnify-reset", NULL},
		{NULL, NULL},
	};
	return actions;
}
