/* SPDX-License-Identifier: MIT */
/* A seat's touch screen: each point is bound to the surface where it went down. */

#include "seat/internal.h"

static void handle_surface_unmap(struct wl_listener *listener, void *data);
static void handle_surface_destroy(struct wl_listener *listener, void *data);

static void set_surface(struct seat_touch_point *point, struct surface *surface)
{
	if (point->surface) {
		wl_list_remove(&point->surface_unmap.link);
		wl_list_remove(&point->surface_destroy.link);
	}
	point->surface = surface;
	if (surface) {
		signal_add(&surface->events.unmap, &point->surface_unmap, handle_surface_unmap);
		signal_add(
			&surface->events.destroy, &point->surface_destroy, handle_surface_destroy);
	}
}

/* Detaches the point: the client gets no further events of it. */
static void handle_surface_gone(struct seat_touch_point *point)
{
	struct surface *surface = point->surface;
	struct seat *seat = point->seat;
	set_surface(point, NULL);
	if (!point->ended) {
		seat->sink->touch_up(seat, surface, clock_now(seat->clock), point->id);
	}
	seat->sink->touch_frame(seat, surface);
}

static void handle_surface_unmap(struct wl_listener *listener, void *data)
{
	struct seat_touch_point *point = wl_container_of(listener, point, surface_unmap);
	handle_surface_gone(point);
}

static void handle_surface_destroy(struct wl_listener *listener, void *data)
{
	struct seat_touch_point *point = wl_container_of(listener, point, surface_destroy);
	handle_surface_gone(point);
}

struct seat_touch_point *touch_find(struct seat *seat, int32_t id)
{
	for (int i = 0; i < seat->touch.n_points; i++) {
		struct seat_touch_point *point = &seat->touch.points[i];
		if (point->id == id && !point->ended) {
			return point;
		}
	}
	return NULL;
}

static struct seat_touch_point *find(struct seat_device *device, int32_t id)
{
	for (int i = 0; i < device->seat->touch.n_points; i++) {
		struct seat_touch_point *point = &device->seat->touch.points[i];
		if (point->device == device->device && point->device_id == id && !point->ended) {
			return point;
		}
	}
	return NULL;
}

/* Moves the last point into the free place, with its listener. */
static void remove_point(struct seat *seat, struct seat_touch_point *point)
{
	struct seat_touch *touch = &seat->touch;
	struct seat_touch_point *last = &touch->points[touch->n_points - 1];
	struct surface *surface = last->surface;
	set_surface(point, NULL);
	if (last != point) {
		set_surface(last, NULL);
		*point = *last;
		set_surface(point, surface);
	}
	touch->n_points--;
}

static void remove_ended(struct seat *seat)
{
	for (int i = seat->touch.n_points - 1; i >= 0; i--) {
		if (seat->touch.points[i].ended) {
			remove_point(seat, &seat->touch.points[i]);
		}
	}
}

static int32_t free_id(const struct seat *seat)
{
	for (int32_t id = 0;; id++) {
		bool taken = false;
		for (int i = 0; i < seat->touch.n_points; i++) {
			taken = taken || seat->touch.points[i].id == id;
		}
		if (!taken) {
			return id;
		}
	}
}

static struct coord_surface surface_at(const struct seat_touch_point *point)
{
	struct coord_surface at = {0};
	scene_to_surface(point->surface, point->at, &at);
	return at;
}

void touch_send_down(
	struct seat *seat, struct seat_touch_point *point, struct surface *surface, int64_t time)
{
	set_surface(point, surface);
	if (surface) {
		point->serial =
			seat->sink->touch_down(seat, surface, time, point->id, surface_at(point));
		seat_remember_serial(seat, point->serial);
		point->unframed = true;
	}
}

void touch_send_up(struct seat *seat, struct seat_touch_point *point, int64_t time)
{
	if (point->surface) {
		seat_remember_serial(
			seat, seat->sink->touch_up(seat, point->surface, time, point->id));
		point->unframed = true;
	}
}

void touch_send_motion(struct seat *seat, struct seat_touch_point *point, int64_t time)
{
	if (point->surface) {
		seat->sink->touch_motion(seat, point->surface, time, point->id, surface_at(point));
		point->unframed = true;
	}
}

/* Returns true for the first point of each client, to send one event per client. */
static bool is_first_of_client(const struct seat_touch *touch, int index, bool unframed)
{
	const struct seat_touch_point *point = &touch->points[index];
	for (int i = 0; i < index; i++) {
		const struct seat_touch_point *other = &touch->points[i];
		if (other->surface && other->surface->client == point->surface->client &&
			(other->unframed || !unframed)) {
			return false;
		}
	}
	return true;
}

static void send_frame(struct seat *seat)
{
	struct seat_touch *touch = &seat->touch;
	for (int i = 0; i < touch->n_points; i++) {
		struct seat_touch_point *point = &touch->points[i];
		if (point->surface && point->unframed && is_first_of_client(touch, i, true)) {
			seat->sink->touch_frame(seat, point->surface);
		}
	}
	for (int i = 0; i < touch->n_points; i++) {
		touch->points[i].unframed = false;
	}
	remove_ended(seat);
}

void touch_cancel(struct seat *seat)
{
	struct seat_touch *touch = &seat->touch;
	remove_ended(seat);
	for (int i = 0; i < touch->n_points; i++) {
		struct seat_touch_point *point = &touch->points[i];
		if (point->surface && is_first_of_client(touch, i, false)) {
			seat->sink->touch_cancel(seat, point->surface);
		}
	}
	for (int i = 0; i < touch->n_points; i++) {
		touch->points[i].unframed = false;
		set_surface(&touch->points[i], NULL);
	}
}

static bool announce_press(
	struct seat *seat, const struct seat_touch_point *point, const struct scene_hit *hit)
{
	struct seat_press press = {
		.surface = hit->surface,
		.data = hit->data,
		.touch = true,
		.touch_id = point->id,
		.at = point->at,
		.modifiers = seat_modifiers(seat),
	};
	signal_emit(&seat->events.press, &press);
	return press.consumed;
}

void touch_handle_down(struct seat_device *device, const struct input_touch_event *event)
{
	struct seat *seat = device->seat;
	struct seat_touch *touch = &seat->touch;
	if (find(device, event->id) || touch->n_points == SEAT_TOUCHES_MAX) {
		return;
	}
	struct seat_touch_point *point = &touch->points[touch->n_points];
	*point = (struct seat_touch_point){
		.id = free_id(seat),
		.seat = seat,
		.device = device->device,
		.device_id = event->id,
		.at = scene_seen_at(
			seat->scene, seat_map_absolute(device, event->output, event->x, event->y)),
	};
	touch->n_points++;
	if (touch->grab) {
		touch->grab->impl->down(touch->grab, event->time, point->id, point->at);
		return;
	}
	struct scene_hit hit = scene_at(seat->scene, point->at);
	if (!announce_press(seat, point, &hit) && !touch->grab) {
		touch_send_down(seat, point, hit.surface, event->time);
	}
}

void touch_handle_motion(struct seat_device *device, const struct input_touch_event *event)
{
	struct seat *seat = device->seat;
	struct seat_touch_point *point = find(device, event->id);
	if (!point) {
		return;
	}
	point->at = scene_seen_at(
		seat->scene, seat_map_absolute(device, event->output, event->x, event->y));
	struct touch_grab *grab = seat->touch.grab;
	if (grab) {
		grab->impl->motion(grab, event->time, point->id, point->at);
	} else {
		touch_send_motion(seat, point, event->time);
	}
}

void touch_handle_up(struct seat_device *device, const struct input_touch_event *event)
{
	struct seat *seat = device->seat;
	struct seat_touch_point *point = find(device, event->id);
	if (!point) {
		return;
	}
	struct touch_grab *grab = seat->touch.grab;
	if (grab) {
		grab->impl->up(grab, event->time, point->id);
		point = find(device, event->id);
	} else {
		touch_send_up(seat, point, event->time);
	}
	if (point) {
		point->ended = true;
	}
}

void touch_handle_cancel(struct seat_device *device)
{
	struct seat *seat = device->seat;
	struct seat_touch *touch = &seat->touch;
	bool any = false;
	for (int i = 0; i < touch->n_points; i++) {
		any = any || (touch->points[i].device == device->device && !touch->points[i].ended);
	}
	if (any) {
		if (touch->grab && touch->grab->impl->cancel) {
			touch->grab->impl->cancel(touch->grab);
		}
		/* wl_touch.cancel applies to all points of a client. */
		touch_cancel(seat);
	}
	for (int i = touch->n_points - 1; i >= 0; i--) {
		if (touch->points[i].device == device->device) {
			remove_point(seat, &touch->points[i]);
		}
	}
}

void touch_handle_frame(struct seat_device *device)
{
	struct seat *seat = device->seat;
	struct touch_grab *grab = seat->touch.grab;
	if (grab && grab->impl->frame) {
		grab->impl->frame(grab);
	}
	send_frame(seat);
}

static void finish_grab(struct seat *seat)
{
	struct touch_grab *grab = seat->touch.grab;
	if (grab) {
		seat->touch.grab = NULL;
		grab->impl->end(grab);
	}
}

void touch_start_grab(struct seat *seat, struct touch_grab *grab)
{
	finish_grab(seat);
	grab->seat = seat;
	seat->touch.grab = grab;
}

void touch_end_grab(struct seat *seat)
{
	finish_grab(seat);
}

void touch_finish(struct seat *seat)
{
	finish_grab(seat);
	while (seat->touch.n_points > 0) {
		remove_point(seat, &seat->touch.points[seat->touch.n_points - 1]);
	}
}
