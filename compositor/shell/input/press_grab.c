/* SPDX-License-Identifier: MIT */
/* Grabs that follow one press of the pointer or a finger. */

#include "press_grab.h"

static void handle_key(struct keyboard_grab *grab, const struct input_key_event *event)
{
	struct press_grab *press = wl_container_of(grab, press, keyboard);
	if (!dropped_keys_take(&press->dropped, event)) {
		keyboard_send_key(grab->seat, event);
	}
}

static void handle_modifiers(struct keyboard_grab *grab)
{
	keyboard_send_modifiers(grab->seat);
}

/* Another grab of the keyboard has replaced this one, or the press has ended. */
static void handle_keyboard_end(struct keyboard_grab *grab)
{
}

static const struct keyboard_grab_impl keyboard_impl = {
	.key = handle_key,
	.modifiers = handle_modifiers,
	.end = handle_keyboard_end,
};

bool press_grab_key(struct shell *shell, xkb_keysym_t sym)
{
	struct keyboard_grab *grab = shell->seat->keyboard.grab;
	if (!grab || grab->impl != &keyboard_impl || sym != XKB_KEY_Escape) {
		return false;
	}
	struct press_grab *press = wl_container_of(grab, press, keyboard);
	if (press->impl->cancel) {
		press->impl->cancel(press);
	} else {
		press_grab_end(press);
	}
	return true;
}

/* Ends the keyboard's part of the grab. */
static void release_keys(struct press_grab *press)
{
	if (press->seat->keyboard.grab == &press->keyboard) {
		keyboard_end_grab(press->seat);
	}
}

static void handle_motion(struct pointer_grab *grab, int64_t time)
{
	struct press_grab *press = wl_container_of(grab, press, pointer);
	press->at = press->seat->pointer.at;
	press->impl->motion(press);
}

static void handle_button(struct pointer_grab *grab, const struct input_button_event *event)
{
	struct press_grab *press = wl_container_of(grab, press, pointer);
	if (!event->pressed && press->seat->pointer.n_buttons == 0) {
		press->impl->release(press);
	}
}

static void handle_pointer_end(struct pointer_grab *grab)
{
	struct press_grab *press = wl_container_of(grab, press, pointer);
	if (press->has_cursor) {
		cursor_set_shape(&press->seat->cursor, "default");
	}
	release_keys(press);
	press->impl->end(press);
}

static const struct pointer_grab_impl pointer_impl = {
	.motion = handle_motion,
	.button = handle_button,
	.end = handle_pointer_end,
};

static void handle_touch_down(
	struct touch_grab *grab, int64_t time, int32_t id, struct coord_global at)
{
}

/* Other fingers may be in clients' surfaces since before the grab. */
static void handle_touch_up(struct touch_grab *grab, int64_t time, int32_t id)
{
	struct press_grab *press = wl_container_of(grab, press, touch);
	if (id == press->touch_id) {
		press->impl->release(press);
	} else {
		touch_send_up(grab->seat, touch_find(grab->seat, id), time);
	}
}

static void handle_touch_motion(
	struct touch_grab *grab, int64_t time, int32_t id, struct coord_global at)
{
	struct press_grab *press = wl_container_of(grab, press, touch);
	if (id == press->touch_id) {
		press->at = at;
		press->impl->motion(press);
	} else {
		touch_send_motion(grab->seat, touch_find(grab->seat, id), time);
	}
}

static void handle_touch_end(struct touch_grab *grab)
{
	struct press_grab *press = wl_container_of(grab, press, touch);
	release_keys(press);
	press->impl->end(press);
}

static const struct touch_grab_impl touch_impl = {
	.down = handle_touch_down,
	.up = handle_touch_up,
	.motion = handle_touch_motion,
	.end = handle_touch_end,
};

bool press_grab_init(struct press_grab *press, const struct press_grab_impl *impl,
	struct seat *seat, bool by_touch, int32_t touch_id)
{
	const struct seat_touch_point *point = by_touch ? touch_find(seat, touch_id) : NULL;
	*press = (struct press_grab){
		.impl = impl,
		.seat = seat,
		.pointer = {.impl = &pointer_impl},
		.touch = {.impl = &touch_impl},
		.keyboard = {.impl = &keyboard_impl},
		.by_touch = by_touch,
		.touch_id = touch_id,
		.at = point ? point->at : seat->pointer.at,
	};
	return !by_touch || point;
}

void press_grab_start(struct press_grab *press, const char *cursor)
{
	struct seat *seat = press->seat;
	if (cursor) {
		keyboard_start_grab(seat, &press->keyboard);
	}
	if (press->by_touch) {
		if (cursor) {
			touch_cancel(seat); /* ends the touch sequence for clients */
		}
		touch_start_grab(seat, &press->touch);
		return;
	}
	pointer_start_grab(seat, &press->pointer);
	if (cursor) {
		press->has_cursor = true;
		pointer_set_focus(seat, NULL, (struct coord_surface){0});
		cursor_set_shape(&seat->cursor, cursor);
	}
}

void press_grab_end(struct press_grab *press)
{
	if (press->by_touch) {
		touch_end_grab(press->seat);
	} else {
		pointer_end_grab(press->seat);
	}
}
