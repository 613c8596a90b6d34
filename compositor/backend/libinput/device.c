/* A device of libinput: which roles it has, and how it is set up. */

#include "libinput.h"
#include "util/log.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <stdlib.h>

static void set_leds(struct input_device *base, uint32_t leds)
{
	struct libinput_input *input = wl_container_of(base, input, base);
	libinput_device_led_update(input->device, (enum libinput_led)leds);
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
	input->base.configure = libinput_input_configure;
	input->base.touch_pad =
		type == INPUT_POINTER && libinput_device_config_tap_get_finger_count(device) > 0;
	if (type == INPUT_KEYBOARD) {
		input->base.set_leds = set_leds;
	}
	wl_list_insert(backend->inputs.prev, &input->link);
	if (backend->started) {
		signal_emit(&backend->base.events.new_input, &input->base);
	}
}

void libinput_inputs_add(struct libinput_backend *backend, struct libinput_device *device)
{
	log_debug(LOG_BACKEND, "input: %s comes", libinput_device_get_name(device));
	add(backend, device, LIBINPUT_DEVICE_CAP_KEYBOARD, INPUT_KEYBOARD);
	add(backend, device, LIBINPUT_DEVICE_CAP_POINTER, INPUT_POINTER);
	add(backend, device, LIBINPUT_DEVICE_CAP_TOUCH, INPUT_TOUCH);
}

void libinput_input_destroy(struct libinput_input *input)
{
	wl_list_remove(&input->link);
	input_device_finish(&input->base);
	libinput_device_unref(input->device);
	free(input);
}

void libinput_inputs_remove(struct libinput_backend *backend, struct libinput_device *device)
{
	log_debug(LOG_BACKEND, "input: %s goes", libinput_device_get_name(device));
	struct libinput_input *input, *next;
	wl_list_for_each_safe (input, next, &backend->inputs, link) {
		if (input->device == device) {
			libinput_input_destroy(input);
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
