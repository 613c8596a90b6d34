/* SPDX-License-Identifier: MIT */
/*
 * wl_keyboard for programs without the focus: keys that a binding passes to them. A Wayland client
 * gets an enter event before the first key and a leave event after the last release, while the
 * focused client keeps its own focus. X servers take keys without one.
 */

#include "surface/client.h"
#include "wl_seat.h"
#include "xwayland/server.h"

static bool is_x(const struct seat_client *client)
{
	return client_from_wl(client->client)->x_server;
}

static bool is_shared_x(const struct seat_client *client)
{
	const struct x_server *server = client_from_wl(client->client)->x_server;
	return server && !server->own;
}

static void handle_surface_destroy(struct wl_listener *listener, void *data)
{
	struct seat_client *client = wl_container_of(listener, client, passed.surface_destroy);
	wl_list_remove(&client->passed.surface_destroy.link);
	wl_list_init(&client->passed.surface_destroy.link);
	client->passed.surface = NULL;
	client->passed.n = 0;
}

static void enter(struct seat_client *client, struct surface *surface)
{
	const struct seat_keyboard *keyboard = &client->global->seat->keyboard;
	struct wl_resource *resource;
	struct wl_array keys;
	const uint32_t serial = seat_client_serial(client);
	wl_array_init(&keys);
	client->passed.surface = surface;
	signal_add(
		&surface->events.destroy, &client->passed.surface_destroy, handle_surface_destroy);
	wl_resource_for_each (resource, &client->keyboards) {
		wl_keyboard_send_enter(resource, serial, surface_resource(surface), &keys);
		seat_client_send_modifiers(resource, serial, keyboard);
	}
}

static void send_key(struct seat_client *client, const struct input_key_event *event)
{
	const uint32_t serial = seat_client_serial(client);
	struct wl_resource *resource;
	wl_resource_for_each (resource, &client->keyboards) {
		if (is_x(client)) {
			seat_client_send_modifiers(
				resource, serial, &client->global->seat->keyboard);
		}
		wl_keyboard_send_key(resource, serial, clock_ms(event->time), event->key,
			event->pressed ? WL_KEYBOARD_KEY_STATE_PRESSED
				       : WL_KEYBOARD_KEY_STATE_RELEASED);
	}
}

/* X servers keep them until the next key, or until one of their windows has the focus. */
static void release_modifiers(struct seat_client *client)
{
	const struct input_modifiers_event *now = &client->global->seat->keyboard.modifiers;
	const uint32_t serial = seat_client_serial(client);
	struct wl_resource *resource;
	wl_resource_for_each (resource, &client->keyboards) {
		wl_keyboard_send_modifiers(resource, serial, 0, 0, now->locked, now->group);
	}
}

static void leave(struct seat_client *client)
{
	struct surface *surface = client->passed.surface;
	struct wl_resource *resource;
	if (!surface) {
		return;
	}
	wl_list_remove(&client->passed.surface_destroy.link);
	wl_list_init(&client->passed.surface_destroy.link);
	client->passed.surface = NULL;
	const uint32_t serial = seat_client_serial(client);
	wl_resource_for_each (resource, &client->keyboards) {
		wl_keyboard_send_leave(resource, serial, surface_resource(surface));
	}
}

/* The program with the focus gets the key anyway. */
static bool press(
	struct seat_client *client, struct surface *surface, const struct input_key_event *event)
{
	struct passed_keys *passed = &client->passed;
	if (wl_list_empty(&client->keyboards) || passed->n == SEAT_PASSED_MAX ||
		seat_client_owns(client, client->global->seat->keyboard.focus)) {
		return false;
	}
	for (int i = 0; i < passed->n; i++) {
		if (passed->codes[i] == event->key) {
			return true;
		}
	}
	if (passed->n == 0 && surface && !is_x(client)) {
		enter(client, surface);
	}
	passed->codes[passed->n++] = event->key;
	send_key(client, event);
	return true;
}

static void release(struct seat_client *client, const struct input_key_event *event)
{
	struct passed_keys *passed = &client->passed;
	bool found = false;
	for (int i = 0; i < passed->n; i++) {
		if (passed->codes[i] == event->key) {
			passed->codes[i] = passed->codes[--passed->n];
			send_key(client, event);
			found = true;
			break;
		}
	}
	if (found && passed->n == 0) {
		release_modifiers(client);
		leave(client);
	}
}

/* `surface` NULL: of a press, the X servers that programs share; of a release, all clients. */
bool sink_key_pass(struct seat *seat, struct surface *surface, const struct input_key_event *event)
{
	struct seat_global *global = seat->sink_data;
	struct seat_client *client;
	bool any = false;
	if (event->pressed && surface) {
		client = seat_client_of(seat, surface);
		return client && press(client, surface, event);
	}
	if (!global) {
		return false;
	}
	wl_list_for_each (client, &global->clients, link) {
		if (!event->pressed) {
			release(client, event);
		} else if (is_shared_x(client)) {
			any |= press(client, NULL, event);
		}
	}
	return any;
}

void passed_keys_end(struct seat_client *client)
{
	struct passed_keys *passed = &client->passed;
	while (passed->n > 0) {
		const struct input_key_event event = {
			.time = clock_now(client->global->seat->clock), .key = passed->codes[0]};
		release(client, &event);
	}
}
