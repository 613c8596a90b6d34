/* SPDX-License-Identifier: MIT */
/* zwp_pointer_gestures: swipes, pinches and holds with several fingers on a touch pad. */

#include "pointer-gestures-unstable-v1-protocol.h"
#include "util/xalloc.h"
#include "wl_seat.h"
#include <stdlib.h>

/** A swipe, pinch or hold object of a client. */
struct gesture {
	struct wl_list link; /* seat_client.gestures; empty once the seat is gone */
	struct wl_resource *resource;
	enum input_gesture kind;
	bool begun; /* begin was sent for the current gesture */
};

static const struct zwp_pointer_gesture_swipe_v1_interface swipe_impl = {
	.destroy = resource_handle_destroy,
};

static const struct zwp_pointer_gesture_pinch_v1_interface pinch_impl = {
	.destroy = resource_handle_destroy,
};

static const struct zwp_pointer_gesture_hold_v1_interface hold_impl = {
	.destroy = resource_handle_destroy,
};

static void send_begin(const struct gesture *gesture, uint32_t serial, struct surface *surface,
	const struct input_gesture_event *event)
{
	struct wl_resource *resource = gesture->resource, *on = surface_resource(surface);
	uint32_t time = clock_ms(event->time);
	switch (event->gesture) {
	case INPUT_SWIPE:
		zwp_pointer_gesture_swipe_v1_send_begin(resource, serial, time, on, event->fingers);
		break;
	case INPUT_PINCH:
		zwp_pointer_gesture_pinch_v1_send_begin(resource, serial, time, on, event->fingers);
		break;
	case INPUT_HOLD:
		zwp_pointer_gesture_hold_v1_send_begin(resource, serial, time, on, event->fingers);
		break;
	}
}

static void send_update(const struct gesture *gesture, const struct input_gesture_event *event)
{
	uint32_t time = clock_ms(event->time);
	wl_fixed_t dx = wl_fixed_from_double(event->dx), dy = wl_fixed_from_double(event->dy);
	if (event->gesture == INPUT_SWIPE) {
		zwp_pointer_gesture_swipe_v1_send_update(gesture->resource, time, dx, dy);
	} else if (event->gesture == INPUT_PINCH) {
		zwp_pointer_gesture_pinch_v1_send_update(gesture->resource, time, dx, dy,
			wl_fixed_from_double(event->scale), wl_fixed_from_double(event->rotation));
	}
}

static void send_end(
	const struct gesture *gesture, uint32_t serial, const struct input_gesture_event *event)
{
	struct wl_resource *resource = gesture->resource;
	uint32_t time = clock_ms(event->time);
	switch (event->gesture) {
	case INPUT_SWIPE:
		zwp_pointer_gesture_swipe_v1_send_end(resource, serial, time, event->cancelled);
		break;
	case INPUT_PINCH:
		zwp_pointer_gesture_pinch_v1_send_end(resource, serial, time, event->cancelled);
		break;
	case INPUT_HOLD:
		zwp_pointer_gesture_hold_v1_send_end(resource, serial, time, event->cancelled);
		break;
	}
}

void sink_gesture(
	struct seat *seat, struct surface *surface, const struct input_gesture_event *event)
{
	struct seat_client *client = seat_client_of(seat, surface);
	struct gesture *gesture;
	if (!client || wl_list_empty(&client->gestures)) {
		return;
	}
	uint32_t serial = event->phase == INPUT_UPDATE ? 0 : seat_client_serial(client);
	wl_list_for_each (gesture, &client->gestures, link) {
		if (gesture->kind != event->gesture) {
			continue;
		}
		if (event->phase == INPUT_BEGIN) {
			send_begin(gesture, serial, surface, event);
		} else if (gesture->begun && event->phase == INPUT_UPDATE) {
			send_update(gesture, event);
		} else if (gesture->begun) {
			send_end(gesture, serial, event);
		}
		gesture->begun = event->phase == INPUT_BEGIN ||
				 (gesture->begun && event->phase == INPUT_UPDATE);
	}
}

static void destroy(struct wl_resource *resource)
{
	struct gesture *gesture = wl_resource_get_user_data(resource);
	wl_list_remove(&gesture->link);
	free(gesture);
}

static void create(struct wl_resource *manager, uint32_t id, struct wl_resource *pointer,
	enum input_gesture kind, const struct wl_interface *interface, const void *impl)
{
	struct wl_client *wl_client = wl_resource_get_client(manager);
	struct gesture *gesture = xcalloc(1, sizeof(*gesture));
	struct wl_resource *resource =
		resource_create_child(manager, interface, id, impl, gesture, destroy);
	if (!resource) {
		return;
	}
	struct seat *seat = seat_from_pointer_resource(pointer);
	struct seat_client *client = seat ? seat_client_find(seat, wl_client) : NULL;
	gesture->resource = resource;
	gesture->kind = kind;
	wl_list_init(&gesture->link);
	if (client) {
		wl_list_insert(&client->gestures, &gesture->link);
	}
}

static void handle_get_swipe(struct wl_client *client, struct wl_resource *manager, uint32_t id,
	struct wl_resource *pointer)
{
	create(manager, id, pointer, INPUT_SWIPE, &zwp_pointer_gesture_swipe_v1_interface,
		&swipe_impl);
}

static void handle_get_pinch(struct wl_client *client, struct wl_resource *manager, uint32_t id,
	struct wl_resource *pointer)
{
	create(manager, id, pointer, INPUT_PINCH, &zwp_pointer_gesture_pinch_v1_interface,
		&pinch_impl);
}

static void handle_get_hold(struct wl_client *client, struct wl_resource *manager, uint32_t id,
	struct wl_resource *pointer)
{
	create(manager, id, pointer, INPUT_HOLD, &zwp_pointer_gesture_hold_v1_interface,
		&hold_impl);
}

static const struct zwp_pointer_gestures_v1_interface manager_impl = {
	.get_swipe_gesture = handle_get_swipe,
	.get_pinch_gesture = handle_get_pinch,
	.release = resource_handle_destroy,
	.get_hold_gesture = handle_get_hold,
};

void pointer_gestures_create(struct protocols *protocols)
{
	protocols_add_global(protocols, &zwp_pointer_gestures_v1_interface, 3, &manager_impl,
		protocols, GLOBAL_PUBLIC);
}
