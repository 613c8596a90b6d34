/* SPDX-License-Identifier: MIT */
/* wl_compositor: creation of surfaces and regions. */

#include "protocol/protocol.h"

static void handle_create_surface(
	struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	struct protocols *protocols = wl_resource_get_user_data(resource);
	surface_resource_create(protocols, client, (uint32_t)wl_resource_get_version(resource), id);
}

static void handle_create_region(
	struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	region_resource_create(client, 1, id);
}

static const struct wl_compositor_interface implementation = {
	.create_surface = handle_create_surface,
	.create_region = handle_create_region,
};

void wl_compositor_create(struct protocols *protocols)
{
	protocols_add_global(
		protocols, &wl_compositor_interface, 6, &implementation, protocols, GLOBAL_PUBLIC);
}
