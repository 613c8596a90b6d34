#pragma once

/** How an input device shall behave, as a value: what people can choose, and what they did not. */

#include <stdbool.h>
#include <stdint.h>

/** Each has 0 for the device's own default, else one of the values that are named with it. */
enum input_option {
	INPUT_SEND_EVENTS, /* enum input_send_events */
	INPUT_ACCELERATION, /* enum input_acceleration */
	INPUT_SCROLL_METHOD, /* enum input_scroll_method */
	INPUT_CLICK_METHOD, /* enum input_click_method */
	INPUT_TAP_BUTTONS, /* enum input_tap_buttons */
	/** These are enum input_switch. */
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
	INPUT_SEND_WITHOUT_MOUSE, /* only while no mouse is plugged in */
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
	INPUT_CLICK_AREAS, /* which button is a matter of place */
	INPUT_CLICK_FINGERS, /* of the number of fingers */
};

/** What taps of one, two and three fingers are. */
enum input_tap_buttons {
	INPUT_TAP_LRM = 1,
	INPUT_TAP_LMR,
};

struct input_settings {
	int options[INPUT_N_OPTIONS];
	bool has_speed, has_calibration;
	double speed; /* -1 to 1 */
	double calibration[6]; /* of positions of 0..1: the first two rows of the matrix */
	uint32_t scroll_button; /* evdev code; 0: the device's default */
	char *output; /* that positions are on; NULL: as the device says, else all of them */
};

/** What `over` chooses takes the place of what `settings` says; neither string changes hands. */
void input_settings_merge(struct input_settings *settings, const struct input_settings *over);
