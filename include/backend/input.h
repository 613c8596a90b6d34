/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Input devices of backends. Positions are 0..1 of the output or area that the device maps to;
 * relative motion is in logical pixels; times are ns of CLOCK_MONOTONIC.
 */

#include "util/signal.h"
#include <stdbool.h>
#include <stdint.h>
#include <wayland-server-protocol.h>

struct input_pad;
struct input_settings;

enum input_type {
	INPUT_KEYBOARD,
	INPUT_POINTER,
	INPUT_TOUCH,
	INPUT_TABLET,
	INPUT_PAD, /* a tablet's buttons, rings, strips and dials */
	INPUT_SWITCH, /* of the machine: lid, tablet mode */
};

struct input_key_event {
	int64_t time;
	uint32_t key; /* evdev code */
	bool pressed;
};

/** Keymap or modifiers of a virtual keyboard, which sends them itself. */
struct input_keymap_event {
	const char *keymap; /* xkb text, NUL-terminated */
	bool refused; /* set by the listener if the keymap is invalid: the previous one stays */
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
	/**
	 * Relative motion, if the device reports it: it may move while the position is at an edge.
	 */
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
	INPUT_HOLD, /* motionless fingers */
};

enum input_phase {
	INPUT_BEGIN,
	INPUT_UPDATE, /* not for INPUT_HOLD */
	INPUT_END,
};

/** A multi-finger gesture on a touch pad. A device does one gesture at a time. */
struct input_gesture_event {
	int64_t time;
	enum input_gesture gesture;
	enum input_phase phase;
	uint32_t fingers; /* INPUT_BEGIN */
	double dx, dy; /* INPUT_UPDATE: motion of their centre since the previous event */
	double scale; /* INPUT_PINCH updates: finger distance, relative to the begin */
	double rotation; /* INPUT_PINCH updates: degrees clockwise since the previous event */
	bool cancelled; /* INPUT_END: the gesture was aborted */
};

enum input_switch_kind {
	INPUT_SWITCH_LID, /* on: closed */
	INPUT_SWITCH_TABLET_MODE, /* on: the keyboard is folded away */
};

struct input_switch_event {
	int64_t time;
	enum input_switch_kind kind;
	bool on;
	bool initial; /* of a new device: not thrown now */
};

struct input_device {
	enum input_type type;
	char *name;
	/** Keyboard LEDs, set with set_leds: bits of libinput's enum libinput_led. */
	uint32_t leds;
	void (*set_leds)(struct input_device *device, uint32_t leds); /* may be NULL */
	bool touch_pad; /* a pointer device that is a touch pad */
	struct input_pad *pad; /* of INPUT_PAD; owned by the backend */
	/** Identity of the hardware; 0 or NULL if unknown. */
	uint32_t vendor, product, bus; /* bus: as in linux/input.h */
	char *path; /* of its device node */
	const void *group; /* equal for the devices of one piece of hardware; NULL: not grouped */
	/**
	 * The client of a virtual device; NULL: a physical device. Pressed keys of virtual devices
	 * are not merged with those of others.
	 */
	const void *client;
	bool names_output; /* its events name their output */
	bool logical; /* its positions turn with an output's transform; else they are the panel's */
	char *output; /* configured output for its positions; NULL: as the events say */
	/** NULL: the device has no settings. */
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
		struct wl_signal
			toggle; /* input_switch_event; of switches, which are off at first */
		struct wl_signal destroy;
	} events;
};

void input_device_init(struct input_device *device, enum input_type type, const char *name);
void input_device_finish(struct input_device *device);
/** Returns the type as named in the configuration: "keyboard", "pointer", "touchpad" and so on. */
const char *input_device_type_name(const struct input_device *device);
/** Applies the settings; unset ones return to the device's defaults. */
void input_device_configure(struct input_device *device, const struct input_settings *settings);
/** Sets the output for positions; NULL: as the events say. */
void input_device_set_output(struct input_device *device, const char *output);
