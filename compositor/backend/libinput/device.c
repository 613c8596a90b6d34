/* SPDX-License-Identifier: MIT */
/* libinput devices: their roles and properties. */

#include "libinput.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <stdlib.h>

static void set_leds(struct input_device *base, uint32_t leds)
{
	struct libinput_input *input = wl_container_of(base, input, base);
	libinput_device_led_update(input->device, (enum libinput_led)leds);
}

/* Reads the bus type of the kernel device above the event node. */
static uint32_t bus_of(struct udev_device *node)
{
	struct udev_device *parent = udev_device_get_parent(node);
	const char *bus = parent ? udev_device_get_sysattr_value(parent, "id/bustype") : NULL;
	return bus ? (uint32_t)strtoul(bus, NULL, 16) : 0;
}

static void identify(struct input_device *base, struct libinput_device *device)
{
	base->vendor = libinput_device_get_id_vendor(device);
	base->product = libinput_device_get_id_product(device);
	base->group = libinput_device_get_device_group(device);
	base->names_output = libinput_device_get_output_name(device);
	struct udev_device *node = libinput_device_get_udev_device(device);
	if (node) {
		base->path = xstrdup(udev_device_get_devnode(node));
		base->bus = bus_of(node);
		udev_device_unref(node);
	}
}

static void add(struct libinput_backend *backend, struct libinput_device *device,
	enum libinput_device_capability capability, enum input_type type)
{
	if (!libinput_device_has_capability(device, capability)) {
		return;
	}
	struct libinput_input *input = xcalloc(1, sizeof(*input));
	input_device_init(&input->base, type, libinput_device_get_name(device));
	input->device = libinput_device_ref(device);
	identify(&input->base, device);
	input->base.configure = libinput_input_configure;
	input->base.touch_pad =
		type == INPUT_POINTER && libinput_device_config_tap_get_finger_count(device) > 0;
	if (type == INPUT_KEYBOARD) {
		input->base.set_leds = set_leds;
	}
	if (type == INPUT_SWITCH) {
		libinput_switch_begin(backend, input);
	}
	if (type == INPUT_PAD) {
		input->base.pad = libinput_pad_create(device);
	}
	input->backend = backend;
	input->fresh = true;
	wl_list_insert(backend->inputs.prev, &input->link);
	if (backend->started) {
		signal_emit(&backend->base.events.new_input, &input->base);
	}
}

void libinput_inputs_add(struct libinput_backend *backend, struct libinput_device *device)
{
	log_debug(LOG_BACKEND, "input: %s added", libinput_device_get_name(device));
	add(backend, device, LIBINPUT_DEVICE_CAP_KEYBOARD, INPUT_KEYBOARD);
	add(backend, device, LIBINPUT_DEVICE_CAP_POINTER, INPUT_POINTER);
	add(backend, device, LIBINPUT_DEVICE_CAP_TOUCH, INPUT_TOUCH);
	add(backend, device, LIBINPUT_DEVICE_CAP_TABLET_TOOL, INPUT_TABLET);
	add(backend, device, LIBINPUT_DEVICE_CAP_TABLET_PAD, INPUT_PAD);
	if (libinput_switch_adopt(backend, device)) {
		libinput_roles_update(backend, device);
	} else {
		add(backend, device, LIBINPUT_DEVICE_CAP_SWITCH, INPUT_SWITCH);
	}
}

void libinput_input_destroy(struct libinput_backend *backend, struct libinput_input *input)
{
	wl_list_remove(&input->link);
	if (input->base.type == INPUT_TABLET) {
		libinput_tools_forget(backend, input->device);
	}
	input_device_finish(&input->base);
	free(input->base.pad);
	if (input->device) {
		libinput_device_unref(input->device);
	}
	free(input);
}

void libinput_inputs_remove(struct libinput_backend *backend, struct libinput_device *device)
{
	log_debug(LOG_BACKEND, "input: %s removed", libinput_device_get_name(device));
	struct libinput_input *input, *next;
	wl_list_for_each_safe (input, next, &backend->inputs, link) {
		if (input->device == device && !libinput_switch_park(backend, input)) {
			libinput_input_destroy(backend, input);
		}
	}
}

void libinput_inputs_resume(struct libinput_backend *backend)
{
	struct libinput_input *input, *next;
	wl_list_for_each_safe (input, next, &backend->inputs, link) {
		if (input->base.type == INPUT_SWITCH && input->device) {
			libinput_switch_resume(backend, input);
		} else if (input->base.type == INPUT_SWITCH) {
			libinput_input_destroy(backend, input); /* removed while inactive */
		}
	}
}

struct input_device *libinput_input_find(
	struct libinput_backend *backend, struct libinput_device *device, enum input_type type)
{
	struct libinput_input *input;
	wl_list_for_each (input, &backend->inputs, link) {
		if (input->device == device && input->base.type == type) {
			return &input->base;
		}
	}
	return NULL;
}
