/* SPDX-License-Identifier: MIT */
/* User input through devices of a test's server. */

#include "harness/hand.h"
#include "util/signal.h"
#include <linux/input-event-codes.h>

static void end_frame(struct fixture *fixture, struct input_device *pointer)
{
	signal_emit(&pointer->events.frame, NULL);
	fixture_pump(fixture);
}

void hand_point(struct fixture *fixture, struct input_device *pointer, double x, double y)
{
	const struct server_output_option *output = &fixture->outputs[0];
	struct input_motion_absolute_event event = {
		.x = x / output->width, .y = y / output->height};
	signal_emit(&pointer->events.motion_absolute, &event);
	end_frame(fixture, pointer);
}

void hand_press(struct fixture *fixture, struct input_device *pointer, bool pressed)
{
	struct input_button_event event = {.button = BTN_LEFT, .pressed = pressed};
	signal_emit(&pointer->events.button, &event);
	end_frame(fixture, pointer);
}

void hand_key(struct fixture *fixture, struct input_device *keyboard, uint32_t code, bool pressed)
{
	struct input_key_event event = {.key = code, .pressed = pressed};
	signal_emit(&keyboard->events.key, &event);
	fixture_pump(fixture);
}
