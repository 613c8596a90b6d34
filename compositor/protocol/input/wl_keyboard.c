/* SPDX-License-Identifier: MIT */
/* wl_keyboard: keymap, keys and modifiers. */

#include "seat/text_field.h"
#include "util/fd.h"
#include "wl_seat.h"
#include <fcntl.h>
#include <unistd.h>

static const struct wl_keyboard_interface keyboard_impl = {
	.release = resource_handle_destroy,
};

static void send_keymap(struct wl_resource *resource, const struct seat_keyboard *keyboard)
{
	client_charge_queued_descriptor(wl_resource_get_client(resource));
	if (keyboard->keymap_fd >= 0) {
		wl_keyboard_send_keymap(resource, WL_KEYBOARD_KEYMAP_FORMAT_XKB_V1,
			keyboard->keymap_fd, keyboard->keymap_size);
		return;
	}
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		wl_keyboard_send_keymap(resource, WL_KEYBOARD_KEYMAP_FORMAT_NO_KEYMAP, fd, 0);
		fd_close(&fd);
	}
}

static void send_repeat(struct wl_resource *resource, const struct seat_keyboard *keyboard)
{
	if (wl_resource_get_version(resource) >= WL_KEYBOARD_REPEAT_INFO_SINCE_VERSION) {
		wl_keyboard_send_repeat_info(
			resource, keyboard->repeat_rate, keyboard->repeat_delay);
	}
}

static void send_keymap_and_repeat(
	struct wl_resource *resource, const struct seat_keyboard *keyboard)
{
	send_keymap(resource, keyboard);
	send_repeat(resource, keyboard);
}

static void send_enter(struct wl_resource *resource, uint32_t serial,
	const struct seat_keyboard *keyboard, struct surface *surface)
{
	struct wl_array keys;
	wl_array_init(&keys);
	for (int i = 0; i < keyboard->n_keys; i++) {
		uint32_t *key = wl_array_add(&keys, sizeof(*key));
		if (key) {
			*key = keyboard->keys[i];
		}
	}
	wl_keyboard_send_enter(resource, serial, surface_resource(surface), &keys);
	wl_array_release(&keys);
}

void seat_client_create_keyboard(
	struct seat_client *client, struct wl_client *wl_client, int version, uint32_t id)
{
	struct wl_resource *resource =
		seat_client_create_resource(client, wl_client, client ? &client->keyboards : NULL,
			&wl_keyboard_interface, &keyboard_impl, version, id);
	if (!resource || !client) {
		return;
	}
	struct seat *seat = client->global->seat;
	const struct seat_keyboard *keyboard = &seat->keyboard;
	keyboard_need_keymap(seat);
	send_keymap_and_repeat(resource, keyboard);
	if (seat_client_owns(client, keyboard->focus)) {
		/*
		 * The focus of text inputs follows that of keyboards: they enter again after the
		 * first keyboard.
		 */
		bool first = wl_list_length(&client->keyboards) == 1;
		if (first) {
			text_fields_leave(seat);
		}
		send_enter(resource, seat_client_serial(client), keyboard, keyboard->focus);
		seat_client_send_modifiers(resource, seat_client_serial(client), keyboard);
		if (first) {
			text_fields_enter(seat, keyboard->focus);
		}
	}
}

static void send_to_each(struct seat *seat,
	void (*send)(struct wl_resource *resource, const struct seat_keyboard *keyboard))
{
	struct seat_global *global = seat->sink_data;
	struct seat_client *client;
	struct wl_resource *resource;
	if (!global) {
		return;
	}
	wl_list_for_each (client, &global->clients, link) {
		wl_resource_for_each (resource, &client->keyboards) {
			send(resource, &seat->keyboard);
		}
	}
}

void sink_keymap(struct seat *seat)
{
	send_to_each(seat, send_keymap_and_repeat);
}

void sink_repeat(struct seat *seat)
{
	send_to_each(seat, send_repeat);
}

void sink_keyboard_enter(struct seat *seat, struct surface *surface)
{
	struct seat_client *client = seat_client_of(seat, surface);
	struct wl_resource *resource;
	if (client) {
		passed_keys_end(client); /* a keyboard enters one surface at a time */
	}
	uint32_t serial = seat_client_serial(client);
	seat_client_for_each (resource, client, keyboards) {
		send_enter(resource, serial, &seat->keyboard, surface);
	}
}

void sink_keyboard_leave(struct seat *seat, struct surface *surface)
{
	struct seat_client *client = seat_client_of(seat, surface);
	struct wl_resource *resource;
	uint32_t serial = seat_client_serial(client);
	seat_client_for_each (resource, client, keyboards) {
		wl_keyboard_send_leave(resource, serial, surface_resource(surface));
	}
}

uint32_t sink_keyboard_key(
	struct seat *seat, struct surface *surface, const struct input_key_event *event)
{
	struct seat_client *client = seat_client_of(seat, surface);
	struct wl_resource *resource;
	uint32_t serial = seat_client_serial(client);
	seat_client_for_each (resource, client, keyboards) {
		wl_keyboard_send_key(resource, serial, clock_ms(event->time), event->key,
			event->pressed ? WL_KEYBOARD_KEY_STATE_PRESSED
				       : WL_KEYBOARD_KEY_STATE_RELEASED);
	}
	return serial;
}

void sink_keyboard_modifiers(struct seat *seat, struct surface *surface)
{
	struct seat_client *client = seat_client_of(seat, surface);
	struct wl_resource *resource;
	uint32_t serial = seat_client_serial(client);
	seat_client_for_each (resource, client, keyboards) {
		seat_client_send_modifiers(resource, serial, &seat->keyboard);
	}
}
