/* SPDX-License-Identifier: MIT */
/* Names of mouse buttons, wheels and touchpad gestures in bindings. */

#include "config/config.h"
#include <linux/input-event-codes.h>
#include <stdio.h>
#include <strings.h>

static const struct {
	const char *name;
	uint32_t button;
} buttons[] = {
	{"MouseLeft", BTN_LEFT},
	{"MouseRight", BTN_RIGHT},
	{"MouseMiddle", BTN_MIDDLE},
	{"MouseSide", BTN_SIDE},
	{"MouseExtra", BTN_EXTRA},
	{"MouseForward", BTN_FORWARD},
	{"MouseBack", BTN_BACK},
};
#define N_BUTTONS (sizeof(buttons) / sizeof(buttons[0]))
/* Values after those of `buttons`: a wheel, and two gestures for each number of fingers. */
#define N_CODES (N_BUTTONS + 4 + (CONFIG_FINGERS_MAX - CONFIG_FINGERS_MIN + 1) * 6)

/* Writes the name of the code at `index`, and returns the code. */
static uint32_t describe(size_t index, char name[static CONFIG_BUTTON_NAME_SIZE])
{
	static const char *const directions[] = {[CONFIG_LEFT] = "Left",
		[CONFIG_RIGHT] = "Right",
		[CONFIG_UP] = "Up",
		[CONFIG_DOWN] = "Down"};
	if (index < N_BUTTONS) {
		snprintf(name, CONFIG_BUTTON_NAME_SIZE, "%s", buttons[index].name);
		return buttons[index].button;
	}
	uint32_t way = (uint32_t)(index - N_BUTTONS);
	if (way < 4) {
		snprintf(name, CONFIG_BUTTON_NAME_SIZE, "MouseWheel%s", directions[way]);
		return CONFIG_WHEEL + way;
	}
	uint32_t fingers = CONFIG_FINGERS_MIN + (way - 4) / 6;
	way = (way - 4) % 6;
	if (way < 4) {
		snprintf(name, CONFIG_BUTTON_NAME_SIZE, "Swipe%u%s", fingers, directions[way]);
		return CONFIG_SWIPE + fingers * 4 + way;
	}
	snprintf(name, CONFIG_BUTTON_NAME_SIZE, "Pinch%u%s", fingers, way == 4 ? "In" : "Out");
	return CONFIG_PINCH + fingers * 4 + way - 4;
}

void config_button_name(uint32_t button, char name[static CONFIG_BUTTON_NAME_SIZE])
{
	for (size_t i = 0; i < N_CODES; i++) {
		if (describe(i, name) == button) {
			return;
		}
	}
	name[0] = '\0';
}

uint32_t config_button_find(const char *text)
{
	char name[CONFIG_BUTTON_NAME_SIZE];
	for (size_t i = 0; i < N_CODES; i++) {
		uint32_t button = describe(i, name);
		if (strcasecmp(name, text) == 0) {
			return button;
		}
	}
	return 0;
}
