/* SPDX-License-Identifier: MIT */
#pragma once

/** Graphics tablets: tools, and pads with buttons, rings, strips and dials. */

#include "util/signal.h"
#include <stdbool.h>
#include <stdint.h>

enum input_tool_axis {
	INPUT_TILT = 1 << 0,
	INPUT_PRESSURE = 1 << 1,
	INPUT_DISTANCE = 1 << 2,
	INPUT_ROTATION = 1 << 3,
	INPUT_SLIDER = 1 << 4,
	INPUT_WHEEL = 1 << 5,
};

/** A tool, such as a pen. It may be used on several tablets. */
struct input_tool {
	uint32_t type; /* evdev code, BTN_TOOL_PEN to BTN_TOOL_LENS */
	uint64_t serial, hardware_id; /* 0: unknown */
	uint32_t axes; /* supported axes, by enum input_tool_axis */
	struct {
		struct wl_signal destroy;
	} events;
};

enum input_tool_action {
	INPUT_TOOL_IN, /* in proximity of the tablet */
	INPUT_TOOL_OUT, /* out of proximity; the tip and all buttons were released before */
	INPUT_TOOL_AXIS,
	INPUT_TOOL_DOWN, /* the tip touches the tablet */
	INPUT_TOOL_UP,
	INPUT_TOOL_BUTTON,
};

struct input_tool_event {
	int64_t time;
	struct input_tool *tool;
	enum input_tool_action action;
	double x, y; /* 0..1 */
	uint32_t changed; /* changed values below, by enum input_tool_axis */
	double tilt_x, tilt_y; /* degrees from upright */
	double pressure, distance; /* 0..1 */
	double rotation; /* degrees clockwise */
	double slider; /* -1..1 */
	double wheel; /* degrees since the previous event */
	int32_t wheel_clicks;
	uint32_t button; /* evdev code; INPUT_TOOL_BUTTON */
	bool pressed;
};

#define INPUT_PAD_GROUPS_MAX 8

/** A group of controls with a common mode: bits by number. */
struct input_pad_group {
	uint64_t buttons;
	uint32_t rings, strips, dials;
	uint32_t n_modes, mode; /* mode: the current one */
};

struct input_pad {
	uint32_t n_buttons; /* at most 64 */
	uint32_t n_rings, n_strips, n_dials; /* at most 32 each */
	int n_groups; /* at least 1 */
	struct input_pad_group groups[INPUT_PAD_GROUPS_MAX];
};

enum input_pad_part {
	INPUT_PAD_BUTTON,
	INPUT_PAD_RING,
	INPUT_PAD_STRIP,
	INPUT_PAD_DIAL,
};

struct input_pad_event {
	int64_t time;
	enum input_pad_part part;
	uint32_t number;
	bool pressed; /* buttons */
	bool finger; /* rings and strips: the source is known to be a finger */
	double position; /* rings: degrees clockwise of north; strips: 0..1; below 0: released */
	int32_t value120; /* dials: 1/120 of a detent */
	int group; /* index of its group */
	uint32_t mode; /* mode of the group from this event on */
};
