/* SPDX-License-Identifier: MIT */
/*
 * Roles of a device whose settings differ in send-events: libinput knows it for the whole device
 * only, so that the events of the disabled roles are dropped here.
 */

#include "backend/input_settings.h"
#include "libinput.h"

static uint32_t mode_of(struct libinput_device *device, int choice)
{
	switch (choice) {
	case INPUT_SEND_ENABLED: return LIBINPUT_CONFIG_SEND_EVENTS_ENABLED;
	case INPUT_SEND_DISABLED: return LIBINPUT_CONFIG_SEND_EVENTS_DISABLED;
	case INPUT_SEND_WITHOUT_MOUSE:
		return LIBINPUT_CONFIG_SEND_EVENTS_DISABLED_ON_EXTERNAL_MOUSE;
	default: return libinput_device_config_send_events_get_default_mode(device);
	}
}

void libinput_roles_update(struct libinput_backend *backend, struct libinput_device *device)
{
	struct libinput_input *role;
	const struct libinput_input *first = NULL;
	bool agree = true;
	wl_list_for_each (role, &backend->inputs, link) {
		if (role->device == device) {
			role->send_events = mode_of(device, role->send_choice);
			first = first ? first : role;
			agree = agree && role->send_events == first->send_events;
		}
	}
	wl_list_for_each (role, &backend->inputs, link) {
		role->filtered = role->device == device ? !agree : role->filtered;
	}
	libinput_device_config_send_events_set_mode(
		device, agree && first ? first->send_events : LIBINPUT_CONFIG_SEND_EVENTS_ENABLED);
}

bool libinput_role_is_main(
	const struct libinput_backend *backend, const struct libinput_input *input)
{
	const struct libinput_input *role;
	wl_list_for_each (role, &backend->inputs, link) {
		if (role->device == input->device && role->base.type != INPUT_KEYBOARD &&
			role->base.type < input->base.type) {
			return false;
		}
	}
	return input->base.type != INPUT_KEYBOARD;
}

static bool has_other_mouse(
	const struct libinput_backend *backend, const struct libinput_device *device)
{
	const struct libinput_input *input;
	wl_list_for_each (input, &backend->inputs, link) {
		if (input->base.type == INPUT_POINTER && input->device != device &&
			!input->base.touch_pad) {
			return true;
		}
	}
	return false;
}

/* Ends of presses and gestures that began before the role was disabled. */
static bool releases(struct libinput_event *event)
{
	switch (libinput_event_get_type(event)) {
	case LIBINPUT_EVENT_KEYBOARD_KEY:
		return libinput_event_keyboard_get_key_state(libinput_event_get_keyboard_event(
			       event)) == LIBINPUT_KEY_STATE_RELEASED;
	case LIBINPUT_EVENT_POINTER_BUTTON:
		return libinput_event_pointer_get_button_state(libinput_event_get_pointer_event(
			       event)) == LIBINPUT_BUTTON_STATE_RELEASED;
	case LIBINPUT_EVENT_TABLET_TOOL_PROXIMITY:
		return libinput_event_tablet_tool_get_proximity_state(
			       libinput_event_get_tablet_tool_event(event)) ==
		       LIBINPUT_TABLET_TOOL_PROXIMITY_STATE_OUT;
	case LIBINPUT_EVENT_TABLET_TOOL_TIP:
		return libinput_event_tablet_tool_get_tip_state(
			       libinput_event_get_tablet_tool_event(event)) ==
		       LIBINPUT_TABLET_TOOL_TIP_UP;
	case LIBINPUT_EVENT_TABLET_TOOL_BUTTON:
		return libinput_event_tablet_tool_get_button_state(
			       libinput_event_get_tablet_tool_event(event)) ==
		       LIBINPUT_BUTTON_STATE_RELEASED;
	case LIBINPUT_EVENT_TOUCH_UP:
	case LIBINPUT_EVENT_TOUCH_CANCEL:
	case LIBINPUT_EVENT_TOUCH_FRAME:
	case LIBINPUT_EVENT_GESTURE_SWIPE_END:
	case LIBINPUT_EVENT_GESTURE_PINCH_END:
	case LIBINPUT_EVENT_GESTURE_HOLD_END: return true;
	default: return false;
	}
}

bool libinput_role_takes(const struct libinput_backend *backend, const struct input_device *device,
	struct libinput_event *event)
{
	const struct libinput_input *input = wl_container_of(device, input, base);
	if (!input->filtered || input->send_events == LIBINPUT_CONFIG_SEND_EVENTS_ENABLED) {
		return true;
	}
	if (input->send_events == LIBINPUT_CONFIG_SEND_EVENTS_DISABLED_ON_EXTERNAL_MOUSE &&
		!has_other_mouse(backend, input->device)) {
		return true;
	}
	return releases(event);
}
