/* SPDX-License-Identifier: MIT */
#pragma once

/** Settings of input devices, as a value: each one is set or left at the device's default. */

#include <stdbool.h>
#include <stdint.h>

/** Each option is 0 for the device's default, else a value of the enum named beside it. */
enum input_option {
	INPUT_SEND_EVENTS, /* enum input_send_events */
	INPUT_ACCELERATION, /* enum input_acceleration */
	INPUT_SCROLL_METHOD, /* enum input_scroll_method */
	INPUT_CLICK_METHOD, /* enum input_click_method */
	INPUT_TAP_BUTTONS, /* enum input_tap_buttons */
	/** The following are enum input_switch. */
	INPUT_TAP,
	INPUT_DRAG,
	INPUT_DRAG_LOCK,
	INPUT_NATURAL_SCROLL,
	INPUT_LEFT_HANDED,
	INPUT_MIDDLE_EMULATION,
	INPUT_DISABLE_WHILE_TYPING,
	INPUT_N_OPTIONS,
};

enum input_switch {
	INPUT_OFF = 1,
	INPUT_ON,
};

enum input_send_events {
	INPUT_SEND_ENABLED = 1,
	INPUT_SEND_DISABLED,
	INPUT_SEND_WITHOUT_MOUSE, /* disabled while a mouse is plugged in */
};

enum input_acceleration {
	INPUT_ACCELERATION_FLAT = 1,
	INPUT_ACCELERATION_ADAPTIVE,
};

enum input_scroll_method {
	INPUT_SCROLL_NONE = 1,
	INPUT_SCROLL_TWO_FINGER,
	INPUT_SCROLL_EDGE,
	INPUT_SCROLL_BUTTON, /* moving while the button is held */
};

enum input_click_method {
	INPUT_CLICK_NONE = 1,
	INPUT_CLICK_AREAS, /* the button depends on the area pressed */
	INPUT_CLICK_FINGERS, /* the button depends on the number of fingers */
};

/** Buttons of taps with one, two and three fingers. */
enum input_tap_buttons {
	INPUT_TAP_LRM = 1,
	INPUT_TAP_LMR,
};

struct input_settings {
	int options[INPUT_N_OPTIONS];
	bool has_speed, has_calibration;
	double speed; /* -1 to 1 */
	double calibration[6]; /* for positions of 0..1: the first two rows of the matrix */
	uint32_t scroll_button; /* evdev code; 0: the device's default */
	char *output; /* output for positions; NULL: named by the device, else the whole layout */
};

/**
 * Overrides `settings` with the options set in `over`. Strings are not copied and keep their
 * owners.
 */
void input_settings_merge(struct input_settings *settings, const struct input_settings *over);
