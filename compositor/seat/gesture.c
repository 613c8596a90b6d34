/* SPDX-License-Identifier: MIT */
/* Touch pad gestures, sent to the surface that had the pointer when they began. */

#include "seat/internal.h"

static void set_surface(struct seat_gesture *gesture, struct surface *surface)
{
	if (gesture->surface) {
		wl_list_remove(&gesture->surface_destroy.link);
	}
	gesture->surface = surface;
	if (surface) {
		wl_signal_add(&surface->events.destroy, &gesture->surface_destroy);
	}
}

void gesture_cancel(struct seat *seat)
{
	struct seat_gesture *gesture = &seat->gesture;
	struct surface *surface = gesture->surface;
	if (!surface) {
		return;
	}
	struct input_gesture_event event = {
		.time = clock_now(seat->clock),
		.gesture = gesture->gesture,
		.phase = INPUT_END,
		.cancelled = true,
	};
	set_surface(gesture, NULL);
	seat->sink->gesture(seat, surface, &event);
}

static void handle_surface_destroy(struct wl_listener *listener, void *data)
{
	struct seat *seat = wl_container_of(listener, seat, gesture.surface_destroy);
	gesture_cancel(seat);
}

/* The pointer's focus gets the whole gesture, even if the pointer moves to another surface. */
static void begin(struct seat_device *device, const struct input_gesture_event *event)
{
	struct seat *seat = device->seat;
	struct seat_gesture *gesture = &seat->gesture;
	if (gesture->device) {
		return; /* on another touch pad */
	}
	gesture->device = device->device;
	gesture->gesture = event->gesture;
	gesture->surface_destroy.notify = handle_surface_destroy;
	gesture->filtered = seat->filter.gesture && seat->filter.gesture(seat->filter.data, event);
	if (gesture->filtered) {
		return;
	}
	pointer_refocus(seat);
	set_surface(gesture, seat->pointer.focus);
}

void gesture_handle(struct seat_device *device, const struct input_gesture_event *event)
{
	struct seat *seat = device->seat;
	struct seat_gesture *gesture = &seat->gesture;
	if (event->phase == INPUT_BEGIN) {
		begin(device, event);
	}
	if (gesture->device != device->device || gesture->gesture != event->gesture) {
		return;
	}
	struct surface *surface = gesture->surface;
	bool filtered = gesture->filtered && event->phase != INPUT_BEGIN;
	if (event->phase == INPUT_END) {
		set_surface(gesture, NULL);
		gesture->device = NULL;
		gesture->filtered = false;
	}
	if (filtered) {
		seat->filter.gesture(seat->filter.data, event);
	}
	if (surface) {
		seat->sink->gesture(seat, surface, event);
	}
}

void gesture_forget(struct seat_device *device)
{
	if (device->seat->gesture.device == device->device) {
		struct seat *seat = device->seat;
		gesture_cancel(seat);
		if (seat->gesture.filtered) {
			struct input_gesture_event event = {
				.time = clock_now(seat->clock),
				.gesture = seat->gesture.gesture,
				.phase = INPUT_END,
				.cancelled = true,
			};
			seat->filter.gesture(seat->filter.data, &event);
		}
		seat->gesture.device = NULL;
		seat->gesture.filtered = false;
	}
}
