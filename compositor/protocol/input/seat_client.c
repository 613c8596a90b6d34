/* SPDX-License-Identifier: MIT */
/* Clients of a wl_seat: their input objects, and the serials of their latest events. */

#include "util/xalloc.h"
#include "wl_seat.h"
#include <stdlib.h>

struct seat_client *seat_client_find(struct seat *seat, struct wl_client *client)
{
	struct seat_global *global = seat->sink_data;
	struct seat_client *entry;
	if (!global) {
		return NULL;
	}
	wl_list_for_each (entry, &global->clients, link) {
		if (entry->client == client) {
			return entry;
		}
	}
	return NULL;
}

struct seat_client *seat_client_of(struct seat *seat, struct surface *surface)
{
	return seat_client_find(seat, wl_resource_get_client(surface_resource(surface)));
}

bool seat_client_owns(const struct seat_client *client, struct surface *surface)
{
	return surface && wl_resource_get_client(surface_resource(surface)) == client->client;
}

uint32_t seat_client_serial(struct seat_client *client)
{
	if (!client) {
		return 0;
	}
	uint32_t serial = wl_display_next_serial(client->global->protocols->display);
	client->serials[client->next_serial] = serial;
	client->next_serial = (client->next_serial + 1) % SEAT_CLIENT_SERIALS;
	if (client->n_serials < SEAT_CLIENT_SERIALS) {
		client->n_serials++;
	}
	return serial;
}

bool seat_client_knows_serial(const struct seat_client *client, uint32_t serial)
{
	for (int i = 0; i < client->n_serials; i++) {
		if (client->serials[i] == serial) {
			return true;
		}
	}
	return false;
}

void seat_client_destroy(struct seat_client *client)
{
	while (!wl_list_empty(&client->gestures)) {
		struct wl_list *link = client->gestures.next;
		wl_list_remove(link);
		wl_list_init(link);
	}
	resources_make_inert(&client->seats);
	resources_make_inert(&client->pointers);
	resources_make_inert(&client->keyboards);
	resources_make_inert(&client->touches);
	wl_list_remove(&client->passed.surface_destroy.link);
	wl_list_remove(&client->destroy.link);
	wl_list_remove(&client->link);
	free(client);
}

static void handle_client_destroy(struct wl_listener *listener, void *data)
{
	struct seat_client *client = wl_container_of(listener, client, destroy);
	seat_client_destroy(client);
}

struct seat_client *seat_client_get(struct seat_global *global, struct wl_client *wl_client)
{
	struct seat_client *client = seat_client_find(global->seat, wl_client);
	if (client) {
		return client;
	}
	client = xcalloc(1, sizeof(*client));
	client->global = global;
	client->client = wl_client;
	wl_list_init(&client->seats);
	wl_list_init(&client->pointers);
	wl_list_init(&client->keyboards);
	wl_list_init(&client->touches);
	wl_list_init(&client->gestures);
	wl_list_init(&client->passed.surface_destroy.link);
	wl_list_insert(&global->clients, &client->link);
	client->destroy.notify = handle_client_destroy;
	wl_client_add_destroy_listener(wl_client, &client->destroy);
	return client;
}

struct wl_resource *seat_client_create_resource(struct seat_client *client,
	struct wl_client *wl_client, struct wl_list *list, const struct wl_interface *interface,
	const void *impl, int version, uint32_t id)
{
	struct wl_resource *resource =
		resource_create(wl_client, interface, version, id, impl, client, resource_unlink);
	if (!resource) {
		return NULL;
	}
	wl_list_init(wl_resource_get_link(resource));
	if (list) {
		wl_list_insert(list, wl_resource_get_link(resource));
	}
	client_charge_receiver(resource);
	return resource;
}

void seat_client_send_modifiers(
	struct wl_resource *resource, uint32_t serial, const struct seat_keyboard *keyboard)
{
	const struct input_modifiers_event *modifiers = &keyboard->modifiers_sent;
	wl_keyboard_send_modifiers(resource, serial, modifiers->depressed, modifiers->latched,
		modifiers->locked, modifiers->group);
}
