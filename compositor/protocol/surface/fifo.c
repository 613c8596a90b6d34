/* SPDX-License-Identifier: MIT */
/*
 * wp_fifo: updates that wait until an output has latched the previous one. Barriers are implemented
 * in surface/barrier.c.
 */

#include "fifo-v1-protocol.h"
#include "surface_object.h"

static void set_field(struct wl_resource *resource, uint32_t field)
{
	struct surface *surface = surface_object_surface(resource);
	if (surface) {
		surface->pending.fields |= field;
	}
}

static void handle_set_barrier(struct wl_client *client, struct wl_resource *resource)
{
	set_field(resource, SURFACE_SET_BARRIER);
}

static void handle_wait_barrier(struct wl_client *client, struct wl_resource *resource)
{
	set_field(resource, SURFACE_WAIT_BARRIER);
}

static const struct wp_fifo_v1_interface requests = {
	.set_barrier = handle_set_barrier,
	.wait_barrier = handle_wait_barrier,
	.destroy = resource_handle_destroy,
};

static const struct wp_fifo_manager_v1_interface manager_requests = {
	.destroy = resource_handle_destroy,
	.get_fifo = surface_object_handle_get,
};

static const struct surface_object_kind kind = {
	.interface = &wp_fifo_v1_interface,
	.requests = &requests,
	.size = sizeof(struct surface_object),
	.exists_error = WP_FIFO_MANAGER_V1_ERROR_ALREADY_EXISTS,
	.inert = SURFACE_OBJECT_POSTS_ERROR,
	.inert_error = WP_FIFO_V1_ERROR_SURFACE_DESTROYED,
	.manager_interface = &wp_fifo_manager_v1_interface,
	.manager_requests = &manager_requests,
	.version = 1,
};

void fifo_create(struct protocols *protocols)
{
	surface_objects_add_global(protocols, &kind);
}
