/* SPDX-License-Identifier: MIT */
/* Touch pad gestures of the host, forwarded as events of its pointer's device. */

#include "wayland.h"

static void emit(struct wayland_seat *seat, struct input_gesture_event event, uint32_t time)
{
	event.time = wayland_time(seat->backend, time);
	signal_emit(&seat->pointer.device->events.gesture, &event);
}

static void begin(
	struct wayland_seat *seat, enum input_gesture gesture, uint32_t time, uint32_t fingers)
{
	struct input_gesture_event event = {
		.gesture = gesture, .phase = INPUT_BEGIN, .fingers = fingers};
	emit(seat, event, time);
}

static void end(
	struct wayland_seat *seat, enum input_gesture gesture, uint32_t time, int32_t cancelled)
{
	struct input_gesture_event event = {
		.gesture = gesture, .phase = INPUT_END, .cancelled = cancelled};
	emit(seat, event, time);
}

static void handle_swipe_begin(void *data, struct zwp_pointer_gesture_swipe_v1 *proxy,
	uint32_t serial, uint32_t time, struct wl_surface *surface, uint32_t fingers)
{
	begin(data, INPUT_SWIPE, time, fingers);
}

static void handle_swipe_update(void *data, struct zwp_pointer_gesture_swipe_v1 *proxy,
	uint32_t time, wl_fixed_t dx, wl_fixed_t dy)
{
	struct input_gesture_event event = {.gesture = INPUT_SWIPE,
		.phase = INPUT_UPDATE,
		.dx = wl_fixed_to_double(dx),
		.dy = wl_fixed_to_double(dy)};
	emit(data, event, time);
}

static void handle_swipe_end(void *data, struct zwp_pointer_gesture_swipe_v1 *proxy,
	uint32_t serial, uint32_t time, int32_t cancelled)
{
	end(data, INPUT_SWIPE, time, cancelled);
}

static const struct zwp_pointer_gesture_swipe_v1_listener swipe_listener = {
	.begin = handle_swipe_begin,
	.update = handle_swipe_update,
	.end = handle_swipe_end,
};

static void handle_pinch_begin(void *data, struct zwp_pointer_gesture_pinch_v1 *proxy,
	uint32_t serial, uint32_t time, struct wl_surface *surface, uint32_t fingers)
{
	begin(data, INPUT_PINCH, time, fingers);
}

static void handle_pinch_update(void *data, struct zwp_pointer_gesture_pinch_v1 *proxy,
	uint32_t time, wl_fixed_t dx, wl_fixed_t dy, wl_fixed_t scale, wl_fixed_t rotation)
{
	struct input_gesture_event event = {.gesture = INPUT_PINCH,
		.phase = INPUT_UPDATE,
		.dx = wl_fixed_to_double(dx),
		.dy = wl_fixed_to_double(dy),
		.scale = wl_fixed_to_double(scale),
		.rotation = wl_fixed_to_double(rotation)};
	emit(data, event, time);
}

static void handle_pinch_end(void *data, struct zwp_pointer_gesture_pinch_v1 *proxy,
	uint32_t serial, uint32_t time, int32_t cancelled)
{
	end(data, INPUT_PINCH, time, cancelled);
}

static const struct zwp_pointer_gesture_pinch_v1_listener pinch_listener = {
	.begin = handle_pinch_begin,
	.update = handle_pinch_update,
	.end = handle_pinch_end,
};

static void handle_hold_begin(void *data, struct zwp_pointer_gesture_hold_v1 *proxy,
	uint32_t serial, uint32_t time, struct wl_surface *surface, uint32_t fingers)
{
	begin(data, INPUT_HOLD, time, fingers);
}

static void handle_hold_end(void *data, struct zwp_pointer_gesture_hold_v1 *proxy, uint32_t serial,
	uint32_t time, int32_t cancelled)
{
	end(data, INPUT_HOLD, time, cancelled);
}

static const struct zwp_pointer_gesture_hold_v1_listener hold_listener = {
	.begin = handle_hold_begin,
	.end = handle_hold_end,
};

void wayland_gestures_create(struct wayland_seat *seat)
{
	struct zwp_pointer_gestures_v1 *gestures = seat->backend->gestures;
	struct wayland_pointer *pointer = &seat->pointer;
	if (!gestures) {
		return;
	}
	pointer->swipe = zwp_pointer_gestures_v1_get_swipe_gesture(gestures, pointer->proxy);
	zwp_pointer_gesture_swipe_v1_add_listener(pointer->swipe, &swipe_listener, seat);
	pointer->pinch = zwp_pointer_gestures_v1_get_pinch_gesture(gestures, pointer->proxy);
	zwp_pointer_gesture_pinch_v1_add_listener(pointer->pinch, &pinch_listener, seat);
	if (zwp_pointer_gestures_v1_get_version(gestures) >=
		ZWP_POINTER_GESTURES_V1_GET_HOLD_GESTURE_SINCE_VERSION) {
		pointer->hold = zwp_pointer_gestures_v1_get_hold_gesture(gestures, pointer->proxy);
		zwp_pointer_gesture_hold_v1_add_listener(pointer->hold, &hold_listener, seat);
	}
}

void wayland_gestures_destroy(struct wayland_seat *seat)
{
	struct wayland_pointer *pointer = &seat->pointer;
	if (pointer->swipe) {
		zwp_pointer_gesture_swipe_v1_destroy(pointer->swipe);
		zwp_pointer_gesture_pinch_v1_destroy(pointer->pinch);
	}
	if (pointer->hold) {
		zwp_pointer_gesture_hold_v1_destroy(pointer->hold);
	}
	pointer->swipe = NULL;
	pointer->pinch = NULL;
	pointer->hold = NULL;
}
