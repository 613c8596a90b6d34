/* SPDX-License-Identifier: MIT */
/* A seat: its devices and their combined capabilities. */

#include "seat/seat.h"
#include "seat/internal.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <stdlib.h>

void seat_refocus(struct seat *seat)
{
	struct pointer_grab *grab = seat->pointer.grab;
	if (!grab) {
		pointer_refocus(seat);
	} else if (grab->impl->refocus) {
		grab->impl->refocus(grab);
	}
	tablets_refocus(seat);
}

static void handle_scene_updated(struct wl_listener *listener, void *data)
{
	struct seat *seat = wl_container_of(listener, seat, scene_updated);
	seat_refocus(seat);
}

/* Keeps the pointer on an output; initially it is in the middle of the first one. */
static void handle_layout_changed(struct wl_listener *listener, void *data)
{
	struct seat *seat = wl_container_of(listener, seat, layout_changed);
	struct seat_pointer *pointer = &seat->pointer;
	struct coord_global at = scene_layout_clamp(seat->scene, pointer->at);
	if (!pointer->placed) {
		struct box box = scene_layout_box(seat->scene);
		at.x = box.x + box.width / 2;
		at.y = box.y + box.height / 2;
		pointer->placed = !box_empty(&box);
	}
	if (at.x != pointer->at.x || at.y != pointer->at.y) {
		pointer_warp(seat, at);
	}
}

struct seat *seat_create(const char *name, struct scene *scene, struct clock *clock,
	const struct seat_sink_impl *sink, void *sink_data)
{
	struct seat *seat = xcalloc(1, sizeof(*seat));
	seat->name = xstrdup(name);
	seat->scene = scene;
	seat->clock = clock;
	seat->sink = sink;
	seat->sink_data = sink_data;
	wl_list_init(&seat->devices);
	wl_list_init(&seat->text.fields);
	wl_signal_init(&seat->text.events.state);
	signals_init(&seat->events, sizeof(seat->events));
	cursor_init(&seat->cursor, scene, clock);
	pointer_init(seat);
	keyboard_init(seat);
	tablets_init(seat);
	signal_add(&scene->events.updated, &seat->scene_updated, handle_scene_updated);
	signal_add(&scene->events.layout_changed, &seat->layout_changed, handle_layout_changed);
	handle_layout_changed(&seat->layout_changed, NULL);
	return seat;
}

static uint32_t capability(const struct input_device *device)
{
	switch (device->type) {
	case INPUT_KEYBOARD: return WL_SEAT_CAPABILITY_KEYBOARD;
	case INPUT_POINTER:
	case INPUT_TABLET: return WL_SEAT_CAPABILITY_POINTER;
	case INPUT_TOUCH: return WL_SEAT_CAPABILITY_TOUCH;
	case INPUT_PAD:
	case INPUT_SWITCH: break;
	}
	return 0;
}

static void tell_capabilities(struct seat *seat)
{
	uint32_t capabilities = seat->present | seat->announced;
	if (capabilities != seat->capabilities) {
		seat->capabilities = capabilities;
		seat->capabilities_ever |= capabilities;
		seat->sink->capabilities(seat);
	}
}

static void update_capabilities(struct seat *seat)
{
	uint32_t present = 0;
	struct seat_device *device;
	wl_list_for_each (device, &seat->devices, link) {
		present |= capability(device->device);
	}
	if (present == seat->present) {
		return;
	}
	bool had_pointer = seat->present & WL_SEAT_CAPABILITY_POINTER;
	bool has_pointer = present & WL_SEAT_CAPABILITY_POINTER;
	if (had_pointer && !has_pointer) {
		pointer_end_grab(seat);
		pointer_set_focus(seat, NULL, (struct coord_surface){0});
	}
	seat->present = present;
	tell_capabilities(seat);
	cursor_set_visible(&seat->cursor, has_pointer);
	if (has_pointer && !had_pointer) {
		pointer_refocus(seat);
	}
}

void seat_announce(struct seat *seat, uint32_t capabilities)
{
	seat->announced |= capabilities;
	tell_capabilities(seat);
}

/* Releases the keys and buttons held on a device that is removed. */
static void release_all(struct seat_device *device)
{
	int64_t now = clock_now(device->seat->clock);
	bool any = false;
	for (uint32_t code = 0; code < KEY_CNT; code++) {
		if (!(device->down[code / 32] & 1u << code % 32)) {
			continue;
		}
		any = true;
		if (seat_device_is_keyboard(device)) {
			keyboard_handle_key(device, &(struct input_key_event){now, code, false});
		} else {
			pointer_handle_button(
				device, &(struct input_button_event){now, code, false});
		}
	}
	if (any && !seat_device_is_keyboard(device)) {
		pointer_handle_frame(device);
	}
}

/* Emits events.activity; `release`: of a key or button. */
static void seat_active(struct seat *seat, bool release)
{
	signal_emit(&seat->events.activity, release ? seat : NULL);
}

static void handle_key(struct wl_listener *listener, void *data)
{
	struct seat_device *device = wl_container_of(listener, device, key);
	const struct input_key_event *event = data;
	seat_active(device->seat, !event->pressed);
	keyboard_handle_key(device, data);
}

static void handle_keymap(struct wl_listener *listener, void *data)
{
	struct seat_device *device = wl_container_of(listener, device, keymap_changed);
	keyboard_handle_keymap(device, data);
}

static void handle_modifiers(struct wl_listener *listener, void *data)
{
	struct seat_device *device = wl_container_of(listener, device, modifiers);
	keyboard_handle_modifiers(device, data);
}

static void handle_motion(struct wl_listener *listener, void *data)
{
	struct seat_device *device = wl_container_of(listener, device, motion);
	seat_active(device->seat, false);
	pointer_handle_motion(device, data);
}

static void handle_motion_absolute(struct wl_listener *listener, void *data)
{
	struct seat_device *device = wl_container_of(listener, device, motion_absolute);
	seat_active(device->seat, false);
	pointer_handle_motion_absolute(device, data);
}

static void handle_button(struct wl_listener *listener, void *data)
{
	struct seat_device *device = wl_container_of(listener, device, button);
	const struct input_button_event *event = data;
	seat_active(device->seat, !event->pressed);
	pointer_handle_button(device, data);
}

static void handle_axis(struct wl_listener *listener, void *data)
{
	struct seat_device *device = wl_container_of(listener, device, axis);
	seat_active(device->seat, false);
	pointer_handle_axis(device, data);
}

static void handle_frame(struct wl_listener *listener, void *data)
{
	struct seat_device *device = wl_container_of(listener, device, frame);
	pointer_handle_frame(device);
}

static void handle_touch_down(struct wl_listener *listener, void *data)
{
	struct seat_device *device = wl_container_of(listener, device, touch_down);
	seat_active(device->seat, false);
	touch_handle_down(device, data);
}

static void handle_touch_motion(struct wl_listener *listener, void *data)
{
	struct seat_device *device = wl_container_of(listener, device, touch_motion);
	seat_active(device->seat, false);
	touch_handle_motion(device, data);
}

static void handle_touch_up(struct wl_listener *listener, void *data)
{
	struct seat_device *device = wl_container_of(listener, device, touch_up);
	seat_active(device->seat, false);
	touch_handle_up(device, data);
}

static void handle_touch_cancel(struct wl_listener *listener, void *data)
{
	struct seat_device *device = wl_container_of(listener, device, touch_cancel);
	touch_handle_cancel(device);
}

static void handle_touch_frame(struct wl_listener *listener, void *data)
{
	struct seat_device *device = wl_container_of(listener, device, touch_frame);
	touch_handle_frame(device);
}

static void handle_gesture(struct wl_listener *listener, void *data)
{
	struct seat_device *device = wl_container_of(listener, device, gesture);
	seat_active(device->seat, false);
	gesture_handle(device, data);
}

static void handle_tool(struct wl_listener *listener, void *data)
{
	struct seat_device *device = wl_container_of(listener, device, tool);
	seat_active(device->seat, false);
	tablet_handle_tool(device, data);
}

static void handle_pad(struct wl_listener *listener, void *data)
{
	struct seat_device *device = wl_container_of(listener, device, pad);
	seat_active(device->seat, false);
	pad_handle(device, data);
}

static void remove_device(struct seat_device *device)
{
	struct seat *seat = device->seat;
	struct wl_listener *const listeners[] = {&device->key, &device->keymap_changed,
		&device->modifiers, &device->motion, &device->motion_absolute, &device->button,
		&device->axis, &device->frame, &device->touch_down, &device->touch_motion,
		&device->touch_up, &device->touch_cancel, &device->touch_frame, &device->gesture,
		&device->tool, &device->pad, &device->destroy};
	for (size_t i = 0; i < sizeof(listeners) / sizeof(listeners[0]); i++) {
		wl_list_remove(&listeners[i]->link);
	}
	tablet_remove(device);
	pad_remove(device);
	release_all(device);
	touch_handle_cancel(device);
	gesture_forget(device);
	keyboard_forget_keymap(device);
	wl_list_remove(&device->link);
	if (device->device->type == INPUT_KEYBOARD) {
		signal_emit(&seat->keyboard.events.changed, NULL);
	}
	free(device);
	update_capabilities(seat);
}

static void handle_device_destroy(struct wl_listener *listener, void *data)
{
	struct seat_device *device = wl_container_of(listener, device, destroy);
	log_debug(LOG_SEAT, "%s: device %s removed", device->seat->name, device->device->name);
	remove_device(device);
}

void seat_add_device(struct seat *seat, struct input_device *device)
{
	log_debug(LOG_SEAT, "%s: device %s added", seat->name, device->name);
	if (device->type == INPUT_KEYBOARD) {
		keyboard_need_keymap(seat);
	}
	struct seat_device *self = xcalloc(1, sizeof(*self));
	self->seat = seat;
	self->device = device;
	self->repeat_rate = self->repeat_delay = -1;
	wl_list_insert(seat->devices.prev, &self->link);
	signal_add(&device->events.key, &self->key, handle_key);
	signal_add(&device->events.keymap, &self->keymap_changed, handle_keymap);
	signal_add(&device->events.modifiers, &self->modifiers, handle_modifiers);
	signal_add(&device->events.motion, &self->motion, handle_motion);
	signal_add(&device->events.motion_absolute, &self->motion_absolute, handle_motion_absolute);
	signal_add(&device->events.button, &self->button, handle_button);
	signal_add(&device->events.axis, &self->axis, handle_axis);
	signal_add(&device->events.frame, &self->frame, handle_frame);
	signal_add(&device->events.touch_down, &self->touch_down, handle_touch_down);
	signal_add(&device->events.touch_motion, &self->touch_motion, handle_touch_motion);
	signal_add(&device->events.touch_up, &self->touch_up, handle_touch_up);
	signal_add(&device->events.touch_cancel, &self->touch_cancel, handle_touch_cancel);
	signal_add(&device->events.touch_frame, &self->touch_frame, handle_touch_frame);
	signal_add(&device->events.gesture, &self->gesture, handle_gesture);
	signal_add(&device->events.tool, &self->tool, handle_tool);
	signal_add(&device->events.pad, &self->pad, handle_pad);
	signal_add(&device->events.destroy, &self->destroy, handle_device_destroy);
	keyboard_update_leds(seat);
	update_capabilities(seat);
	if (device->type == INPUT_KEYBOARD) {
		signal_emit(&seat->keyboard.events.changed, NULL);
	}
	if (device->type == INPUT_TABLET) {
		tablet_add(self);
	} else if (device->type == INPUT_PAD) {
		pad_add(self);
	}
}

void seat_destroy(struct seat *seat)
{
	if (!seat) {
		return;
	}
	signal_emit(&seat->events.destroy, seat);
	wl_list_remove(&seat->scene_updated.link);
	wl_list_remove(&seat->layout_changed.link);
	struct seat_device *device, *next;
	wl_list_for_each_safe (device, next, &seat->devices, link) {
		remove_device(device);
	}
	tablets_finish(seat);
	touch_finish(seat);
	pointer_finish(seat);
	keyboard_finish(seat);
	cursor_finish(&seat->cursor);
	free(seat->theme_name);
	free(seat->name);
	free(seat);
}

void seat_interrupt(struct seat *seat)
{
	pointer_forget_press(seat);
	seat->keyboard.press_serial = 0;
	seat->n_serials = seat->next_serial = 0;
	keyboard_end_grab(seat);
	pointer_end_grab(seat);
	touch_end_grab(seat);
	touch_cancel(seat);
	gesture_cancel(seat);
	tablets_interrupt(seat);
	pointer_set_focus(seat, NULL, (struct coord_surface){0});
	cursor_set_shape(&seat->cursor, "default");
	pointer_refocus(seat);
}

static bool is_of(const struct surface *surface, const struct client *client)
{
	return surface && surface->client == client;
}

bool seat_has_focus(const struct seat *seat, const struct client *client)
{
	if (is_of(seat->pointer.focus, client) || is_of(seat->keyboard.focus, client)) {
		return true;
	}
	for (int i = 0; i < seat->touch.n_points; i++) {
		if (is_of(seat->touch.points[i].surface, client)) {
			return true;
		}
	}
	const struct seat_tool *tool;
	wl_list_for_each (tool, &seat->tablets.tools, link) {
		if (is_of(tool->focus, client)) {
			return true;
		}
	}
	return false;
}

bool seat_claim_press(struct seat *seat, uint32_t serial, struct surface *surface)
{
	const struct seat_pointer *pointer = &seat->pointer;
	if (pointer->press_surface && pointer->press_serial == serial && pointer->n_buttons > 0) {
		return pointer->press_surface->client == surface->client;
	}
	for (int i = 0; i < seat->touch.n_points; i++) {
		const struct seat_touch_point *point = &seat->touch.points[i];
		if (point->surface && !point->ended && point->serial == serial) {
			return point->surface->client == surface->client;
		}
	}
	return tablets_claim_press(seat, serial, surface);
}

void seat_set_cursor_theme(struct seat *seat, const char *theme, int size)
{
	free(seat->theme_name);
	seat->theme_name = xstrdup(theme);
	seat->theme_size = size;
	cursor_set_theme(&seat->cursor, theme, size);
	struct seat_tool *tool;
	wl_list_for_each (tool, &seat->tablets.tools, link) {
		cursor_set_theme(&tool->cursor, theme, size);
	}
}
