/* SPDX-License-Identifier: MIT */
/* wl_pointer: pointer events, and the cursor surfaces of clients. */

#include "wl_seat.h"

struct seat *seat_from_pointer_resource(struct wl_resource *resource)
{
	struct seat_client *client = wl_resource_get_user_data(resource);
	return client ? client->global->seat : NULL;
}

bool pointer_may_set_cursor(struct wl_resource *pointer, uint32_t serial)
{
	struct seat_client *client = wl_resource_get_user_data(pointer);
	return client && seat_client_owns(client, client->global->seat->pointer.focus) &&
	       client->has_enter && client->enter_serial == serial;
}

static void handle_set_cursor(struct wl_client *wl_client, struct wl_resource *resource,
	uint32_t serial, struct wl_resource *surface_resource, int32_t hotspot_x, int32_t hotspot_y)
{
	struct seat *seat = seat_from_pointer_resource(resource);
	struct surface *surface = surface_resource ? surface_from_resource(surface_resource) : NULL;
	if (surface && surface->role != &cursor_role &&
		!surface_set_role(surface, &cursor_role, NULL)) {
		wl_resource_post_error(resource, WL_POINTER_ERROR_ROLE,
			"wl_surface@%u already has another role",
			wl_resource_get_id(surface_resource));
		return;
	}
	if (pointer_may_set_cursor(resource, serial)) {
		cursor_set_surface(
			&seat->cursor, surface, coord_clamp(hotspot_x), coord_clamp(hotspot_y));
	}
}

static const struct wl_pointer_interface pointer_impl = {
	.set_cursor = handle_set_cursor,
	.release = resource_handle_destroy,
};

static void send_frame(struct wl_resource *resource)
{
	if (wl_resource_get_version(resource) >= WL_POINTER_FRAME_SINCE_VERSION) {
		wl_pointer_send_frame(resource);
	}
}

static void send_enter(struct wl_resource *resource, uint32_t serial, struct surface *surface,
	struct coord_surface at)
{
	wl_pointer_send_enter(resource, serial, surface_resource(surface),
		wl_fixed_from_double(at.x), wl_fixed_from_double(at.y));
}

void seat_client_create_pointer(
	struct seat_client *client, struct wl_client *wl_client, int version, uint32_t id)
{
	struct wl_resource *resource =
		seat_client_create_resource(client, wl_client, client ? &client->pointers : NULL,
			&wl_pointer_interface, &pointer_impl, version, id);
	if (!resource || !client) {
		return;
	}
	const struct seat_pointer *pointer = &client->global->seat->pointer;
	if (!seat_client_owns(client, pointer->focus)) {
		return;
	}
	/* Created late: the pointer is already inside one of the client's surfaces. */
	if (!client->has_enter) {
		client->enter_serial = seat_client_serial(client);
		client->has_enter = true;
	}
	send_enter(resource, client->enter_serial, pointer->focus, pointer->focus_at);
	send_frame(resource);
}

void sink_pointer_enter(struct seat *seat, struct surface *surface, struct coord_surface at)
{
	struct seat_client *client = seat_client_of(seat, surface);
	struct wl_resource *resource;
	if (!client) {
		return;
	}
	client->enter_serial = seat_client_serial(client);
	client->has_enter = true;
	for (int axis = 0; axis < 2; axis++) {
		client->partial[axis].value120 = 0;
		client->partial[axis].value = 0;
	}
	wl_resource_for_each (resource, &client->pointers) {
		send_enter(resource, client->enter_serial, surface, at);
	}
}

void sink_pointer_leave(struct seat *seat, struct surface *surface)
{
	struct seat_client *client = seat_client_of(seat, surface);
	struct wl_resource *resource;
	if (!client) {
		return;
	}
	uint32_t serial = seat_client_serial(client);
	client->has_enter = false;
	wl_resource_for_each (resource, &client->pointers) {
		wl_pointer_send_leave(resource, serial, surface_resource(surface));
	}
}

void sink_pointer_motion(
	struct seat *seat, struct surface *surface, int64_t time, struct coord_surface at)
{
	struct seat_client *client = seat_client_of(seat, surface);
	struct wl_resource *resource;
	seat_client_for_each (resource, client, pointers) {
		wl_pointer_send_motion(resource, clock_ms(time), wl_fixed_from_double(at.x),
			wl_fixed_from_double(at.y));
	}
}

uint32_t sink_pointer_button(
	struct seat *seat, struct surface *surface, const struct input_button_event *event)
{
	struct seat_client *client = seat_client_of(seat, surface);
	struct wl_resource *resource;
	uint32_t serial = seat_client_serial(client);
	seat_client_for_each (resource, client, pointers) {
		wl_pointer_send_button(resource, serial, clock_ms(event->time), event->button,
			event->pressed ? WL_POINTER_BUTTON_STATE_PRESSED
				       : WL_POINTER_BUTTON_STATE_RELEASED);
	}
	return serial;
}

static bool opposite(double a, double b)
{
	return (a > 0 && b < 0) || (a < 0 && b > 0);
}

/* Scroll steps for clients without value120: accumulated until a whole detent is reached. */
struct detents {
	int32_t discrete;
	double value;
};

static struct detents take_detents(struct seat_client *client, const struct input_axis_event *event)
{
	if (event->value120 == 0) {
		return (struct detents){0};
	}
	int32_t *partial = &client->partial[event->axis].value120;
	double *value = &client->partial[event->axis].value;
	if (opposite(*partial, event->value120)) {
		*partial = 0;
		*value = 0;
	}
	*partial += event->value120;
	*value += event->value;
	struct detents detents = {.discrete = *partial / 120};
	if (detents.discrete != 0) {
		detents.value = *value;
		*partial -= detents.discrete * 120;
		*value = 0;
	}
	return detents;
}

static void send_source(
	struct wl_resource *resource, const struct input_axis_event *event, int version)
{
	int since = event->source == WL_POINTER_AXIS_SOURCE_WHEEL_TILT
			    ? WL_POINTER_AXIS_SOURCE_WHEEL_TILT_SINCE_VERSION
			    : WL_POINTER_AXIS_SOURCE_SINCE_VERSION;
	if (event->has_source && version >= since) {
		wl_pointer_send_axis_source(resource, event->source);
	}
}

static void send_axis(struct wl_resource *resource, const struct input_axis_event *event,
	const struct detents *detents, bool with_source)
{
	int version = wl_resource_get_version(resource);
	bool whole_only = event->value120 != 0 && version < WL_POINTER_AXIS_VALUE120_SINCE_VERSION;
	double value = whole_only ? detents->value : event->value;
	if (whole_only && detents->discrete == 0) {
		return;
	}
	if (with_source) {
		send_source(resource, event, version);
	}
	if (event->value == 0 && event->value120 == 0) {
		if (version >= WL_POINTER_AXIS_STOP_SINCE_VERSION) {
			wl_pointer_send_axis_stop(resource, clock_ms(event->time), event->axis);
		}
		return;
	}
	if (version >= WL_POINTER_AXIS_RELATIVE_DIRECTION_SINCE_VERSION) {
		wl_pointer_send_axis_relative_direction(resource, event->axis, event->direction);
	}
	if (event->value120 != 0 && !whole_only) {
		wl_pointer_send_axis_value120(resource, event->axis, event->value120);
	} else if (whole_only && version >= WL_POINTER_AXIS_DISCRETE_SINCE_VERSION) {
		wl_pointer_send_axis_discrete(resource, event->axis, detents->discrete);
	}
	wl_pointer_send_axis(
		resource, clock_ms(event->time), event->axis, wl_fixed_from_double(value));
}

void sink_pointer_axis(
	struct seat *seat, struct surface *surface, const struct input_axis_event *event)
{
	struct seat_client *client = seat_client_of(seat, surface);
	struct wl_resource *resource;
	if (!client) {
		return;
	}
	struct detents detents = take_detents(client, event);
	wl_resource_for_each (resource, &client->pointers) {
		bool fine =
			wl_resource_get_version(resource) >= WL_POINTER_AXIS_VALUE120_SINCE_VERSION;
		send_axis(resource, event, &detents, !client->source_sent[fine]);
	}
	client->source_sent[true] = true;
	if (event->value120 == 0 || detents.discrete != 0) {
		client->source_sent[false] = true;
	}
}

void sink_pointer_frame(struct seat *seat, struct surface *surface)
{
	struct seat_client *client = seat_client_of(seat, surface);
	struct wl_resource *resource;
	if (!client) {
		return;
	}
	client->source_sent[false] = false;
	client->source_sent[true] = false;
	wl_resource_for_each (resource, &client->pointers) {
		send_frame(resource);
	}
}
