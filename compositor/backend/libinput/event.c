/* SPDX-License-Identifier: MIT */
/* libinput events, translated to events of backend/input.h. */

#include "libinput.h"

static int64_t ns(uint64_t us)
{
	return (int64_t)us * 1000;
}

static void handle_key(struct input_device *device, struct libinput_event *event)
{
	struct libinput_event_keyboard *key = libinput_event_get_keyboard_event(event);
	struct input_key_event out = {
		.time = ns(libinput_event_keyboard_get_time_usec(key)),
		.key = libinput_event_keyboard_get_key(key),
		.pressed = libinput_event_keyboard_get_key_state(key) == LIBINPUT_KEY_STATE_PRESSED,
	};
	signal_emit(&device->events.key, &out);
}

static void handle_motion(struct input_device *device, struct libinput_event_pointer *pointer)
{
	struct input_motion_event out = {
		.time = ns(libinput_event_pointer_get_time_usec(pointer)),
		.dx = libinput_event_pointer_get_dx(pointer),
		.dy = libinput_event_pointer_get_dy(pointer),
		.dx_unaccel = libinput_event_pointer_get_dx_unaccelerated(pointer),
		.dy_unaccel = libinput_event_pointer_get_dy_unaccelerated(pointer),
	};
	signal_emit(&device->events.motion, &out);
}

static void handle_motion_absolute(struct input_device *device,
	struct libinput_event_pointer *pointer, struct libinput_device *source)
{
	struct input_motion_absolute_event out = {
		.time = ns(libinput_event_pointer_get_time_usec(pointer)),
		.x = libinput_event_pointer_get_absolute_x_transformed(pointer, 1),
		.y = libinput_event_pointer_get_absolute_y_transformed(pointer, 1),
		.output = libinput_device_get_output_name(source),
	};
	signal_emit(&device->events.motion_absolute, &out);
}

static void handle_button(struct input_device *device, struct libinput_event_pointer *pointer)
{
	struct input_button_event out = {
		.time = ns(libinput_event_pointer_get_time_usec(pointer)),
		.button = libinput_event_pointer_get_button(pointer),
		.pressed = libinput_event_pointer_get_button_state(pointer) ==
			   LIBINPUT_BUTTON_STATE_PRESSED,
	};
	signal_emit(&device->events.button, &out);
}

static void handle_axis(struct input_device *device, struct libinput_event *event,
	enum libinput_pointer_axis axis, enum wl_pointer_axis_source source)
{
	struct libinput_event_pointer *pointer = libinput_event_get_pointer_event(event);
	if (!libinput_event_pointer_has_axis(pointer, axis)) {
		return;
	}
	bool natural = libinput_device_config_scroll_get_natural_scroll_enabled(
		libinput_event_get_device(event));
	struct input_axis_event out = {
		.time = ns(libinput_event_pointer_get_time_usec(pointer)),
		.axis = axis == LIBINPUT_POINTER_AXIS_SCROLL_VERTICAL
				? WL_POINTER_AXIS_VERTICAL_SCROLL
				: WL_POINTER_AXIS_HORIZONTAL_SCROLL,
		.source = source,
		.has_source = true,
		.direction = natural ? WL_POINTER_AXIS_RELATIVE_DIRECTION_INVERTED
				     : WL_POINTER_AXIS_RELATIVE_DIRECTION_IDENTICAL,
		.value = libinput_event_pointer_get_scroll_value(pointer, axis),
	};
	if (source == WL_POINTER_AXIS_SOURCE_WHEEL) {
		double v120 = libinput_event_pointer_get_scroll_value_v120(pointer, axis);
		out.value120 = (int32_t)(v120 + (v120 < 0 ? -0.5 : 0.5));
		if (out.value == 0) {
			return; /* a wheel has no end of scrolling: this is an empty event */
		}
	}
	signal_emit(&device->events.axis, &out);
}

static void handle_scroll(struct input_device *device, struct libinput_event *event)
{
	enum wl_pointer_axis_source source;
	switch (libinput_event_get_type(event)) {
	case LIBINPUT_EVENT_POINTER_SCROLL_WHEEL: source = WL_POINTER_AXIS_SOURCE_WHEEL; break;
	case LIBINPUT_EVENT_POINTER_SCROLL_FINGER: source = WL_POINTER_AXIS_SOURCE_FINGER; break;
	default: source = WL_POINTER_AXIS_SOURCE_CONTINUOUS; break;
	}
	handle_axis(device, event, LIBINPUT_POINTER_AXIS_SCROLL_VERTICAL, source);
	handle_axis(device, event, LIBINPUT_POINTER_AXIS_SCROLL_HORIZONTAL, source);
}

static void handle_pointer(struct input_device *device, struct libinput_event *event)
{
	struct libinput_event_pointer *pointer = libinput_event_get_pointer_event(event);
	switch (libinput_event_get_type(event)) {
	case LIBINPUT_EVENT_POINTER_MOTION: handle_motion(device, pointer); break;
	case LIBINPUT_EVENT_POINTER_MOTION_ABSOLUTE:
		handle_motion_absolute(device, pointer, libinput_event_get_device(event));
		break;
	case LIBINPUT_EVENT_POINTER_BUTTON: handle_button(device, pointer); break;
	default: handle_scroll(device, event); break;
	}
}

void libinput_flush_frame(struct libinput_backend *backend)
{
	struct input_device *device = backend->unframed;
	if (device) {
		backend->unframed = NULL;
		signal_emit(&device->events.frame, NULL);
	}
}

/* Groups events with the same timestamp for clients, e.g. a wheel's tilt with its click. */
static void begin_frame(
	struct libinput_backend *backend, struct input_device *device, struct libinput_event *event)
{
	int64_t time =
		ns(libinput_event_pointer_get_time_usec(libinput_event_get_pointer_event(event)));
	if (backend->unframed != device || backend->unframed_time != time) {
		libinput_flush_frame(backend);
	}
	backend->unframed = device;
	backend->unframed_time = time;
}

/* Single-touch devices report slot -1. */
static int32_t touch_id(struct libinput_event_touch *touch)
{
	int32_t slot = libinput_event_touch_get_slot(touch);
	return slot < 0 ? 0 : slot;
}

static void handle_touch(struct input_device *device, struct libinput_event *event)
{
	enum libinput_event_type type = libinput_event_get_type(event);
	if (type == LIBINPUT_EVENT_TOUCH_FRAME) {
		signal_emit(&device->events.touch_frame, NULL);
		return;
	}
	struct libinput_event_touch *touch = libinput_event_get_touch_event(event);
	struct input_touch_event out = {
		.time = ns(libinput_event_touch_get_time_usec(touch)),
		.id = touch_id(touch),
		.output = libinput_device_get_output_name(libinput_event_get_device(event)),
	};
	if (type == LIBINPUT_EVENT_TOUCH_DOWN || type == LIBINPUT_EVENT_TOUCH_MOTION) {
		out.x = libinput_event_touch_get_x_transformed(touch, 1);
		out.y = libinput_event_touch_get_y_transformed(touch, 1);
	}
	struct wl_signal *signal = type == LIBINPUT_EVENT_TOUCH_DOWN ? &device->events.touch_down
				   : type == LIBINPUT_EVENT_TOUCH_UP ? &device->events.touch_up
				   : type == LIBINPUT_EVENT_TOUCH_MOTION
					   ? &device->events.touch_motion
					   : &device->events.touch_cancel;
	signal_emit(signal, &out);
}

static enum input_gesture gesture_of(enum libinput_event_type type)
{
	switch (type) {
	case LIBINPUT_EVENT_GESTURE_PINCH_BEGIN:
	case LIBINPUT_EVENT_GESTURE_PINCH_UPDATE:
	case LIBINPUT_EVENT_GESTURE_PINCH_END: return INPUT_PINCH;
	case LIBINPUT_EVENT_GESTURE_HOLD_BEGIN:
	case LIBINPUT_EVENT_GESTURE_HOLD_END: return INPUT_HOLD;
	default: return INPUT_SWIPE;
	}
}

static enum input_phase phase_of(enum libinput_event_type type)
{
	switch (type) {
	case LIBINPUT_EVENT_GESTURE_SWIPE_BEGIN:
	case LIBINPUT_EVENT_GESTURE_PINCH_BEGIN:
	case LIBINPUT_EVENT_GESTURE_HOLD_BEGIN: return INPUT_BEGIN;
	case LIBINPUT_EVENT_GESTURE_SWIPE_UPDATE:
	case LIBINPUT_EVENT_GESTURE_PINCH_UPDATE: return INPUT_UPDATE;
	default: return INPUT_END;
	}
}

static void handle_gesture(struct input_device *device, struct libinput_event *event)
{
	enum libinput_event_type type = libinput_event_get_type(event);
	struct libinput_event_gesture *gesture = libinput_event_get_gesture_event(event);
	struct input_gesture_event out = {
		.time = ns(libinput_event_gesture_get_time_usec(gesture)),
		.gesture = gesture_of(type),
		.phase = phase_of(type),
		.fingers = (uint32_t)libinput_event_gesture_get_finger_count(gesture),
	};
	if (out.phase == INPUT_UPDATE) {
		out.dx = libinput_event_gesture_get_dx(gesture);
		out.dy = libinput_event_gesture_get_dy(gesture);
	}
	if (out.phase == INPUT_UPDATE && out.gesture == INPUT_PINCH) {
		out.scale = libinput_event_gesture_get_scale(gesture);
		out.rotation = libinput_event_gesture_get_angle_delta(gesture);
	}
	if (out.phase == INPUT_END) {
		out.cancelled = libinput_event_gesture_get_cancelled(gesture);
	}
	signal_emit(&device->events.gesture, &out);
}

void libinput_handle_event(struct libinput_backend *backend, struct libinput_event *event)
{
	static const struct {
		enum libinput_event_type type;
		enum input_type role;
		void (*handle)(struct input_device *device, struct libinput_event *event);
	} handlers[] = {
		{LIBINPUT_EVENT_KEYBOARD_KEY, INPUT_KEYBOARD, handle_key},
		{LIBINPUT_EVENT_POINTER_MOTION, INPUT_POINTER, handle_pointer},
		{LIBINPUT_EVENT_POINTER_MOTION_ABSOLUTE, INPUT_POINTER, handle_pointer},
		{LIBINPUT_EVENT_POINTER_BUTTON, INPUT_POINTER, handle_pointer},
		{LIBINPUT_EVENT_POINTER_SCROLL_WHEEL, INPUT_POINTER, handle_pointer},
		{LIBINPUT_EVENT_POINTER_SCROLL_FINGER, INPUT_POINTER, handle_pointer},
		{LIBINPUT_EVENT_POINTER_SCROLL_CONTINUOUS, INPUT_POINTER, handle_pointer},
		{LIBINPUT_EVENT_TOUCH_DOWN, INPUT_TOUCH, handle_touch},
		{LIBINPUT_EVENT_TOUCH_UP, INPUT_TOUCH, handle_touch},
		{LIBINPUT_EVENT_TOUCH_MOTION, INPUT_TOUCH, handle_touch},
		{LIBINPUT_EVENT_TOUCH_CANCEL, INPUT_TOUCH, handle_touch},
		{LIBINPUT_EVENT_TOUCH_FRAME, INPUT_TOUCH, handle_touch},
		{LIBINPUT_EVENT_GESTURE_SWIPE_BEGIN, INPUT_POINTER, handle_gesture},
		{LIBINPUT_EVENT_GESTURE_SWIPE_UPDATE, INPUT_POINTER, handle_gesture},
		{LIBINPUT_EVENT_GESTURE_SWIPE_END, INPUT_POINTER, handle_gesture},
		{LIBINPUT_EVENT_GESTURE_PINCH_BEGIN, INPUT_POINTER, handle_gesture},
		{LIBINPUT_EVENT_GESTURE_PINCH_UPDATE, INPUT_POINTER, handle_gesture},
		{LIBINPUT_EVENT_GESTURE_PINCH_END, INPUT_POINTER, handle_gesture},
		{LIBINPUT_EVENT_GESTURE_HOLD_BEGIN, INPUT_POINTER, handle_gesture},
		{LIBINPUT_EVENT_GESTURE_HOLD_END, INPUT_POINTER, handle_gesture},
		{LIBINPUT_EVENT_TABLET_PAD_BUTTON, INPUT_PAD, libinput_handle_pad},
		{LIBINPUT_EVENT_TABLET_PAD_RING, INPUT_PAD, libinput_handle_pad},
		{LIBINPUT_EVENT_TABLET_PAD_STRIP, INPUT_PAD, libinput_handle_pad},
#if HAVE_LIBINPUT_DIAL
		{LIBINPUT_EVENT_TABLET_PAD_DIAL, INPUT_PAD, libinput_handle_pad},
#endif
		{LIBINPUT_EVENT_SWITCH_TOGGLE, INPUT_SWITCH, libinput_handle_switch},
	};
	enum libinput_event_type type = libinput_event_get_type(event);
	struct libinput_device *device = libinput_event_get_device(event);
	if (type == LIBINPUT_EVENT_DEVICE_ADDED) {
		libinput_inputs_add(backend, device);
		return;
	}
	if (type == LIBINPUT_EVENT_DEVICE_REMOVED) {
		libinput_flush_frame(backend);
		libinput_inputs_remove(backend, device);
		return;
	}
	if (type >= LIBINPUT_EVENT_TABLET_TOOL_AXIS && type <= LIBINPUT_EVENT_TABLET_TOOL_BUTTON) {
		struct input_device *tablet = libinput_input_find(backend, device, INPUT_TABLET);
		libinput_flush_frame(backend);
		if (tablet && libinput_role_takes(backend, tablet, event)) {
			libinput_handle_tool(backend, tablet, event);
		}
		return;
	}
	for (size_t i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++) {
		if (handlers[i].type != type) {
			continue;
		}
		struct input_device *input = libinput_input_find(backend, device, handlers[i].role);
		if (input && !libinput_role_takes(backend, input, event)) {
			return;
		}
		if (input && handlers[i].handle == handle_pointer) {
			begin_frame(backend, input, event);
		} else {
			libinput_flush_frame(backend);
		}
		if (input) {
			handlers[i].handle(input, event);
		}
		return;
	}
}
