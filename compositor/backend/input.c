/* SPDX-License-Identifier: MIT */
/* Common part of all input devices. */

#include "backend/input.h"
#include "backend/input_settings.h"
#include "util/xalloc.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

void input_device_init(struct input_device *device, enum input_type type, const char *name)
{
	*device = (struct input_device){.type = type, .name = xstrdup(name)};
	signals_init(&device->events, sizeof(device->events));
}

void input_device_finish(struct input_device *device)
{
	signal_emit(&device->events.destroy, device);
	assert(signals_are_unused(&device->events, sizeof(device->events)));
	free(device->output);
	free(device->path);
	free(device->name);
}

void input_device_set_output(struct input_device *device, const char *output)
{
	free(device->output);
	device->output = xstrdup(output);
}

const char *input_device_type_name(const struct input_device *device)
{
	static const char *const names[] = {
		[INPUT_KEYBOARD] = "keyboard",
		[INPUT_POINTER] = "pointer",
		[INPUT_TOUCH] = "touch",
		[INPUT_TABLET] = "tablet",
		[INPUT_PAD] = "pad",
		[INPUT_SWITCH] = "switch",
	};
	return device->touch_pad ? "touchpad" : names[device->type];
}

void input_device_configure(struct input_device *device, const struct input_settings *settings)
{
	input_device_set_output(device, settings->output);
	if (device->configure) {
		device->configure(device, settings);
	}
}

void input_settings_merge(struct input_settings *settings, const struct input_settings *over)
{
	for (int i = 0; i < INPUT_N_OPTIONS; i++) {
		if (over->options[i]) {
			settings->options[i] = over->options[i];
		}
	}
	if (over->has_speed) {
		settings->has_speed = true;
		settings->speed = over->speed;
	}
	if (over->has_calibration) {
		settings->has_calibration = true;
		memcpy(settings->calibration, over->calibration, sizeof(over->calibration));
	}
	if (over->scroll_button) {
		settings->scroll_button = over->scroll_button;
	}
	if (over->output) {
		settings->output = over->output;
	}
}
