/* SPDX-License-Identifier: MIT */
/* wp_content_type: the type of a surface's content: photo, video or game. */

#include "content-type-v1-protocol.h"
#include "protocol/protocol.h"
#include "surface/surface.h"
#include "util/xalloc.h"
#include <stdlib.h>

#define VERSION 1

struct type_object {
	struct surface *surface; /* NULL: destroyed */
	struct wl_listener surface_destroy;
};

static void handle_destroy(struct wl_client *client, struct wl_resource *resource)
{
	wl_resource_destroy(resource);
}

static void set_type(struct surface *surface, enum content_type type)
{
	surface->pending.content_type = type;
	surface->pending.fields |= SURFACE_CONTENT_TYPE;
}

static void handle_set_content_type(
	struct wl_client *client, struct wl_resource *resource, uint32_t type)
{
	struct type_object *object = wl_resource_get_user_data(resource);
	if (!object->surface) {
		return;
	}
	switch (type) {
	case WP_CONTENT_TYPE_V1_TYPE_PHOTO: set_type(object->surface, CONTENT_TYPE_PHOTO); break;
	case WP_CONTENT_TYPE_V1_TYPE_VIDEO: set_type(object->surface, CONTENT_TYPE_VIDEO); break;
	case WP_CONTENT_TYPE_V1_TYPE_GAME: set_type(object->surface, CONTENT_TYPE_GAME); break;
	default:
		/* The protocol has no error for unknown types. */
		set_type(object->surface, CONTENT_TYPE_NONE);
		break;
	}
}

static const struct wp_content_type_v1_interface type_implementation = {
	.destroy = handle_destroy,
	.set_content_type = handle_set_content_type,
};

static void handle_surface_destroy(struct wl_listener *listener, void *data)
{
	struct type_object *object = wl_container_of(listener, object, surface_destroy);
	wl_list_remove(&object->surface_destroy.link);
	object->surface = NULL;
}

static void destroy(struct wl_resource *resource)
{
	struct type_object *object = wl_resource_get_user_data(resource);
	if (object->surface) {
		wl_list_remove(&object->surface_destroy.link);
		set_type(object->surface, CONTENT_TYPE_NONE);
	}
	free(object);
}

static void handle_get_surface_content_type(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, struct wl_resource *surface_resource)
{
	struct surface *surface = surface_from_resource(surface_resource);
	if (wl_signal_get(&surface->events.destroy, handle_surface_destroy)) {
		wl_resource_post_error(resource,
			WP_CONTENT_TYPE_MANAGER_V1_ERROR_ALREADY_CONSTRUCTED,
			"wl_surface@%u already has a content type object",
			wl_resource_get_id(surface_resource));
		return;
	}
	struct wl_resource *created = wl_resource_create(
		client, &wp_content_type_v1_interface, wl_resource_get_version(resource), id);
	if (!created) {
		wl_resource_post_no_memory(resource);
		return;
	}
	struct type_object *object = xcalloc(1, sizeof(*object));
	object->surface = surface;
	object->surface_destroy.notify = handle_surface_destroy;
	wl_signal_add(&surface->events.destroy, &object->surface_destroy);
	wl_resource_set_implementation(created, &type_implementation, object, destroy);
}

static const struct wp_content_type_manager_v1_interface implementation = {
	.destroy = handle_destroy,
	.get_surface_content_type = handle_get_surface_content_type,
};

static void bind(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	struct wl_resource *resource =
		wl_resource_create(client, &wp_content_type_manager_v1_interface, (int)version, id);
	if (!resource) {
		wl_client_post_no_memory(client);
		return;
	}
	wl_resource_set_implementation(resource, &implementation, data, NULL);
}

void content_type_create(struct protocols *protocols)
{
	protocols_add_global(protocols, &wp_content_type_manager_v1_interface, VERSION, protocols,
		bind, GLOBAL_PUBLIC);
}
