/* SPDX-License-Identifier: MIT */
/* Grabs that follow one press of the pointer or a finger. */

#include "press_grab.h"

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

static void handle_touch_up(struct touch_grab *grab, int64_t time, int32_t id)
{
	struct press_grab *press = wl_container_of(grab, press, touch);
	if (id == press->touch_id) {
		press->impl->release(press);
	}
}

static void handle_touch_motion(
	struct touch_grab *grab, int64_t time, int32_t id, struct coord_global at)
{
	struct press_grab *press = wl_container_of(grab, press, touch);
	if (id == press->touch_id) {
		press->at = at;
		press->impl->motion(press);
	}
}

static void handle_touch_end(struct touch_grab *grab)
{
	struct press_grab *press = wl_container_of(grab, press, touch);
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
		.by_touch = by_touch,
		.touch_id = touch_id,
		.at = point ? point->at : seat->pointer.at,
	};
	return !by_touch || point;
}

void press_grab_start(struct press_grab *press, const char *cursor)
{
	struct seat *seat = press->seat;
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
