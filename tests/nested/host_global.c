/* SPDX-License-Identifier: MIT */
/* Helpers for globals of the test host. */

#include "host_global.h"
#include <assert.h>

void host_destroy_resource(struct wl_client *client, struct wl_resource *resource)
{
	wl_resource_destroy(resource);
}

struct wl_resource *host_create_resource(struct wl_client *client,
	const struct wl_interface *interface, struct wl_resource *parent, uint32_t id,
	const void *impl, void *data)
{
	struct wl_resource *resource =
		wl_resource_create(client, interface, wl_resource_get_version(parent), id);
	assert(resource);
	wl_resource_set_implementation(resource, impl, data, NULL);
	return resource;
}

struct wl_resource *host_bind(struct wl_client *client, const struct wl_interface *interface,
	uint32_t version, uint32_t id, const void *impl, void *data)
{
	struct wl_resource *resource = wl_resource_create(client, interface, (int)version, id);
	assert(resource);
	wl_resource_set_implementation(resource, impl, data, NULL);
	return resource;
}

void host_add_global(struct host *host, bool absent, const struct wl_interface *interface,
	int version, wl_global_bind_func_t bind_global)
{
	if (!absent) {
		struct wl_global *global =
			wl_global_create(host->display, interface, version, host, bind_global);
		assert(global);
	}
}
