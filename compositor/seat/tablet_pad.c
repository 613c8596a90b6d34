/* SPDX-License-Identifier: MIT */
/* Tablet pads: they follow the keyboard focus; groups have modes. */

#include "seat/internal.h"
#include "seat/tablet.h"
#include "util/xalloc.h"
#include <assert.h>
#include <stdlib.h>

static const struct seat_tablet_sink_impl *sink_of(const struct seat_pad *pad)
{
	return pad->seat->tablets.sink;
}

static void set_focus(struct seat_pad *pad, struct surface *surface)
{
	wl_list_remove(&pad->focus_destroy.link);
	wl_list_init(&pad->focus_destroy.link);
	pad->focus = surface;
	if (surface) {
		wl_signal_add(&surface->events.destroy, &pad->focus_destroy);
	}
}

static void leave(struct seat_pad *pad)
{
	struct surface *surface = pad->focus;
	if (surface) {
		set_focus(pad, NULL);
		sink_of(pad)->pad_leave(pad, surface);
		pad->tablet = NULL;
	}
}

static void handle_focus_destroy(struct wl_listener *listener, void *data)
{
	struct seat_pad *pad = wl_container_of(listener, pad, focus_destroy);
	leave(pad);
}

/* Finds the tablet of the same hardware; stand-alone pads use the first tablet. */
static struct seat_tablet *find_tablet(const struct seat_pad *pad)
{
	const struct seat_tablets *tablets = &pad->seat->tablets;
	struct seat_tablet *tablet, *first = NULL;
	wl_list_for_each (tablet, &tablets->tablets, link) {
		if (pad->device->group && tablet->device->group == pad->device->group) {
			return tablet;
		}
		first = first ? first : tablet;
	}
	return first;
}

static void update(struct seat_pad *pad)
{
	struct surface *surface = pad->seat->keyboard.focus;
	struct seat_tablet *tablet = find_tablet(pad);
	if (!tablet || !sink_of(pad) || !surface || !sink_of(pad)->supports_pad(pad, surface)) {
		surface = NULL;
	}
	if (pad->focus && (pad->focus != surface || pad->tablet != tablet)) {
		leave(pad);
	}
	if (surface && !pad->focus) {
		set_focus(pad, surface);
		pad->tablet = tablet;
		sink_of(pad)->pad_enter(pad, surface);
	}
}

void seat_update_pads(struct seat *seat)
{
	struct seat_pad *pad;
	wl_list_for_each (pad, &seat->tablets.pads, link) {
		update(pad);
	}
}

static void handle_keyboard_focus(struct wl_listener *listener, void *data)
{
	struct seat *seat = wl_container_of(listener, seat, tablets.keyboard_focus);
	seat_update_pads(seat);
}

static struct seat_pad *find(struct seat *seat, const struct input_device *device)
{
	struct seat_pad *pad;
	wl_list_for_each (pad, &seat->tablets.pads, link) {
		if (pad->device == device) {
			return pad;
		}
	}
	return NULL;
}

void pad_handle(struct seat_device *device, const struct input_pad_event *event)
{
	struct seat_pad *pad = find(device->seat, device->device);
	struct input_pad_group *group = &device->device->pad->groups[event->group];
	bool switched = group->mode != event->mode;
	group->mode = event->mode;
	if (!pad->focus) {
		return;
	}
	if (switched) {
		sink_of(pad)->pad_mode(pad, pad->focus, event->group, event->time);
	}
	sink_of(pad)->pad_event(pad, pad->focus, event);
}

void pad_add(struct seat_device *device)
{
	struct seat *seat = device->seat;
	struct seat_pad *pad = xcalloc(1, sizeof(*pad));
	pad->seat = seat;
	pad->device = device->device;
	wl_list_init(&pad->objects);
	wl_list_init(&pad->focus_destroy.link);
	pad->focus_destroy.notify = handle_focus_destroy;
	wl_list_insert(seat->tablets.pads.prev, &pad->link);
	if (sink_of(pad)) {
		sink_of(pad)->pad_added(pad);
	}
	update(pad);
}

void pad_remove(struct seat_device *device)
{
	struct seat_pad *pad = find(device->seat, device->device);
	if (!pad) {
		return;
	}
	leave(pad);
	if (sink_of(pad)) {
		sink_of(pad)->pad_removed(pad);
	}
	assert(wl_list_empty(&pad->objects));
	wl_list_remove(&pad->link);
	free(pad);
}

void pads_forget_tablet(struct seat *seat, const struct seat_tablet *tablet)
{
	struct seat_pad *pad;
	wl_list_for_each (pad, &seat->tablets.pads, link) {
		if (pad->tablet == tablet) {
			leave(pad);
		}
	}
}

void pads_forget_sink(struct seat *seat)
{
	struct seat_pad *pad;
	wl_list_for_each (pad, &seat->tablets.pads, link) {
		set_focus(pad, NULL);
		pad->tablet = NULL;
	}
}

void pads_init(struct seat *seat)
{
	signal_add(
		&seat->keyboard.events.focus, &seat->tablets.keyboard_focus, handle_keyboard_focus);
}

void pads_finish(struct seat *seat)
{
	wl_list_remove(&seat->tablets.keyboard_focus.link);
}
