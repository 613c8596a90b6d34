/* SPDX-License-Identifier: MIT */
/* wp_content_type: the type of a surface's content: photo, video or game. */

#include "content-type-v1-protocol.h"
#include "surface_object.h"

static void set_type(struct surface *surface, enum content_type type)
{
	surface->pending.content_type = type;
	surface->pending.fields |= SURFACE_CONTENT_TYPE;
}

static void handle_set_content_type(
	struct wl_client *client, struct wl_resource *resource, uint32_t type)
{
	struct surface *surface = surface_object_surface(resource);
	if (!surface) {
		return;
	}
	switch (type) {
	case WP_CONTENT_TYPE_V1_TYPE_PHOTO: set_type(surface, CONTENT_TYPE_PHOTO); break;
	case WP_CONTENT_TYPE_V1_TYPE_VIDEO: set_type(surface, CONTENT_TYPE_VIDEO); break;
	case WP_CONTENT_TYPE_V1_TYPE_GAME: set_type(surface, CONTENT_TYPE_GAME); break;
	default:
		/* The protocol has no error for unknown types. */
		set_type(surface, CONTENT_TYPE_NONE);
		break;
	}
}

static const struct wp_content_type_v1_interface requests = {
	.destroy = resource_handle_destroy,
	.set_content_type = handle_set_content_type,
};

static const struct wp_content_type_manager_v1_interface manager_requests = {
	.destroy = resource_handle_destroy,
	.get_surface_content_type = surface_object_handle_get,
};

static void leave(struct surface_object *object)
{
	set_type(object->surface, CONTENT_TYPE_NONE);
}

static const struct surface_object_kind kind = {
	.interface = &wp_content_type_v1_interface,
	.requests = &requests,
	.size = sizeof(struct surface_object),
	.exists_error = WP_CONTENT_TYPE_MANAGER_V1_ERROR_ALREADY_CONSTRUCTED,
	.leave = leave,
	.manager_interface = &wp_content_type_manager_v1_interface,
	.manager_requests = &manager_requests,
	.version = 1,
};

void content_type_create(struct protocols *protocols)
{
	surface_objects_add_global(protocols, &kind);
}
