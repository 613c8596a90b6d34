/* SPDX-License-Identifier: MIT */
/*
 * wp_fifo: updates that wait until an output has latched the previous one. Barriers are implemented
 * in surface/barrier.c.
 */

#include "fifo-v1-protocol.h"
#include "protocol/protocol.h"
#include "surface/surface.h"
#include "util/xalloc.h"
#include <stdlib.h>

#define VERSION 1

struct fifo_object {
	struct surface *surface; /* NULL: destroyed */
	struct wl_listener surface_destroy;
};

static void handle_destroy(struct wl_client *client, struct wl_resource *resource)
{
	wl_resource_destroy(resource);
}

static void set_field(struct wl_resource *resource, uint32_t field)
{
	struct fifo_object *object = wl_resource_get_user_data(resource);
	if (!object->surface) {
		wl_resource_post_error(resource, WP_FIFO_V1_ERROR_SURFACE_DESTROYED,
			"the wl_surface of the fifo object is destroyed");
		return;
	}
	object->surface->pending.fields |= field;
}

static void handle_set_barrier(struct wl_client *client, struct wl_resource *resource)
{
	set_field(resource, SURFACE_SET_BARRIER);
}

static void handle_wait_barrier(struct wl_client *client, struct wl_resource *resource)
{
	set_field(resource, SURFACE_WAIT_BARRIER);
}

static const struct wp_fifo_v1_interface fifo_implementation = {
	.set_barrier = handle_set_barrier,
	.wait_barrier = handle_wait_barrier,
	.destroy = handle_destroy,
};

static void handle_surface_destroy(struct wl_listener *listener, void *data)
{
	struct fifo_object *object = wl_container_of(listener, object, surface_destroy);
	wl_list_remove(&object->surface_destroy.link);
	object->surface = NULL;
}

static void destroy(struct wl_resource *resource)
{
	struct fifo_object *object = wl_resource_get_user_data(resource);
	if (object->surface) {
		wl_list_remove(&object->surface_destroy.link);
	}
	free(object);
}

static void handle_get_fifo(struct wl_client *client, struct wl_resource *resource, uint32_t id,
	struct wl_resource *surface_resource)
{
	struct surface *surface = surface_from_resource(surface_resource);
	if (wl_signal_get(&surface->events.destroy, handle_surface_destroy)) {
		wl_resource_post_error(resource, WP_FIFO_MANAGER_V1_ERROR_ALREADY_EXISTS,
			"wl_surface@%u already has a fifo object",
			wl_resource_get_id(surface_resource));
		return;
	}
	struct wl_resource *created = wl_resource_create(
		client, &wp_fifo_v1_interface, wl_resource_get_version(resource), id);
	if (!created) {
		wl_resource_post_no_memory(resource);
		return;
	}
	struct fifo_object *object = xcalloc(1, sizeof(*object));
	object->surface = surface;
	object->surface_destroy.notify = handle_surface_destroy;
	wl_signal_add(&surface->events.destroy, &object->surface_destroy);
	wl_resource_set_implementation(created, &fifo_implementation, object, destroy);
}

static const struct wp_fifo_manager_v1_interface implementation = {
	.destroy = handle_destroy,
	.get_fifo = handle_get_fifo,
};

static void bind(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	struct wl_resource *resource =
		wl_resource_create(client, &wp_fifo_manager_v1_interface, (int)version, id);
	if (!resource) {
		wl_client_post_no_memory(client);
		return;
	}
	wl_resource_set_implementation(resource, &implementation, data, NULL);
}

void fifo_create(struct protocols *protocols)
{
	protocols_add_global(
		protocols, &wp_fifo_manager_v1_interface, VERSION, protocols, bind, GLOBAL_PUBLIC);
}
