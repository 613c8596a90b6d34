/* SPDX-License-Identifier: MIT */
/* Grabs of a drag: the pointer or a touch point moves it, and Escape cancels it. */

#include "drag.h"

static void handle_pointer_motion(struct pointer_grab *grab, int64_t time)
{
	struct drag *drag = wl_container_of(grab, drag, pointer_grab);
	drag_move(drag, grab->seat->pointer.at, time, true);
}

static void handle_pointer_refocus(struct pointer_grab *grab)
{
	struct drag *drag = wl_container_of(grab, drag, pointer_grab);
	drag_move(drag, grab->seat->pointer.at, clock_now(grab->seat->clock), false);
}

static void handle_pointer_button(struct pointer_grab *grab, const struct input_button_event *event)
{
	struct drag *drag = wl_container_of(grab, drag, pointer_grab);
	if (grab->seat->pointer.n_buttons == 0) {
		drag_drop(drag);
	}
}

void drag_handle_pointer_end(struct pointer_grab *grab)
{
	struct drag *drag = wl_container_of(grab, drag, pointer_grab);
	drag_cancel(drag);
}

static const struct pointer_grab_impl pointer_grab_impl = {
	.motion = handle_pointer_motion,
	.button = handle_pointer_button,
	.refocus = handle_pointer_refocus,
	.end = drag_handle_pointer_end,
};

static void handle_touch_down(
	struct touch_grab *grab, int64_t time, int32_t id, struct coord_global at)
{
	/* Other touch points are ignored during the drag. */
}

static void handle_touch_up(struct touch_grab *grab, int64_t time, int32_t id)
{
	struct drag *drag = wl_container_of(grab, drag, touch_grab);
	struct seat *seat = grab->seat;
	struct seat_touch_point *point = touch_find(seat, id);
	if (point) {
		/* Sends up to the surface that got the touch's down event. */
		touch_send_up(seat, point, time);
	}
	if (id == drag->touch_id) {
		drag_drop(drag);
	}
}

static void handle_touch_motion(
	struct touch_grab *grab, int64_t time, int32_t id, struct coord_global at)
{
	struct drag *drag = wl_container_of(grab, drag, touch_grab);
	if (id == drag->touch_id) {
		drag_move(drag, at, time, true);
	}
}

void drag_handle_touch_end(struct touch_grab *grab)
{
	struct drag *drag = wl_container_of(grab, drag, touch_grab);
	drag_cancel(drag);
}

static const struct touch_grab_impl touch_grab_impl = {
	.down = handle_touch_down,
	.up = handle_touch_up,
	.motion = handle_touch_motion,
	.end = drag_handle_touch_end,
	.cancel = drag_handle_touch_end,
};

static void handle_key(struct keyboard_grab *grab, const struct input_key_event *event)
{
	struct drag *drag = wl_container_of(grab, drag, keyboard_grab);
	struct seat_keyboard *keyboard = &grab->seat->keyboard;
	if (event->pressed && keyboard->state &&
		xkb_state_key_get_one_sym(keyboard->state, event->key + 8) == XKB_KEY_Escape) {
		keyboard_consume_key(grab->seat, event->key);
		drag_cancel(drag);
		return;
	}
	keyboard_send_key(grab->seat, event);
}

static void handle_modifiers(struct keyboard_grab *grab)
{
	struct drag *drag = wl_container_of(grab, drag, keyboard_grab);
	keyboard_send_modifiers(grab->seat);
	drag_update_action(drag);
}

static void handle_keyboard_end(struct keyboard_grab *grab)
{
	/* A popup grab took over the keyboard: the drag continues without modifiers. */
}

static const struct keyboard_grab_impl keyboard_grab_impl = {
	.key = handle_key,
	.modifiers = handle_modifiers,
	.end = handle_keyboard_end,
};

void drag_start_grab(struct drag *drag, const struct seat_touch_point *point,
	const struct pointer_grab_impl *pointer, const struct touch_grab_impl *touch)
{
	if (point) {
		drag->touch = true;
		drag->touch_id = point->id;
		drag->at = point->at;
		drag->touch_grab.impl = touch;
		touch_start_grab(drag->seat, &drag->touch_grab);
	} else {
		drag->pointer_grab.impl = pointer;
		pointer_start_grab(drag->seat, &drag->pointer_grab);
	}
}

static struct seat_touch_point *find_touch(struct seat *seat, uint32_t serial)
{
	for (int i = 0; i < seat->touch.n_points; i++) {
		struct seat_touch_point *point = &seat->touch.points[i];
		if (point->surface && !point->ended && point->serial == serial) {
			return point;
		}
	}
	return NULL;
}

void drag_start(struct data_manager *manager, struct wl_client *client, struct data_source *source,
	struct surface *origin, struct surface *icon, uint32_t serial)
{
	struct seat *seat = manager->protocols->server->seat;
	if (source) {
		source->base.used = true;
		source->dragged = true;
	}
	if (manager->drag || !seat_claim_press(seat, serial, origin)) {
		if (source) {
			data_source_cancel_drag(source);
		}
		return;
	}
	struct drag *drag = drag_create(manager, client, source);
	drag->keyboard_grab.impl = &keyboard_grab_impl;
	keyboard_start_grab(seat, &drag->keyboard_grab);
	drag_start_grab(drag, find_touch(seat, serial), &pointer_grab_impl, &touch_grab_impl);
	if (!drag->touch) {
		pointer_set_focus(seat, NULL, (struct coord_surface){0});
	}
	if (icon) {
		drag_add_icon(drag, icon);
	}
	drag_move(drag, drag->at, clock_now(seat->clock), false);
}
