/* SPDX-License-Identifier: MIT */
/* zwp_relative_pointer: motion as reported by the device, also where the pointer cannot move. */

#include "relative-pointer-unstable-v1-protocol.h"
#include "util/xalloc.h"
#include "wl_seat.h"
#include <stdlib.h>

struct relative_manager {
	struct protocols *protocols;
	struct wl_list pointers; /* relative_pointer.link */
	struct wl_listener motion, destroy;
};

struct relative_pointer {
	struct wl_list link; /* empty when its wl_pointer is destroyed */
	struct wl_resource *resource;
	struct wl_listener pointer_destroy;
};

static void handle_motion(struct wl_listener *listener, void *data)
{
	struct relative_manager *manager = wl_container_of(listener, manager, motion);
	const struct input_motion_event *event = data;
	struct seat *seat = manager->protocols->server->seat;
	if (!seat->pointer.focus) {
		return;
	}
	struct wl_client *client = wl_resource_get_client(surface_resource(seat->pointer.focus));
	const double density = seat->pointer.focus->density;
	uint64_t us = (uint64_t)event->time / 1000;
	struct relative_pointer *pointer;
	wl_list_for_each (pointer, &manager->pointers, link) {
		if (wl_resource_get_client(pointer->resource) != client) {
			continue;
		}
		zwp_relative_pointer_v1_send_relative_motion(pointer->resource,
			(uint32_t)(us >> 32), (uint32_t)us,
			wl_fixed_from_double(event->dx * density),
			wl_fixed_from_double(event->dy * density),
			wl_fixed_from_double(event->dx_unaccel),
			wl_fixed_from_double(event->dy_unaccel));
		/* Makes the pointer frame include this event even if no other event follows. */
		seat->pointer.unframed = true;
	}
}

static const struct zwp_relative_pointer_v1_interface pointer_impl = {
	.destroy = resource_handle_destroy,
};

static void detach(struct relative_pointer *pointer)
{
	wl_list_remove(&pointer->link);
	wl_list_init(&pointer->link);
	wl_list_remove(&pointer->pointer_destroy.link);
	wl_list_init(&pointer->pointer_destroy.link);
}

static void handle_pointer_destroy(struct wl_listener *listener, void *data)
{
	struct relative_pointer *pointer = wl_container_of(listener, pointer, pointer_destroy);
	detach(pointer);
}

static void destroy_pointer(struct wl_resource *resource)
{
	struct relative_pointer *pointer = wl_resource_get_user_data(resource);
	detach(pointer);
	free(pointer);
}

static void handle_get_relative_pointer(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, struct wl_resource *pointer_resource)
{
	struct relative_manager *manager = wl_resource_get_user_data(resource);
	struct relative_pointer *pointer = xcalloc(1, sizeof(*pointer));
	struct wl_resource *created = resource_create_child(resource,
		&zwp_relative_pointer_v1_interface, id, &pointer_impl, pointer, destroy_pointer);
	if (!created) {
		return;
	}
	pointer->resource = created;
	client_charge_receiver(created);
	wl_list_insert(&manager->pointers, &pointer->link);
	pointer->pointer_destroy.notify = handle_pointer_destroy;
	wl_resource_add_destroy_listener(pointer_resource, &pointer->pointer_destroy);
}

static const struct zwp_relative_pointer_manager_v1_interface manager_impl = {
	.destroy = resource_handle_destroy,
	.get_relative_pointer = handle_get_relative_pointer,
};

static void handle_protocols_destroy(struct wl_listener *listener, void *data)
{
	struct relative_manager *manager = wl_container_of(listener, manager, destroy);
	wl_list_remove(&manager->motion.link);
	wl_list_remove(&manager->destroy.link);
	free(manager);
}

void relative_pointer_create(struct protocols *protocols)
{
	struct relative_manager *manager = xcalloc(1, sizeof(*manager));
	manager->protocols = protocols;
	wl_list_init(&manager->pointers);
	signal_add(
		&protocols->server->seat->pointer.events.motion, &manager->motion, handle_motion);
	signal_add(&protocols->events.destroy, &manager->destroy, handle_protocols_destroy);
	protocols_add_global(protocols, &zwp_relative_pointer_manager_v1_interface, 1,
		&manager_impl, manager, GLOBAL_PUBLIC);
}
