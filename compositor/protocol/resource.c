/* SPDX-License-Identifier: MIT */
/* Resources: creation, and the requests and ends that most of them share. */

#include "protocol.h"
#include <stdlib.h>

struct wl_resource *resource_create(struct wl_client *client, const struct wl_interface *interface,
	int version, uint32_t id, const void *requests, void *data,
	wl_resource_destroy_func_t destroy)
{
	struct wl_resource *resource = wl_resource_create(client, interface, version, id);
	if (!resource) {
		wl_client_post_no_memory(client);
		return NULL;
	}
	wl_resource_set_implementation(resource, requests, data, destroy);
	return resource;
}

struct wl_resource *resource_create_child(struct wl_resource *parent,
	const struct wl_interface *interface, uint32_t id, const void *requests, void *data,
	wl_resource_destroy_func_t destroy)
{
	struct wl_resource *resource = resource_create(wl_resource_get_client(parent), interface,
		wl_resource_get_version(parent), id, requests, data, destroy);
	if (!resource) {
		free(data);
	}
	return resource;
}

void resource_handle_destroy(struct wl_client *client, struct wl_resource *resource)
{
	wl_resource_destroy(resource);
}

void resources_make_inert(struct wl_list *resources)
{
	struct wl_resource *resource, *next;
	wl_resource_for_each_safe (resource, next, resources) {
		wl_resource_set_user_data(resource, NULL);
		wl_list_remove(wl_resource_get_link(resource));
		wl_list_init(wl_resource_get_link(resource));
	}
}

void resource_unlink(struct wl_resource *resource)
{
	wl_list_remove(wl_resource_get_link(resource));
}
