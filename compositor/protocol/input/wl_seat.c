/* SPDX-License-Identifier: MIT */
/* wl_seat: the seat's capabilities and the input objects of each client. */

#include "wl_seat.h"
#include "util/xalloc.h"
#include <stdlib.h>

struct seat *seat_from_resource(struct wl_resource *resource)
{
	struct seat_client *client = wl_resource_get_user_data(resource);
	return client ? client->global->seat : NULL;
}

/* Posts an error if the seat never had the capability. */
static bool has_had(struct seat_client *client, struct wl_resource *resource, uint32_t capability)
{
	if (client && !(client->global->seat->capabilities_ever & capability)) {
		wl_resource_post_error(resource, WL_SEAT_ERROR_MISSING_CAPABILITY,
			"the seat never had this capability: wait for wl_seat.capabilities");
		return false;
	}
	return true;
}

static void handle_get_pointer(
	struct wl_client *wl_client, struct wl_resource *resource, uint32_t id)
{
	struct seat_client *client = wl_resource_get_user_data(resource);
	if (has_had(client, resource, WL_SEAT_CAPABILITY_POINTER)) {
		seat_client_create_pointer(
			client, wl_client, wl_resource_get_version(resource), id);
	}
}

static void handle_get_keyboard(
	struct wl_client *wl_client, struct wl_resource *resource, uint32_t id)
{
	struct seat_client *client = wl_resource_get_user_data(resource);
	if (has_had(client, resource, WL_SEAT_CAPABILITY_KEYBOARD)) {
		seat_client_create_keyboard(
			client, wl_client, wl_resource_get_version(resource), id);
	}
}

static void handle_get_touch(struct wl_client *wl_client, struct wl_resource *resource, uint32_t id)
{
	struct seat_client *client = wl_resource_get_user_data(resource);
	if (has_had(client, resource, WL_SEAT_CAPABILITY_TOUCH)) {
		seat_client_create_touch(client, wl_client, wl_resource_get_version(resource), id);
	}
}

static const struct wl_seat_interface seat_impl = {
	.get_pointer = handle_get_pointer,
	.get_keyboard = handle_get_keyboard,
	.get_touch = handle_get_touch,
	.release = resource_handle_destroy,
};

static void bind(struct wl_resource *resource, void *data)
{
	struct seat_global *global = data;
	struct seat_client *client = seat_client_get(global, wl_resource_get_client(resource));
	wl_resource_set_implementation(resource, &seat_impl, client, resource_unlink);
	wl_list_insert(&client->seats, wl_resource_get_link(resource));
	client_charge_receiver(resource);
	if (wl_resource_get_version(resource) >= WL_SEAT_NAME_SINCE_VERSION) {
		wl_seat_send_name(resource, global->seat->name);
	}
	wl_seat_send_capabilities(resource, global->seat->capabilities);
}

static void send_capabilities(struct seat *seat)
{
	struct seat_global *global = seat->sink_data;
	struct seat_client *client;
	if (!global) {
		return;
	}
	wl_list_for_each (client, &global->clients, link) {
		struct wl_resource *resource;
		wl_resource_for_each (resource, &client->seats) {
			wl_seat_send_capabilities(resource, seat->capabilities);
		}
	}
}

static const struct seat_sink_impl sink_impl = {
	.pointer_enter = sink_pointer_enter,
	.pointer_leave = sink_pointer_leave,
	.pointer_motion = sink_pointer_motion,
	.pointer_button = sink_pointer_button,
	.pointer_axis = sink_pointer_axis,
	.pointer_frame = sink_pointer_frame,
	.gesture = sink_gesture,
	.keyboard_enter = sink_keyboard_enter,
	.keyboard_leave = sink_keyboard_leave,
	.keyboard_key = sink_keyboard_key,
	.keyboard_modifiers = sink_keyboard_modifiers,
	.key_pass = sink_key_pass,
	.touch_down = sink_touch_down,
	.touch_up = sink_touch_up,
	.touch_motion = sink_touch_motion,
	.touch_frame = sink_touch_frame,
	.touch_cancel = sink_touch_cancel,
	.keymap = sink_keymap,
	.repeat = sink_repeat,
	.capabilities = send_capabilities,
};

const struct seat_sink_impl *seat_sink(void)
{
	return &sink_impl;
}

static void handle_destroy(struct wl_listener *listener, void *data)
{
	struct seat_global *global = wl_container_of(listener, global, destroy);
	struct seat_client *client, *next;
	wl_list_for_each_safe (client, next, &global->clients, link) {
		seat_client_destroy(client);
	}
	global->seat->sink_data = NULL;
	wl_list_remove(&global->destroy.link);
	free(global);
}

void wl_seat_create(struct protocols *protocols)
{
	struct seat_global *global = xcalloc(1, sizeof(*global));
	global->protocols = protocols;
	global->seat = protocols->server->seat;
	global->seat->sink_data = global;
	wl_list_init(&global->clients);
	signal_add(&protocols->events.destroy, &global->destroy, handle_destroy);
	protocols_add_custom_global(protocols, &wl_seat_interface, 9, bind, global, GLOBAL_PUBLIC);
}
