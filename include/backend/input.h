#pragma once

/**
 * Input devices as backends deliver them. Positions are 0..1 of the output or area that the device
 * maps to; relative motion is in logical pixels; times are ns of CLOCK_MONOTONIC.
 */

#include <stdbool.h>
#include <stdint.h>
#include <wayland-server-core.h>
#include <wayland-server-protocol.h>

struct input_pad;
struct input_settings;

enum input_type {
	INPUT_KEYBOARD,
	INPUT_POINTER,
	INPUT_TOUCH,
	INPUT_TABLET,
	INPUT_PAD, /* of a tablet: buttons and what turns */
	INPUT_SWITCH, /* of the machine itself */
};

struct input_key_event {
	int64_t time;
	uint32_t key; /* evdev code */
	bool pressed;
};

/** A keyboard may bring its own keymap or say its modifiers outright (virtual keyboards). */
struct input_keymap_event {
	const char *keymap; /* xkb text, NUL-terminated */
	bool refused; /* set by who listens: it is unusable, what was before stays */
};

struct input_modifiers_event {
	uint32_t depressed, latched, locked, group;
};

struct input_motion_event {
	int64_t time;
	double dx, dy;
	double dx_unaccel, dy_unaccel;
};

struct input_motion_absolute_event {
	int64_t time;
	double x, y; /* 0..1 */
	const char *output; /* name of the output it maps to; NULL: the whole layout */
	/** The device's own way, where known: it may have moved though the position could not. */
	bool has_relative;
	double dx, dy;
	double dx_unaccel, dy_unaccel;
};

struct input_button_event {
	int64_t time;
	uint32_t button; /* evdev code */
	bool pressed;
};

struct input_axis_event {
	int64_t time;
	enum wl_pointer_axis axis;
	enum wl_pointer_axis_source source;
	bool has_source;
	enum wl_pointer_axis_relative_direction direction;
	double value; /* logical pixels; 0: stop */
	int32_t value120; /* 1/120 of a detent; 0: not a wheel */
};

struct input_touch_event {
	int64_t time;
	int32_t id;
	double x, y; /* 0..1; down and motion */
	const char *output;
};

enum input_gesture {
	INPUT_SWIPE,
	INPUT_PINCH,
	INPUT_HOLD, /* fingers that rest */
};

enum input_phase {
	INPUT_BEGIN,
	INPUT_UPDATE, /* not of INPUT_HOLD */
	INPUT_END,
};

/** Several fingers on a touch pad. A device does one gesture at a time. */
struct input_gesture_event {
	int64_t time;
	enum input_gesture gesture;
	enum input_phase phase;
	uint32_t fingers; /* INPUT_BEGIN */
	double dx, dy; /* INPUT_UPDATE: of their middle, since the event before */
	double scale; /* INPUT_UPDATE of INPUT_PINCH: their distance, 1 when it began */
	double rotation; /* likewise: degrees clockwise since the event before */
	bool cancelled; /* INPUT_END: it was none */
};

enum input_switch_kind {
	INPUT_SWITCH_LID, /* on: closed */
	INPUT_SWITCH_TABLET_MODE, /* on: the keyboard is folded away */
};

struct input_switch_event {
	int64_t time;
	enum input_switch_kind kind;
	bool on;
};

struct input_device {
	enum input_type type;
	char *name;
	/** Keyboards: bits as in libinput's enum libinput_led, set through set_leds. */
	uint32_t leds;
	void (*set_leds)(struct input_device *device, uint32_t leds); /* may be NULL */
	bool touch_pad; /* a pointer that fingers move */
	struct input_pad *pad; /* of INPUT_PAD; its backend's */
	/** What it is, where that is known: 0 and NULL otherwise. */
	uint32_t vendor, product, bus; /* bus: as in linux/input.h */
	char *path; /* of its node */
	const void *group; /* the same for devices that are one thing; NULL: alone */
	/** Who plays it, of a client's; NULL: it is real. What is down on a played one, is on it alone. */
	const void *player;
	bool names_output; /* its events do */
	char *output; /* that its positions are on all the same; NULL: as its events say */
	/** NULL: it has nothing that can be set. */
	void (*configure)(struct input_device *device, const struct input_settings *settings);
	struct {
		struct wl_signal key; /* input_key_event */
		struct wl_signal keymap; /* input_keymap_event */
		struct wl_signal modifiers; /* input_modifiers_event */
		struct wl_signal motion; /* input_motion_event */
		struct wl_signal motion_absolute; /* input_motion_absolute_event */
		struct wl_signal button; /* input_button_event */
		struct wl_signal axis; /* input_axis_event */
		struct wl_signal frame; /* NULL: end of a group of pointer events */
		struct wl_signal touch_down; /* input_touch_event */
		struct wl_signal touch_motion; /* input_touch_event */
		struct wl_signal touch_up; /* input_touch_event */
		struct wl_signal touch_cancel; /* input_touch_event */
		struct wl_signal touch_frame; /* NULL */
		struct wl_signal gesture; /* input_gesture_event; of pointers */
		struct wl_signal tool; /* input_tool_event; of tablets */
		struct wl_signal pad; /* input_pad_event; of pads */
		struct wl_signal toggle; /* input_switch_event; of switches, first as they stand */
		struct wl_signal destroy;
	} events;
};

void input_device_init(struct input_device *device, enum input_type type, const char *name);
void input_device_finish(struct input_device *device);
/** As the configuration has it: "keyboard", "pointer", "touchpad" and so on. */
const char *input_device_type_name(const struct input_device *device);
/** Behaves like this from now on; what is not chosen goes back to the device's default. */
void input_device_configure(struct input_device *device, const struct input_settings *settings);
/** NULL: as its events say. */
void input_device_set_output(struct input_device *device, const char *output);
