/* SPDX-License-Identifier: MIT */
/* Resources of a zwp_tablet_seat_v2: tablets, tools and pads of one client. */

#include "tablet.h"

bool tablet_is_of(struct wl_resource *resource, struct surface *surface)
{
	return wl_resource_get_client(resource) ==
	       wl_resource_get_client(surface_resource(surface));
}

struct wl_resource *tablet_create_resource(const struct tablet_seat *seat,
	const struct wl_interface *interface, const void *impl, void *data,
	wl_resource_destroy_func_t destroy)
{
	return resource_create(wl_resource_get_client(seat->resource), interface,
		wl_resource_get_version(seat->resource), 0, impl, data, destroy);
}

struct wl_resource *tablet_resource(
	const struct seat_tablet *tablet, struct wl_client *client, uint32_t number)
{
	const struct tablet_object *object;
	wl_list_for_each (object, &tablet->objects, link) {
		if (object->number == number &&
			wl_resource_get_client(object->resource) == client) {
			return object->resource;
		}
	}
	return NULL;
}
