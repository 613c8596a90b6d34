/* SPDX-License-Identifier: MIT */
/* zwp_tablet_tool_v2: events of pens and other tools, and their cursor surfaces. */

#include "tablet.h"
#include "util/xalloc.h"
#include <stdlib.h>

/** A zwp_tablet_tool_v2 of a client. */
struct tool_object {
	struct wl_list link; /* seat_tool.objects; empty once the tool is gone */
	struct wl_resource *resource;
	struct seat_tool *tool; /* NULL: gone */
	uint32_t number; /* of its tablet_seat */
	bool inside; /* proximity_in was sent */
	uint32_t serial; /* of proximity_in */
};

struct seat_tool *tool_from_resource(struct wl_resource *resource)
{
	const struct tool_object *object = wl_resource_get_user_data(resource);
	return object->tool;
}

bool tool_may_set_cursor(struct wl_resource *resource, uint32_t serial)
{
	const struct tool_object *object = wl_resource_get_user_data(resource);
	return object->tool && object->inside && object->serial == serial;
}

static void handle_set_cursor(struct wl_client *client, struct wl_resource *resource,
	uint32_t serial, struct wl_resource *surface_resource, int32_t hotspot_x, int32_t hotspot_y)
{
	struct seat_tool *tool = tool_from_resource(resource);
	struct surface *surface = surface_resource ? surface_from_resource(surface_resource) : NULL;
	if (!tool) {
		return;
	}
	bool is_its = surface && surface->role == &tool_cursor_role && surface->role_data == tool;
	if (surface && !is_its && !surface_set_role(surface, &tool_cursor_role, tool)) {
		wl_resource_post_error(resource, ZWP_TABLET_TOOL_V2_ERROR_ROLE,
			"wl_surface@%u already has another role or is the cursor of another tool",
			wl_resource_get_id(surface_resource));
		return;
	}
	if (tool_may_set_cursor(resource, serial)) {
		cursor_set_surface(
			&tool->cursor, surface, coord_clamp(hotspot_x), coord_clamp(hotspot_y));
	}
}

static const struct zwp_tablet_tool_v2_interface tool_impl = {
	.set_cursor = handle_set_cursor,
	.destroy = resource_handle_destroy,
};

static void destroy(struct wl_resource *resource)
{
	struct tool_object *object = wl_resource_get_user_data(resource);
	wl_list_remove(&object->link);
	free(object);
}

static void describe(struct wl_resource *resource, const struct input_tool *tool)
{
	static const struct {
		enum input_tool_axis axis;
		enum zwp_tablet_tool_v2_capability capability;
	} axes[] = {
		{INPUT_TILT, ZWP_TABLET_TOOL_V2_CAPABILITY_TILT},
		{INPUT_PRESSURE, ZWP_TABLET_TOOL_V2_CAPABILITY_PRESSURE},
		{INPUT_DISTANCE, ZWP_TABLET_TOOL_V2_CAPABILITY_DISTANCE},
		{INPUT_ROTATION, ZWP_TABLET_TOOL_V2_CAPABILITY_ROTATION},
		{INPUT_SLIDER, ZWP_TABLET_TOOL_V2_CAPABILITY_SLIDER},
		{INPUT_WHEEL, ZWP_TABLET_TOOL_V2_CAPABILITY_WHEEL},
	};
	/* The protocol's type numbers are the codes of evdev. */
	zwp_tablet_tool_v2_send_type(resource, tool->type);
	if (tool->serial) {
		zwp_tablet_tool_v2_send_hardware_serial(
			resource, (uint32_t)(tool->serial >> 32), (uint32_t)tool->serial);
	}
	if (tool->hardware_id) {
		zwp_tablet_tool_v2_send_hardware_id_wacom(
			resource, (uint32_t)(tool->hardware_id >> 32), (uint32_t)tool->hardware_id);
	}
	for (size_t i = 0; i < sizeof(axes) / sizeof(axes[0]); i++) {
		if (tool->axes & axes[i].axis) {
			zwp_tablet_tool_v2_send_capability(resource, axes[i].capability);
		}
	}
	zwp_tablet_tool_v2_send_done(resource);
}

void tool_object_create(struct tablet_seat *seat, struct seat_tool *tool)
{
	struct tool_object *object = xcalloc(1, sizeof(*object));
	object->tool = tool;
	object->number = seat->number;
	object->resource = tablet_create_resource(
		seat, &zwp_tablet_tool_v2_interface, &tool_impl, object, destroy);
	if (!object->resource) {
		free(object);
		return;
	}
	wl_list_insert(tool->objects.prev, &object->link);
	zwp_tablet_seat_v2_send_tool_added(seat->resource, object->resource);
	describe(object->resource, tool->tool);
}

void sink_tool_removed(struct seat_tool *tool)
{
	struct tool_object *object, *next;
	wl_list_for_each_safe (object, next, &tool->objects, link) {
		zwp_tablet_tool_v2_send_removed(object->resource);
		object->tool = NULL;
		wl_list_remove(&object->link);
		wl_list_init(&object->link);
	}
}

bool sink_supports_tool(struct seat_tool *tool, struct surface *surface)
{
	const struct tool_object *object;
	wl_list_for_each (object, &tool->objects, link) {
		struct wl_client *client = wl_resource_get_client(object->resource);
		if (tablet_is_of(object->resource, surface) &&
			tablet_resource(tool->tablet, client, object->number)) {
			return true;
		}
	}
	return false;
}

static uint32_t next_serial(struct seat_tool *tool, struct surface *surface)
{
	struct seat_client *client = seat_client_of(tool->seat, surface);
	return client ? seat_client_serial(client) : 0;
}

void sink_tool_in(struct seat_tool *tool, struct surface *surface)
{
	uint32_t serial = next_serial(tool, surface);
	struct tool_object *object;
	wl_list_for_each (object, &tool->objects, link) {
		if (!tablet_is_of(object->resource, surface)) {
			continue;
		}
		struct wl_resource *tablet = tablet_resource(
			tool->tablet, wl_resource_get_client(object->resource), object->number);
		if (tablet) {
			object->inside = true;
			object->serial = serial;
			zwp_tablet_tool_v2_send_proximity_in(
				object->resource, serial, tablet, surface_resource(surface));
		}
	}
}

/** Iterates over objects of the surface's client that were sent proximity_in. */
#define for_each_inside(object, tool, surface)                                                     \
	wl_list_for_each (object, &(tool)->objects, link)                                          \
		if (object->inside && tablet_is_of(object->resource, surface))

void sink_tool_out(struct seat_tool *tool, struct surface *surface)
{
	struct tool_object *object;
	for_each_inside(object, tool, surface)
	{
		zwp_tablet_tool_v2_send_proximity_out(object->resource);
	}
}

void sink_tool_motion(struct seat_tool *tool, struct surface *surface, struct coord_surface at)
{
	struct tool_object *object;
	for_each_inside(object, tool, surface)
	{
		zwp_tablet_tool_v2_send_motion(
			object->resource, wl_fixed_from_double(at.x), wl_fixed_from_double(at.y));
	}
}

/* Converts 0..1 to 0..65535. */
static uint32_t normal(double value)
{
	return value <= 0 ? 0 : value >= 1 ? 65535 : (uint32_t)(value * 65535 + 0.5);
}

static void send_axes(struct wl_resource *resource, const struct input_tool_event *event)
{
	if (event->changed & INPUT_PRESSURE) {
		zwp_tablet_tool_v2_send_pressure(resource, normal(event->pressure));
	}
	if (event->changed & INPUT_DISTANCE) {
		zwp_tablet_tool_v2_send_distance(resource, normal(event->distance));
	}
	if (event->changed & INPUT_TILT) {
		zwp_tablet_tool_v2_send_tilt(resource, wl_fixed_from_double(event->tilt_x),
			wl_fixed_from_double(event->tilt_y));
	}
	if (event->changed & INPUT_ROTATION) {
		zwp_tablet_tool_v2_send_rotation(resource, wl_fixed_from_double(event->rotation));
	}
	if (event->changed & INPUT_SLIDER) {
		int32_t part = (int32_t)normal(event->slider < 0 ? -event->slider : event->slider);
		zwp_tablet_tool_v2_send_slider(resource, event->slider < 0 ? -part : part);
	}
	if (event->changed & INPUT_WHEEL) {
		zwp_tablet_tool_v2_send_wheel(
			resource, wl_fixed_from_double(event->wheel), event->wheel_clicks);
	}
}

void sink_tool_axes(
	struct seat_tool *tool, struct surface *surface, const struct input_tool_event *event)
{
	struct tool_object *object;
	for_each_inside(object, tool, surface)
	{
		send_axes(object->resource, event);
	}
}

uint32_t sink_tool_down(struct seat_tool *tool, struct surface *surface)
{
	uint32_t serial = next_serial(tool, surface);
	struct tool_object *object;
	for_each_inside(object, tool, surface)
	{
		zwp_tablet_tool_v2_send_down(object->resource, serial);
	}
	return serial;
}

uint32_t sink_tool_button(
	struct seat_tool *tool, struct surface *surface, uint32_t button, bool pressed)
{
	uint32_t serial = next_serial(tool, surface);
	struct tool_object *object;
	for_each_inside(object, tool, surface)
	{
		zwp_tablet_tool_v2_send_button(object->resource, serial, button,
			pressed ? ZWP_TABLET_TOOL_V2_BUTTON_STATE_PRESSED
				: ZWP_TABLET_TOOL_V2_BUTTON_STATE_RELEASED);
	}
	return serial;
}

void sink_tool_up(struct seat_tool *tool, struct surface *surface)
{
	struct tool_object *object;
	for_each_inside(object, tool, surface)
	{
		zwp_tablet_tool_v2_send_up(object->resource);
	}
}

void sink_tool_frame(struct seat_tool *tool, struct surface *surface, int64_t time)
{
	struct tool_object *object;
	for_each_inside(object, tool, surface)
	{
		zwp_tablet_tool_v2_send_frame(object->resource, clock_ms(time));
		/* The frame after proximity_out is the tool's last event. */
		object->inside = tool->focus == surface;
	}
}
