/* SPDX-License-Identifier: MIT */
/* Device settings, applied by libinput; settings that a device lacks are ignored. */

#include "backend/input_settings.h"
#include "libinput.h"
#include "util/log.h"

/** Maps the setting to libinput's value, or to the device's default if it is unset. */
#define PICK(choice, values, fallback) ((choice) ? (int)(values)[(choice)-1] : (int)(fallback))

static bool is_on(int choice, int fallback)
{
	return choice ? choice == INPUT_ON : fallback;
}

static void set_acceleration(struct libinput_device *device, const struct input_settings *settings)
{
	static const enum libinput_config_accel_profile profiles[] = {
		LIBINPUT_CONFIG_ACCEL_PROFILE_FLAT,
		LIBINPUT_CONFIG_ACCEL_PROFILE_ADAPTIVE,
	};
	if (!libinput_device_config_accel_is_available(device)) {
		return;
	}
	libinput_device_config_accel_set_profile(device,
		(enum libinput_config_accel_profile)PICK(settings->options[INPUT_ACCELERATION],
			profiles, libinput_device_config_accel_get_default_profile(device)));
	libinput_device_config_accel_set_speed(device,
		settings->has_speed ? settings->speed
				    : libinput_device_config_accel_get_default_speed(device));
}

static void set_scrolling(struct libinput_device *device, const struct input_settings *settings)
{
	static const enum libinput_config_scroll_method methods[] = {
		LIBINPUT_CONFIG_SCROLL_NO_SCROLL,
		LIBINPUT_CONFIG_SCROLL_2FG,
		LIBINPUT_CONFIG_SCROLL_EDGE,
		LIBINPUT_CONFIG_SCROLL_ON_BUTTON_DOWN,
	};
	if (libinput_device_config_scroll_has_natural_scroll(device)) {
		libinput_device_config_scroll_set_natural_scroll_enabled(device,
			is_on(settings->options[INPUT_NATURAL_SCROLL],
				libinput_device_config_scroll_get_default_natural_scroll_enabled(
					device)));
	}
	uint32_t has = libinput_device_config_scroll_get_methods(device);
	if (has == LIBINPUT_CONFIG_SCROLL_NO_SCROLL) {
		return;
	}
	libinput_device_config_scroll_set_method(device,
		(enum libinput_config_scroll_method)PICK(settings->options[INPUT_SCROLL_METHOD],
			methods, libinput_device_config_scroll_get_default_method(device)));
	if (has & LIBINPUT_CONFIG_SCROLL_ON_BUTTON_DOWN) {
		libinput_device_config_scroll_set_button(
			device, settings->scroll_button
					? settings->scroll_button
					: libinput_device_config_scroll_get_default_button(device));
	}
}

/* Tapping is on by default: libinput has it off, for the sake of old touch pads with buttons. */
static void set_tapping(struct libinput_device *device, const int *options)
{
	static const enum libinput_config_tap_button_map maps[] = {
		LIBINPUT_CONFIG_TAP_MAP_LRM,
		LIBINPUT_CONFIG_TAP_MAP_LMR,
	};
	if (libinput_device_config_tap_get_finger_count(device) == 0) {
		return;
	}
	libinput_device_config_tap_set_enabled(device, is_on(options[INPUT_TAP], true)
							       ? LIBINPUT_CONFIG_TAP_ENABLED
							       : LIBINPUT_CONFIG_TAP_DISABLED);
	libinput_device_config_tap_set_button_map(
		device, (enum libinput_config_tap_button_map)PICK(options[INPUT_TAP_BUTTONS], maps,
				libinput_device_config_tap_get_default_button_map(device)));
	libinput_device_config_tap_set_drag_enabled(
		device, is_on(options[INPUT_DRAG],
				libinput_device_config_tap_get_default_drag_enabled(device))
				? LIBINPUT_CONFIG_DRAG_ENABLED
				: LIBINPUT_CONFIG_DRAG_DISABLED);
	/* Newer libinput versions have two kinds of drag lock. */
	if (options[INPUT_DRAG_LOCK]) {
		libinput_device_config_tap_set_drag_lock_enabled(device,
			options[INPUT_DRAG_LOCK] == INPUT_ON ? LIBINPUT_CONFIG_DRAG_LOCK_ENABLED
							     : LIBINPUT_CONFIG_DRAG_LOCK_DISABLED);
	} else {
		libinput_device_config_tap_set_drag_lock_enabled(
			device, libinput_device_config_tap_get_default_drag_lock_enabled(device));
	}
}

static void set_buttons(struct libinput_device *device, const int *options)
{
	static const enum libinput_config_click_method methods[] = {
		LIBINPUT_CONFIG_CLICK_METHOD_NONE,
		LIBINPUT_CONFIG_CLICK_METHOD_BUTTON_AREAS,
		LIBINPUT_CONFIG_CLICK_METHOD_CLICKFINGER,
	};
	if (libinput_device_config_click_get_methods(device) != LIBINPUT_CONFIG_CLICK_METHOD_NONE) {
		libinput_device_config_click_set_method(device,
			(enum libinput_config_click_method)PICK(options[INPUT_CLICK_METHOD],
				methods, libinput_device_config_click_get_default_method(device)));
	}
	if (libinput_device_config_middle_emulation_is_available(device)) {
		libinput_device_config_middle_emulation_set_enabled(device,
			is_on(options[INPUT_MIDDLE_EMULATION],
				libinput_device_config_middle_emulation_get_default_enabled(device))
				? LIBINPUT_CONFIG_MIDDLE_EMULATION_ENABLED
				: LIBINPUT_CONFIG_MIDDLE_EMULATION_DISABLED);
	}
	if (libinput_device_config_dwt_is_available(device)) {
		libinput_device_config_dwt_set_enabled(
			device, is_on(options[INPUT_DISABLE_WHILE_TYPING],
					libinput_device_config_dwt_get_default_enabled(device))
					? LIBINPUT_CONFIG_DWT_ENABLED
					: LIBINPUT_CONFIG_DWT_DISABLED);
	}
	if (libinput_device_config_left_handed_is_available(device)) {
		libinput_device_config_left_handed_set(
			device, is_on(options[INPUT_LEFT_HANDED],
					libinput_device_config_left_handed_get_default(device)));
	}
}

static void set_calibration(struct libinput_device *device, const struct input_settings *settings)
{
	float matrix[6];
	if (!libinput_device_config_calibration_has_matrix(device)) {
		return;
	}
	if (settings->has_calibration) {
		for (int i = 0; i < 6; i++) {
			matrix[i] = (float)settings->calibration[i];
		}
	} else {
		libinput_device_config_calibration_get_default_matrix(device, matrix);
	}
	libinput_device_config_calibration_set_matrix(device, matrix);
}

void libinput_input_configure(struct input_device *base, const struct input_settings *settings)
{
	struct libinput_input *input = wl_container_of(base, input, base);
	struct libinput_device *device = input->device;
	log_debug(
		LOG_BACKEND, "input: configured %s (%s)", base->name, input_device_type_name(base));
	input->send_choice = settings->options[INPUT_SEND_EVENTS];
	if (!device) {
		return; /* applied when the session is active again */
	}
	libinput_roles_update(input->backend, device);
	if (base->type == INPUT_POINTER) {
		set_acceleration(device, settings);
		set_scrolling(device, settings);
		set_tapping(device, settings->options);
	}
	if (libinput_role_is_main(input->backend, input)) {
		set_buttons(device, settings->options);
		set_calibration(device, settings);
	}
}
