/* SPDX-License-Identifier: MIT */
/* zwlr_virtual_pointer: pointer devices simulated by clients. */

#include "backend/drm.h"
#include "backend/wayland.h"
#include "protocol/protocol.h"
#include "seat/seat.h"
#include "util/xalloc.h"
#include "wlr-virtual-pointer-unstable-v1-protocol.h"
#include <stdlib.h>

/** Maximum number of events per frame; further events start a new frame. */
#define EVENTS_MAX 64

struct virtual_event {
	enum { VIRTUAL_MOTION, VIRTUAL_ABSOLUTE, VIRTUAL_BUTTON } type;
	union {
		struct input_motion_event motion;
		struct input_motion_absolute_event absolute;
		struct input_button_event button;
	};
};

/** Events are queued until the frame request and then played in order, scrolling last. */
struct virtual_pointer {
	struct input_device device;
	char *output; /* output that absolute positions refer to; NULL: the whole layout */
	struct virtual_event events[EVENTS_MAX];
	int n_events;
	struct input_axis_event axes[2];
	bool has_axis[2];
	bool has_source;
	enum wl_pointer_axis_source source;
};

static int64_t time_of(uint32_t ms)
{
	return (int64_t)ms * 1000000;
}

static void emit(struct virtual_pointer *pointer, struct virtual_event *event)
{
	struct input_device *device = &pointer->device;
	switch (event->type) {
	case VIRTUAL_MOTION: signal_emit(&device->events.motion, &event->motion); break;
	case VIRTUAL_ABSOLUTE:
		signal_emit(&device->events.motion_absolute, &event->absolute);
		break;
	case VIRTUAL_BUTTON: signal_emit(&device->events.button, &event->button); break;
	}
}

static void flush(struct virtual_pointer *pointer)
{
	for (int i = 0; i < pointer->n_events; i++) {
		emit(pointer, &pointer->events[i]);
	}
	for (int i = 0; i < 2; i++) {
		if (!pointer->has_axis[i]) {
			continue;
		}
		struct input_axis_event *axis = &pointer->axes[i];
		if (pointer->has_source) {
			axis->has_source = true;
			axis->source = pointer->source;
		}
		signal_emit(&pointer->device.events.axis, axis);
		pointer->has_axis[i] = false;
	}
	pointer->n_events = 0;
	pointer->has_source = false;
	signal_emit(&pointer->device.events.frame, NULL);
}

/* Returns NULL for an inert device. */
static struct virtual_event *add_event(struct wl_resource *resource)
{
	struct virtual_pointer *pointer = wl_resource_get_user_data(resource);
	if (!pointer) {
		return NULL;
	}
	if (pointer->n_events == EVENTS_MAX) {
		flush(pointer);
	}
	struct virtual_event *event = &pointer->events[pointer->n_events++];
	*event = (struct virtual_event){0};
	return event;
}

static void handle_motion(struct wl_client *client, struct wl_resource *resource, uint32_t time,
	wl_fixed_t dx, wl_fixed_t dy)
{
	struct virtual_event *event = add_event(resource);
	if (event) {
		event->type = VIRTUAL_MOTION;
		event->motion.time = time_of(time);
		event->motion.dx = event->motion.dx_unaccel = wl_fixed_to_double(dx);
		event->motion.dy = event->motion.dy_unaccel = wl_fixed_to_double(dy);
	}
}

static double part(uint32_t value, uint32_t extent)
{
	return value < extent ? (double)value / extent : 1;
}

static void handle_motion_absolute(struct wl_client *client, struct wl_resource *resource,
	uint32_t time, uint32_t x, uint32_t y, uint32_t x_extent, uint32_t y_extent)
{
	struct virtual_pointer *pointer = wl_resource_get_user_data(resource);
	if (x_extent == 0 || y_extent == 0) {
		return; /* a position needs nonzero extents */
	}
	struct virtual_event *event = add_event(resource);
	if (event) {
		event->type = VIRTUAL_ABSOLUTE;
		event->absolute.time = time_of(time);
		event->absolute.x = part(x, x_extent);
		event->absolute.y = part(y, y_extent);
		event->absolute.output = pointer->output;
	}
}

static void handle_button(struct wl_client *client, struct wl_resource *resource, uint32_t time,
	uint32_t button, uint32_t state)
{
	struct virtual_event *event = add_event(resource);
	if (event) {
		event->type = VIRTUAL_BUTTON;
		event->button.time = time_of(time);
		event->button.button = button;
		event->button.pressed = state != WL_POINTER_BUTTON_STATE_RELEASED;
	}
}

/* Returns NULL for an inert device or after posting an error. */
static struct input_axis_event *set_axis(struct wl_resource *resource, uint32_t time, uint32_t axis)
{
	struct virtual_pointer *pointer = wl_resource_get_user_data(resource);
	if (axis > WL_POINTER_AXIS_HORIZONTAL_SCROLL) {
		wl_resource_post_error(resource, ZWLR_VIRTUAL_POINTER_V1_ERROR_INVALID_AXIS,
			"invalid axis %u", axis);
		return NULL;
	}
	if (!pointer) {
		return NULL;
	}
	struct input_axis_event *event = &pointer->axes[axis];
	if (!pointer->has_axis[axis]) {
		*event = (struct input_axis_event){.axis = axis};
		pointer->has_axis[axis] = true;
	}
	event->time = time_of(time);
	return event;
}

static void handle_axis(struct wl_client *client, struct wl_resource *resource, uint32_t time,
	uint32_t axis, wl_fixed_t value)
{
	struct input_axis_event *event = set_axis(resource, time, axis);
	if (event) {
		event->value = wl_fixed_to_double(value);
	}
}

static void handle_frame(struct wl_client *client, struct wl_resource *resource)
{
	struct virtual_pointer *pointer = wl_resource_get_user_data(resource);
	if (pointer) {
		flush(pointer);
	}
}

static void handle_axis_source(
	struct wl_client *client, struct wl_resource *resource, uint32_t source)
{
	struct virtual_pointer *pointer = wl_resource_get_user_data(resource);
	if (source > WL_POINTER_AXIS_SOURCE_WHEEL_TILT) {
		wl_resource_post_error(resource, ZWLR_VIRTUAL_POINTER_V1_ERROR_INVALID_AXIS_SOURCE,
			"invalid axis source %u", source);
		return;
	}
	if (pointer) {
		pointer->has_source = true;
		pointer->source = source;
	}
}

static void handle_axis_stop(
	struct wl_client *client, struct wl_resource *resource, uint32_t time, uint32_t axis)
{
	struct input_axis_event *event = set_axis(resource, time, axis);
	if (event) {
		event->value = 0;
		event->value120 = 0;
	}
}

static void handle_axis_discrete(struct wl_client *client, struct wl_resource *resource,
	uint32_t time, uint32_t axis, wl_fixed_t value, int32_t discrete)
{
	struct input_axis_event *event = set_axis(resource, time, axis);
	if (event) {
		int32_t most = INT32_MAX / 120;
		discrete = discrete > most ? most : discrete < -most ? -most : discrete;
		event->value = wl_fixed_to_double(value);
		event->value120 = discrete * 120;
		/* Only wheels have discrete steps. */
		event->has_source = true;
		event->source = WL_POINTER_AXIS_SOURCE_WHEEL;
	}
}

static const struct zwlr_virtual_pointer_v1_interface pointer_impl = {
	.motion = handle_motion,
	.motion_absolute = handle_motion_absolute,
	.button = handle_button,
	.axis = handle_axis,
	.frame = handle_frame,
	.axis_source = handle_axis_source,
	.axis_stop = handle_axis_stop,
	.axis_discrete = handle_axis_discrete,
	.destroy = resource_handle_destroy,
};

static void destroy(struct wl_resource *resource)
{
	struct virtual_pointer *pointer = wl_resource_get_user_data(resource);
	if (pointer) {
		input_device_finish(&pointer->device);
		free(pointer->output);
		free(pointer);
	}
}

static void create(struct wl_resource *manager, uint32_t id, struct wl_resource *seat_resource,
	struct wl_resource *output_resource)
{
	struct protocols *protocols = wl_resource_get_user_data(manager);
	struct seat *seat =
		seat_resource ? seat_from_resource(seat_resource) : protocols->server->seat;
	struct scene_output *output =
		output_resource ? output_from_resource(output_resource) : NULL;
	struct virtual_pointer *pointer = seat ? xcalloc(1, sizeof(*pointer)) : NULL;
	struct wl_resource *resource = resource_create_child(
		manager, &zwlr_virtual_pointer_v1_interface, id, &pointer_impl, pointer, destroy);
	if (resource && pointer) {
		pointer->output = xstrdup(output ? output->output->name : NULL);
		input_device_init(&pointer->device, INPUT_POINTER, "virtual pointer");
		pointer->device.logical = true;
		seat_add_device(seat, &pointer->device);
	}
}

static void handle_create(struct wl_client *client, struct wl_resource *resource,
	struct wl_resource *seat, uint32_t id)
{
	create(resource, id, seat, NULL);
}

static void handle_create_with_output(struct wl_client *client, struct wl_resource *resource,
	struct wl_resource *seat, struct wl_resource *output, uint32_t id)
{
	create(resource, id, seat, output);
}

static const struct zwlr_virtual_pointer_manager_v1_interface manager_impl = {
	.create_virtual_pointer = handle_create,
	.destroy = resource_handle_destroy,
	.create_virtual_pointer_with_output = handle_create_with_output,
};

/*
 * Returns true if no screen is used. With a screen, a seat that always has a pointer would make
 * programs disable their touch interface.
 */
static bool is_headless(const struct backend *backend)
{
	return !backend_is_drm(backend) && !backend_is_wayland(backend);
}

void wlr_virtual_pointer_create(struct protocols *protocols)
{
	if (is_headless(protocols->server->backend)) {
		seat_announce(protocols->server->seat, WL_SEAT_CAPABILITY_POINTER);
	}
	protocols_add_global(protocols, &zwlr_virtual_pointer_manager_v1_interface, 2,
		&manager_impl, protocols, GLOBAL_PRIVILEGED);
}
