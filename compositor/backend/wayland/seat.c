/* SPDX-License-Identifier: MIT */
/* Seats of the host: input devices follow their capabilities. */

#include "util/xalloc.h"
#include "wayland.h"
#include <stdlib.h>

static void update(struct wayland_seat *seat)
{
	if (!seat->backend->started) {
		return;
	}
	bool keyboard = seat->capabilities & WL_SEAT_CAPABILITY_KEYBOARD;
	bool pointer = seat->capabilities & WL_SEAT_CAPABILITY_POINTER;
	bool touch = seat->capabilities & WL_SEAT_CAPABILITY_TOUCH;
	if (keyboard && !seat->keyboard.proxy) {
		wayland_keyboard_create(seat);
	} else if (!keyboard) {
		wayland_keyboard_destroy(seat);
	}
	if (pointer && !seat->pointer.proxy) {
		wayland_pointer_create(seat);
	} else if (!pointer) {
		wayland_pointer_destroy(seat);
	}
	if (touch && !seat->touch.proxy) {
		wayland_touch_create(seat);
	} else if (!touch) {
		wayland_touch_destroy(seat);
	}
}

static void handle_capabilities(void *data, struct wl_seat *proxy, uint32_t capabilities)
{
	struct wayland_seat *seat = data;
	seat->capabilities = capabilities;
	update(seat);
}

static void handle_name(void *data, struct wl_seat *proxy, const char *name)
{
	struct wayland_seat *seat = data;
	free(seat->label);
	seat->label = xstrdup(name);
}

static const struct wl_seat_listener listener = {
	.capabilities = handle_capabilities,
	.name = handle_name,
};

void wayland_seat_add(struct wayland_backend *backend, uint32_t name, uint32_t version)
{
	struct wayland_seat *seat = xcalloc(1, sizeof(*seat));
	seat->backend = backend;
	seat->name = name;
	/* 9: the last version whose events are all handled. */
	seat->proxy = wl_registry_bind(
		backend->registry, name, &wl_seat_interface, version < 9 ? version : 9);
	wl_seat_add_listener(seat->proxy, &listener, seat);
	wl_list_insert(backend->seats.prev, &seat->link);
}

void wayland_seat_announce(struct wayland_seat *seat)
{
	update(seat);
}

void wayland_seat_destroy(struct wayland_seat *seat)
{
	wayland_keyboard_destroy(seat);
	wayland_pointer_destroy(seat);
	wayland_touch_destroy(seat);
	wl_list_remove(&seat->link);
	if (wl_seat_get_version(seat->proxy) >= WL_SEAT_RELEASE_SINCE_VERSION) {
		wl_seat_release(seat->proxy);
	} else {
		wl_seat_destroy(seat->proxy);
	}
	free(seat->label);
	free(seat);
}

void wayland_seats_leave(struct wayland_output *output)
{
	struct wayland_seat *seat;
	wl_list_for_each (seat, &output->backend->seats, link) {
		if (seat->pointer.output == output) {
			wayland_pointer_leave(seat);
		}
		wayland_touch_cancel(seat, output);
	}
}
