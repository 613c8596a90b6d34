/* SPDX-License-Identifier: MIT */
/* Touch screens of the host: each point stays with the output where it went down. */

#include "wayland.h"

static int find(const struct wayland_touch *touch, int32_t id)
{
	for (int i = 0; i < touch->n_points; i++) {
		if (touch->points[i].id == id) {
			return i;
		}
	}
	return -1;
}

static struct input_touch_event event_at(
	struct wayland_seat *seat, int index, int64_t time, wl_fixed_t x, wl_fixed_t y)
{
	const struct wayland_output *output = seat->touch.points[index].output;
	return (struct input_touch_event){
		.time = time,
		.id = seat->touch.points[index].id,
		.x = wl_fixed_to_double(x) / output->window.width,
		.y = wl_fixed_to_double(y) / output->window.height,
		.output = output->base.name,
	};
}

static void handle_down(void *data, struct wl_touch *proxy, uint32_t serial, uint32_t time,
	struct wl_surface *surface, int32_t id, wl_fixed_t x, wl_fixed_t y)
{
	struct wayland_seat *seat = data;
	struct wayland_touch *touch = &seat->touch;
	struct wayland_output *output = surface ? wl_surface_get_user_data(surface) : NULL;
	if (!output || output->window.width <= 0 || output->window.height <= 0 ||
		touch->n_points == WAYLAND_TOUCHES_MAX || find(touch, id) >= 0) {
		return;
	}
	int index = touch->n_points++;
	touch->points[index].id = id;
	touch->points[index].output = output;
	struct input_touch_event event =
		event_at(seat, index, wayland_time(seat->backend, time), x, y);
	signal_emit(&touch->device->events.touch_down, &event);
}

static void handle_up(
	void *data, struct wl_touch *proxy, uint32_t serial, uint32_t time, int32_t id)
{
	struct wayland_seat *seat = data;
	struct wayland_touch *touch = &seat->touch;
	int index = find(touch, id);
	if (index < 0) {
		return;
	}
	touch->points[index] = touch->points[--touch->n_points];
	struct input_touch_event event = {.time = wayland_time(seat->backend, time), .id = id};
	signal_emit(&touch->device->events.touch_up, &event);
}

static void handle_motion(
	void *data, struct wl_touch *proxy, uint32_t time, int32_t id, wl_fixed_t x, wl_fixed_t y)
{
	struct wayland_seat *seat = data;
	int index = find(&seat->touch, id);
	if (index < 0) {
		return;
	}
	struct input_touch_event event =
		event_at(seat, index, wayland_time(seat->backend, time), x, y);
	signal_emit(&seat->touch.device->events.touch_motion, &event);
}

static void handle_frame(void *data, struct wl_touch *proxy)
{
	struct wayland_seat *seat = data;
	signal_emit(&seat->touch.device->events.touch_frame, NULL);
}

void wayland_touch_cancel(struct wayland_seat *seat, const struct wayland_output *output)
{
	struct wayland_touch *touch = &seat->touch;
	bool any = false;
	for (int i = touch->n_points - 1; i >= 0; i--) {
		if (output && touch->points[i].output != output) {
			continue;
		}
		struct input_touch_event event = {
			.time = clock_now(seat->backend->clock), .id = touch->points[i].id};
		touch->points[i] = touch->points[--touch->n_points];
		signal_emit(&touch->device->events.touch_cancel, &event);
		any = true;
	}
	if (any) {
		signal_emit(&touch->device->events.touch_frame, NULL);
	}
}

static void handle_cancel(void *data, struct wl_touch *proxy)
{
	wayland_touch_cancel(data, NULL);
}

static void handle_shape(
	void *data, struct wl_touch *proxy, int32_t id, wl_fixed_t major, wl_fixed_t minor)
{
}

static void handle_orientation(
	void *data, struct wl_touch *proxy, int32_t id, wl_fixed_t orientation)
{
}

static const struct wl_touch_listener listener = {
	.down = handle_down,
	.up = handle_up,
	.motion = handle_motion,
	.frame = handle_frame,
	.cancel = handle_cancel,
	.shape = handle_shape,
	.orientation = handle_orientation,
};

void wayland_touch_create(struct wayland_seat *seat)
{
	struct wayland_touch *touch = &seat->touch;
	*touch = (struct wayland_touch){0};
	touch->device = wayland_device_create(seat, INPUT_TOUCH, "touch screen");
	touch->proxy = wl_seat_get_touch(seat->proxy);
	wl_touch_add_listener(touch->proxy, &listener, seat);
	signal_emit(&seat->backend->base.events.new_input, touch->device);
}

void wayland_touch_destroy(struct wayland_seat *seat)
{
	struct wayland_touch *touch = &seat->touch;
	if (!touch->proxy) {
		return;
	}
	if (wl_touch_get_version(touch->proxy) >= WL_TOUCH_RELEASE_SINCE_VERSION) {
		wl_touch_release(touch->proxy);
	} else {
		wl_touch_destroy(touch->proxy);
	}
	touch->proxy = NULL;
	touch->n_points = 0;
	wayland_device_destroy(&touch->device);
}
