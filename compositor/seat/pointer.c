/* SPDX-License-Identifier: MIT */
/* A seat's pointer: position, focus and events. */

#include "seat/internal.h"

static void drop_focus_listeners(struct seat_pointer *pointer)
{
	wl_list_remove(&pointer->focus_destroy.link);
	wl_list_remove(&pointer->focus_unmap.link);
	wl_list_init(&pointer->focus_destroy.link);
	wl_list_init(&pointer->focus_unmap.link);
}

static void forget_press(struct seat_pointer *pointer)
{
	wl_list_remove(&pointer->press_destroy.link);
	wl_list_init(&pointer->press_destroy.link);
	pointer->press_surface = NULL;
}

void pointer_forget_press(struct seat *seat)
{
	forget_press(&seat->pointer);
}

static void handle_focus_destroy(struct wl_listener *listener, void *data)
{
	struct seat *seat = wl_container_of(listener, seat, pointer.focus_destroy);
	pointer_set_focus(seat, NULL, (struct coord_surface){0});
}

static void handle_focus_unmap(struct wl_listener *listener, void *data)
{
	struct seat *seat = wl_container_of(listener, seat, pointer.focus_unmap);
	pointer_set_focus(seat, NULL, (struct coord_surface){0});
}

static void handle_press_destroy(struct wl_listener *listener, void *data)
{
	struct seat *seat = wl_container_of(listener, seat, pointer.press_destroy);
	forget_press(&seat->pointer);
}

void pointer_init(struct seat *seat)
{
	struct seat_pointer *pointer = &seat->pointer;
	signals_init(&pointer->events, sizeof(pointer->events));
	wl_list_init(&pointer->focus_destroy.link);
	wl_list_init(&pointer->focus_unmap.link);
	wl_list_init(&pointer->press_destroy.link);
}

void pointer_finish(struct seat *seat)
{
	struct seat_pointer *pointer = &seat->pointer;
	pointer_end_grab(seat);
	pointer_set_constraint(seat, NULL);
	pointer_set_focus(seat, NULL, (struct coord_surface){0});
	forget_press(pointer);
}

void pointer_send_frame(struct seat *seat)
{
	struct seat_pointer *pointer = &seat->pointer;
	if (pointer->unframed && pointer->focus) {
		seat->sink->pointer_frame(seat, pointer->focus);
	}
	pointer->unframed = false;
}

static struct client *client_of(const struct surface *surface)
{
	return surface ? surface->client : NULL;
}

/* Leave and enter of one client share a frame; those of different clients have two. */
static void leave(struct seat *seat, struct surface *next)
{
	struct seat_pointer *pointer = &seat->pointer;
	struct surface *old = pointer->focus;
	/* Xwayland keeps earlier events of a leave event's frame for its next surface. */
	pointer_send_frame(seat);
	drop_focus_listeners(pointer);
	seat->sink->pointer_leave(seat, old);
	if (!next || client_of(next) != client_of(old)) {
		seat->sink->pointer_frame(seat, old);
		pointer->unframed = false;
		/* The previous client's cursor image does not apply to the new focus. */
		if (!pointer->grab) {
			cursor_set_shape(&seat->cursor, "default");
		}
	}
	pointer->focus = NULL;
}

void pointer_set_focus(struct seat *seat, struct surface *surface, struct coord_surface at)
{
	struct seat_pointer *pointer = &seat->pointer;
	if (surface == pointer->focus) {
		return;
	}
	if (pointer->focus) {
		leave(seat, surface);
	}
	pointer->n_sent_presses = 0;
	pointer->focus = surface;
	pointer->focus_at = at;
	if (surface) {
		signal_add(&surface->events.destroy, &pointer->focus_destroy, handle_focus_destroy);
		signal_add(&surface->events.unmap, &pointer->focus_unmap, handle_focus_unmap);
		seat->sink->pointer_enter(seat, surface, at);
		pointer->unframed = true;
		pointer_send_frame(seat);
	}
	signal_emit(&pointer->events.focus, surface);
}

void pointer_follow(struct seat *seat, struct surface *surface, struct coord_surface at)
{
	const int n_sent_presses = seat->pointer.n_sent_presses;
	pointer_set_focus(seat, surface, at);
	seat->pointer.n_sent_presses = n_sent_presses;
}

void pointer_send_motion(struct seat *seat, int64_t time)
{
	struct seat_pointer *pointer = &seat->pointer;
	const struct pointer_constraint *constraint = pointer->constraint;
	struct coord_surface at = pointer->focus_at;
	if (!pointer->focus) {
		return;
	}
	/* A locked pointer does not move for its client, even if the window moves under it. */
	if (constraint && constraint->locked && constraint->surface == pointer->focus) {
		return;
	}
	scene_to_surface(pointer->focus, pointer->at, &at);
	if (at.x == pointer->focus_at.x && at.y == pointer->focus_at.y) {
		return;
	}
	pointer->focus_at = at;
	seat->sink->pointer_motion(seat, pointer->focus, time, at);
	pointer->unframed = true;
}

/*
 * Returns whether the pointer is locked to a visible surface whose window has the keyboard: what
 * appears over the locked place, such as a notification, does not take the pointer.
 */
static bool is_held(const struct seat *seat)
{
	const struct pointer_constraint *constraint = seat->pointer.constraint;
	struct surface *keyboard = seat->keyboard.focus;
	return constraint && constraint->locked && keyboard &&
	       constraint->surface == seat->pointer.focus && constraint->surface->visible &&
	       surface_root(keyboard) == surface_root(constraint->surface);
}

/* Gives the focus to the surface under the pointer; a pressed button or a lock keeps the focus. */
static void refocus(struct seat *seat, int64_t time)
{
	struct seat_pointer *pointer = &seat->pointer;
	if (!(seat->present & WL_SEAT_CAPABILITY_POINTER)) {
		return;
	}
	if (pointer->n_buttons == 0 && !is_held(seat)) {
		struct scene_hit hit = scene_at(seat->scene, pointer->at);
		if (hit.surface != pointer->focus) {
			pointer_set_focus(seat, hit.surface, hit.at);
		}
	}
	pointer_send_motion(seat, time);
}

void pointer_refocus(struct seat *seat)
{
	struct seat_pointer *pointer = &seat->pointer;
	if (pointer->grab || pointer->n_buttons > 0) {
		return;
	}
	refocus(seat, clock_now(seat->clock));
	pointer_send_frame(seat);
	signal_emit(&pointer->events.moved, NULL);
}

void pointer_show_cursor(struct seat *seat, bool show)
{
	bool visible = show && (seat->present & WL_SEAT_CAPABILITY_POINTER);
	if (seat->cursor.visible != visible) {
		cursor_set_visible(&seat->cursor, visible);
	}
}

/* Handles a new position: focus, motion, cursor and listeners. */
static void moved(struct seat *seat, int64_t time)
{
	struct seat_pointer *pointer = &seat->pointer;
	cursor_move(&seat->cursor, pointer->at);
	pointer_show_cursor(seat, true);
	if (pointer->grab) {
		pointer->grab->impl->motion(pointer->grab, time);
	} else {
		refocus(seat, time);
	}
	signal_emit(&pointer->events.moved, NULL);
}

void pointer_warp(struct seat *seat, struct coord_global at)
{
	seat->pointer.at = scene_layout_clamp(seat->scene, at);
	if (is_held(seat)) {
		const struct scene_hit hit = scene_at(seat->scene, seat->pointer.at);
		pointer_set_focus(seat, hit.surface, hit.at); /* ends the lock */
	}
	moved(seat, clock_now(seat->clock));
	pointer_send_frame(seat);
}

/* Limits motion to `to` by the active constraint; returns false if the pointer is locked. */
static bool constrain(struct seat *seat, struct coord_global *to)
{
	const struct seat_pointer *pointer = &seat->pointer;
	const struct pointer_constraint *constraint = pointer->constraint;
	if (!constraint || constraint->surface != pointer->focus) {
		return true;
	}
	if (constraint->locked) {
		return false;
	}
	struct coord_surface from;
	if (scene_to_surface(constraint->surface, pointer->at, &from)) {
		const double density = constraint->surface->density;
		struct coord_surface wish = {from.x + (to->x - pointer->at.x) * density,
			from.y + (to->y - pointer->at.y) * density};
		struct coord_surface end = constraint_walk(&constraint->region, from, wish);
		to->x = pointer->at.x + (end.x - from.x) / density;
		to->y = pointer->at.y + (end.y - from.y) / density;
	}
	return true;
}

/* Moves the pointer to the point of an output closest to `to`, or, if it `crosses`, over a gap. */
static void move(struct seat *seat, struct coord_global to, const struct input_motion_event *event,
	bool crosses)
{
	struct seat_pointer *pointer = &seat->pointer;
	const struct surface *focus = pointer->focus;
	if (constrain(seat, &to)) {
		pointer->at = crosses ? scene_layout_step(seat->scene, to)
				      : scene_layout_clamp(seat->scene, to);
		moved(seat, event->time);
	}
	/*
	 * Motion that ends on another surface is in the position of its enter event: Xwayland adds
	 * relative motion without a position to the pointer.
	 */
	if (pointer->focus == focus) {
		signal_emit(&pointer->events.motion, (void *)event);
	}
}

void pointer_handle_motion(struct seat_device *device, const struct input_motion_event *event)
{
	struct seat *seat = device->seat;
	struct coord_global to = {seat->pointer.at.x + event->dx, seat->pointer.at.y + event->dy};
	device->has_absolute = false;
	move(seat, to, event, true);
}

void pointer_handle_motion_absolute(
	struct seat_device *device, const struct input_motion_absolute_event *event)
{
	struct seat *seat = device->seat;
	struct coord_global to = seat_map_absolute(device, event->output, event->x, event->y);
	/* While a constraint holds the pointer, use the device's position, not the pointer's. */
	bool held = seat->pointer.constraint && device->has_absolute;
	struct coord_global from = held ? device->absolute : seat->pointer.at;
	struct input_motion_event motion = {.time = event->time,
		.dx = to.x - from.x,
		.dy = to.y - from.y,
		.dx_unaccel = to.x - from.x,
		.dy_unaccel = to.y - from.y};
	if (event->has_relative) {
		motion.dx = event->dx;
		motion.dy = event->dy;
		motion.dx_unaccel = event->dx_unaccel;
		motion.dy_unaccel = event->dy_unaccel;
	}
	device->absolute = to;
	device->has_absolute = true;
	move(seat, to, &motion, false);
}

static bool take_code(uint32_t *codes, int *n, uint32_t code)
{
	for (int i = 0; i < *n; i++) {
		if (codes[i] == code) {
			codes[i] = codes[--*n];
			return true;
		}
	}
	return false;
}

void pointer_send_button(struct seat *seat, const struct input_button_event *event)
{
	struct seat_pointer *pointer = &seat->pointer;
	if (!event->pressed) {
		if (take_code(pointer->sent_presses, &pointer->n_sent_presses, event->button) &&
			pointer->focus) {
			seat_remember_serial(
				seat, seat->sink->pointer_button(seat, pointer->focus, event));
			pointer->unframed = true;
		}
		return;
	}
	if (!pointer->focus || pointer->n_sent_presses == SEAT_BUTTONS_MAX) {
		return;
	}
	pointer->sent_presses[pointer->n_sent_presses++] = event->button;
	pointer->press_serial = seat->sink->pointer_button(seat, pointer->focus, event);
	seat_remember_serial(seat, pointer->press_serial);
	pointer->unframed = true;
	forget_press(pointer);
	pointer->press_surface = pointer->focus;
	signal_add(&pointer->focus->events.destroy, &pointer->press_destroy, handle_press_destroy);
}

/* Announces a press without a grab to the shell, which may consume it. */
static bool announce_press(struct seat *seat, uint32_t button)
{
	struct scene_hit hit = scene_at(seat->scene, seat->pointer.at);
	struct seat_press press = {
		.surface = hit.surface,
		.data = hit.data,
		.button = button,
		.at = seat->pointer.at,
		.modifiers = seat_modifiers(seat),
	};
	signal_emit(&seat->events.press, &press);
	return press.consumed;
}

static void press(struct seat *seat, const struct input_button_event *event)
{
	struct seat_pointer *pointer = &seat->pointer;
	if (pointer->n_buttons == SEAT_BUTTONS_MAX) {
		return;
	}
	if (!pointer->grab) {
		/* The surface under the pointer may have changed since the last frame. */
		pointer_refocus(seat);
	}
	pointer->buttons[pointer->n_buttons++] = event->button;
	if (pointer->grab) {
		pointer->grab->impl->button(pointer->grab, event);
	} else if (!announce_press(seat, event->button) && !pointer->grab) {
		pointer_send_button(seat, event);
	}
}

static void release(struct seat *seat, const struct input_button_event *event)
{
	struct seat_pointer *pointer = &seat->pointer;
	if (!take_code(pointer->buttons, &pointer->n_buttons, event->button)) {
		return;
	}
	if (pointer->grab) {
		pointer->grab->impl->button(pointer->grab, event);
	} else {
		pointer_send_button(seat, event);
		pointer_refocus(seat);
	}
	uint32_t button = event->button;
	signal_emit(&seat->events.release, &button);
}

void pointer_handle_button(struct seat_device *device, const struct input_button_event *event)
{
	if (!seat_device_set_down(device, event->button, event->pressed)) {
		return;
	}
	if (event->pressed) {
		press(device->seat, event);
	} else {
		release(device->seat, event);
	}
}

void pointer_send_axis(struct seat *seat, const struct input_axis_event *event)
{
	if (seat->pointer.focus) {
		seat->sink->pointer_axis(seat, seat->pointer.focus, event);
		seat->pointer.unframed = true;
	}
}

void pointer_handle_axis(struct seat_device *device, const struct input_axis_event *event)
{
	struct seat *seat = device->seat;
	struct pointer_grab *grab = seat->pointer.grab;
	if (!grab) {
		if (seat->filter.axis && seat->filter.axis(seat->filter.data, event)) {
			return;
		}
		pointer_send_axis(seat, event);
	} else if (grab->impl->axis) {
		grab->impl->axis(grab, event);
	}
}

void pointer_handle_frame(struct seat_device *device)
{
	struct seat *seat = device->seat;
	struct pointer_grab *grab = seat->pointer.grab;
	if (grab && grab->impl->frame) {
		grab->impl->frame(grab);
	}
	/* Relative motion belongs to the same frame; this signal makes its sender add it. */
	signal_emit(&seat->pointer.events.frame, NULL);
	pointer_send_frame(seat);
}

/* The seat has dropped the grab before its end() runs, which may start another. */
static void finish_grab(struct seat *seat)
{
	struct pointer_grab *grab = seat->pointer.grab;
	if (grab) {
		seat->pointer.grab = NULL;
		grab->impl->end(grab);
	}
}

void pointer_start_grab(struct seat *seat, struct pointer_grab *grab)
{
	finish_grab(seat);
	grab->seat = seat;
	seat->pointer.grab = grab;
}

void pointer_end_grab(struct seat *seat)
{
	if (seat->pointer.grab) {
		finish_grab(seat);
		pointer_refocus(seat);
	}
}

void pointer_set_constraint(struct seat *seat, struct pointer_constraint *constraint)
{
	struct pointer_constraint *old = seat->pointer.constraint;
	if (old) {
		old->active = false;
	}
	seat->pointer.constraint = constraint;
	if (constraint) {
		constraint->active = true;
	}
}
