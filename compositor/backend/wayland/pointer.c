/* SPDX-License-Identifier: MIT */
/*
 * Pointers of the host. Positions are relative to the output under the pointer, with relative
 * motion if the host sends it; the host's cursor is hidden over our windows.
 */

#include "wayland.h"

static struct wayland_output *output_of(struct wl_surface *surface)
{
	/* The window may have been closed. */
	return surface ? wl_surface_get_user_data(surface) : NULL;
}

static void flush_axis(struct wayland_pointer *pointer)
{
	for (int i = 0; i < 2; i++) {
		if (!pointer->scrolled[i]) {
			continue;
		}
		pointer->axis[i].axis = (enum wl_pointer_axis)i;
		pointer->axis[i].source = pointer->source;
		pointer->axis[i].has_source = pointer->has_source;
		signal_emit(&pointer->device->events.axis, &pointer->axis[i]);
	}
}

/** Emits the end of an event group. */
static void flush(struct wayland_pointer *pointer)
{
	if (pointer->moved || pointer->motion.has_relative) {
		if (pointer->output) {
			pointer->motion.output = pointer->output->base.name;
			signal_emit(&pointer->device->events.motion_absolute, &pointer->motion);
		}
		pointer->moved = false;
		pointer->motion.has_relative = false;
		pointer->motion.dx = pointer->motion.dy = 0;
		pointer->motion.dx_unaccel = pointer->motion.dy_unaccel = 0;
	}
	flush_axis(pointer);
	for (int i = 0; i < 2; i++) {
		pointer->scrolled[i] = false;
		pointer->axis[i] = (struct input_axis_event){0};
	}
	pointer->has_source = false;
	signal_emit(&pointer->device->events.frame, NULL);
}

/** Seats older than wl_pointer version 5 do not group events. */
static void flush_if_single(struct wayland_seat *seat)
{
	if (wl_pointer_get_version(seat->pointer.proxy) < WL_POINTER_FRAME_SINCE_VERSION) {
		flush(&seat->pointer);
	}
}

static double fraction(wl_fixed_t at, int32_t size)
{
	double value = size > 0 ? wl_fixed_to_double(at) / size : 0;
	return value < 0 ? 0 : value > 1 ? 1 : value;
}

static void move(struct wayland_pointer *pointer, int64_t time, wl_fixed_t x, wl_fixed_t y)
{
	if (!pointer->output) {
		return;
	}
	pointer->motion.time = time;
	pointer->motion.x = fraction(x, pointer->output->window.width);
	pointer->motion.y = fraction(y, pointer->output->window.height);
	pointer->moved = true;
}

static void handle_enter(void *data, struct wl_pointer *proxy, uint32_t serial,
	struct wl_surface *surface, wl_fixed_t x, wl_fixed_t y)
{
	struct wayland_seat *seat = data;
	wl_pointer_set_cursor(proxy, serial, NULL, 0, 0);
	seat->pointer.output = output_of(surface);
	move(&seat->pointer, clock_now(seat->backend->clock), x, y);
	flush_if_single(seat);
}

static void send_button(
	struct wayland_pointer *pointer, int64_t time, uint32_t button, bool pressed)
{
	struct input_button_event event = {.time = time, .button = button, .pressed = pressed};
	signal_emit(&pointer->device->events.button, &event);
}

void wayland_pointer_leave(struct wayland_seat *seat)
{
	struct wayland_pointer *pointer = &seat->pointer;
	bool any = pointer->n_buttons > 0;
	while (pointer->n_buttons > 0) {
		uint32_t button = pointer->buttons[--pointer->n_buttons];
		send_button(pointer, clock_now(seat->backend->clock), button, false);
	}
	if (any || pointer->moved || pointer->motion.has_relative) {
		flush(pointer);
	}
	pointer->output = NULL;
}

static void handle_leave(
	void *data, struct wl_pointer *proxy, uint32_t serial, struct wl_surface *surface)
{
	wayland_pointer_leave(data);
}

static void handle_motion(
	void *data, struct wl_pointer *proxy, uint32_t time, wl_fixed_t x, wl_fixed_t y)
{
	struct wayland_seat *seat = data;
	move(&seat->pointer, wayland_time(seat->backend, time), x, y);
	flush_if_single(seat);
}

/** Returns false if the button was in that state already. */
static bool track(struct wayland_pointer *pointer, uint32_t button, bool pressed)
{
	int i = 0;
	while (i < pointer->n_buttons && pointer->buttons[i] != button) {
		i++;
	}
	if (pressed) {
		if (i < pointer->n_buttons ||
			i == (int)(sizeof(pointer->buttons) / sizeof(pointer->buttons[0]))) {
			return false;
		}
		pointer->buttons[pointer->n_buttons++] = button;
		return true;
	}
	if (i == pointer->n_buttons) {
		return false;
	}
	pointer->buttons[i] = pointer->buttons[--pointer->n_buttons];
	return true;
}

static void handle_button(void *data, struct wl_pointer *proxy, uint32_t serial, uint32_t time,
	uint32_t button, uint32_t state)
{
	struct wayland_seat *seat = data;
	struct wayland_pointer *pointer = &seat->pointer;
	bool pressed = state == WL_POINTER_BUTTON_STATE_PRESSED;
	if (track(pointer, button, pressed)) {
		send_button(pointer, wayland_time(seat->backend, time), button, pressed);
		flush_if_single(seat);
	}
}

/** Returns NULL for an invalid axis. */
static struct input_axis_event *axis_event(struct wayland_pointer *pointer, uint32_t axis)
{
	if (axis > WL_POINTER_AXIS_HORIZONTAL_SCROLL) {
		return NULL;
	}
	pointer->scrolled[axis] = true;
	return &pointer->axis[axis];
}

static void handle_axis(
	void *data, struct wl_pointer *proxy, uint32_t time, uint32_t axis, wl_fixed_t value)
{
	struct wayland_seat *seat = data;
	struct input_axis_event *event = axis_event(&seat->pointer, axis);
	if (event) {
		event->time = wayland_time(seat->backend, time);
		event->value += wl_fixed_to_double(value);
		flush_if_single(seat);
	}
}

static void handle_frame(void *data, struct wl_pointer *proxy)
{
	struct wayland_seat *seat = data;
	flush(&seat->pointer);
}

static void handle_axis_source(void *data, struct wl_pointer *proxy, uint32_t source)
{
	struct wayland_seat *seat = data;
	seat->pointer.source = (enum wl_pointer_axis_source)source;
	seat->pointer.has_source = source <= WL_POINTER_AXIS_SOURCE_WHEEL_TILT;
}

static void handle_axis_stop(void *data, struct wl_pointer *proxy, uint32_t time, uint32_t axis)
{
	struct wayland_seat *seat = data;
	struct input_axis_event *event = axis_event(&seat->pointer, axis);
	if (event) {
		event->time = wayland_time(seat->backend, time);
	}
}

static void handle_axis_discrete(
	void *data, struct wl_pointer *proxy, uint32_t axis, int32_t discrete)
{
	struct wayland_seat *seat = data;
	struct input_axis_event *event = axis_event(&seat->pointer, axis);
	if (event && discrete > -10000 && discrete < 10000) {
		event->value120 += discrete * 120;
	}
}

static void handle_axis_value120(
	void *data, struct wl_pointer *proxy, uint32_t axis, int32_t value120)
{
	struct wayland_seat *seat = data;
	struct input_axis_event *event = axis_event(&seat->pointer, axis);
	if (event) {
		event->value120 = value120;
	}
}

static void handle_axis_relative_direction(
	void *data, struct wl_pointer *proxy, uint32_t axis, uint32_t direction)
{
	struct wayland_seat *seat = data;
	/* The direction qualifies a scroll event; alone it is none. */
	if (axis <= WL_POINTER_AXIS_HORIZONTAL_SCROLL &&
		direction <= WL_POINTER_AXIS_RELATIVE_DIRECTION_INVERTED) {
		seat->pointer.axis[axis].direction =
			(enum wl_pointer_axis_relative_direction)direction;
	}
}

static const struct wl_pointer_listener listener = {
	.enter = handle_enter,
	.leave = handle_leave,
	.motion = handle_motion,
	.button = handle_button,
	.axis = handle_axis,
	.frame = handle_frame,
	.axis_source = handle_axis_source,
	.axis_stop = handle_axis_stop,
	.axis_discrete = handle_axis_discrete,
	.axis_value120 = handle_axis_value120,
	.axis_relative_direction = handle_axis_relative_direction,
};

static void handle_relative_motion(void *data, struct zwp_relative_pointer_v1 *proxy,
	uint32_t utime_hi, uint32_t utime_lo, wl_fixed_t dx, wl_fixed_t dy, wl_fixed_t dx_unaccel,
	wl_fixed_t dy_unaccel)
{
	struct wayland_seat *seat = data;
	struct input_motion_absolute_event *motion = &seat->pointer.motion;
	uint64_t utime = (uint64_t)utime_hi << 32 | utime_lo;
	if (!seat->pointer.moved && !motion->has_relative) {
		motion->time = wayland_time(seat->backend, (uint32_t)(utime / 1000));
	}
	motion->has_relative = true;
	motion->dx += wl_fixed_to_double(dx);
	motion->dy += wl_fixed_to_double(dy);
	motion->dx_unaccel += wl_fixed_to_double(dx_unaccel);
	motion->dy_unaccel += wl_fixed_to_double(dy_unaccel);
	flush_if_single(seat);
}

static const struct zwp_relative_pointer_v1_listener relative_listener = {
	.relative_motion = handle_relative_motion,
};

void wayland_pointer_create(struct wayland_seat *seat)
{
	struct wayland_backend *backend = seat->backend;
	struct wayland_pointer *pointer = &seat->pointer;
	*pointer = (struct wayland_pointer){0};
	pointer->device = wayland_device_create(seat, INPUT_POINTER, "pointer");
	pointer->proxy = wl_seat_get_pointer(seat->proxy);
	wl_pointer_add_listener(pointer->proxy, &listener, seat);
	if (backend->relative) {
		pointer->relative = zwp_relative_pointer_manager_v1_get_relative_pointer(
			backend->relative, pointer->proxy);
		zwp_relative_pointer_v1_add_listener(pointer->relative, &relative_listener, seat);
	}
	wayland_gestures_create(seat);
	signal_emit(&backend->base.events.new_input, pointer->device);
}

void wayland_pointer_destroy(struct wayland_seat *seat)
{
	struct wayland_pointer *pointer = &seat->pointer;
	if (!pointer->proxy) {
		return;
	}
	wayland_gestures_destroy(seat);
	if (pointer->relative) {
		zwp_relative_pointer_v1_destroy(pointer->relative);
	}
	if (wl_pointer_get_version(pointer->proxy) >= WL_POINTER_RELEASE_SINCE_VERSION) {
		wl_pointer_release(pointer->proxy);
	} else {
		wl_pointer_destroy(pointer->proxy);
	}
	pointer->relative = NULL;
	pointer->proxy = NULL;
	pointer->output = NULL;
	wayland_device_destroy(&pointer->device);
}
