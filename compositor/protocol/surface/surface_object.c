/* SPDX-License-Identifier: MIT */
/* Objects that extend a surface: creation, look-up and end. */

#include "surface_object.h"
#include "util/xalloc.h"
#include <stdlib.h>

static void leave_surface(struct surface_object *object)
{
	if (object->kind->leave) {
		object->kind->leave(object);
	}
	addon_finish(&object->addon);
	object->surface = NULL;
}

static void destroy_addon(struct addon *addon)
{
	struct surface_object *object = wl_container_of(addon, object, addon);
	leave_surface(object);
}

static const struct addon_impl addon_impl = {.name = "surface_object", .destroy = destroy_addon};

static void destroy(struct wl_resource *resource)
{
	struct surface_object *object = wl_resource_get_user_data(resource);
	if (object->surface) {
		leave_surface(object);
	}
	free(object);
}

struct surface_object *surface_object_find(
	const struct surface *surface, const struct surface_object_kind *kind)
{
	struct addon *addon = addon_find(&surface->addons, kind, &addon_impl);
	struct surface_object *object;
	return addon ? wl_container_of(addon, object, addon) : NULL;
}

struct surface_object *surface_object_from_resource(struct wl_resource *resource)
{
	struct surface_object *object = wl_resource_get_user_data(resource);
	if (object->surface) {
		return object;
	}
	if (object->kind->inert == SURFACE_OBJECT_POSTS_ERROR) {
		wl_resource_post_error(resource, object->kind->inert_error,
			"the wl_surface of this %s is destroyed", object->kind->interface->name);
	}
	return NULL;
}

struct surface *surface_object_surface(struct wl_resource *resource)
{
	const struct surface_object *object = surface_object_from_resource(resource);
	return object ? object->surface : NULL;
}

void surface_object_create(const struct surface_object_kind *kind, struct wl_resource *manager,
	uint32_t id, struct wl_resource *surface_resource)
{
	struct surface *surface = surface_from_resource(surface_resource);
	if (surface_object_find(surface, kind)) {
		wl_resource_post_error(manager, kind->exists_error,
			"wl_surface@%u already has a %s", wl_resource_get_id(surface_resource),
			kind->interface->name);
		return;
	}
	struct surface_object *object = xcalloc(1, kind->size);
	struct wl_resource *resource = resource_create_child(
		manager, kind->interface, id, kind->requests, object, destroy);
	if (!resource) {
		return;
	}
	object->kind = kind;
	object->resource = resource;
	object->surface = surface;
	addon_init(&object->addon, &surface->addons, kind, &addon_impl);
	if (kind->init) {
		kind->init(object);
	}
}

void surface_object_handle_get(struct wl_client *client, struct wl_resource *manager, uint32_t id,
	struct wl_resource *surface_resource)
{
	surface_object_create(wl_resource_get_user_data(manager), manager, id, surface_resource);
}

void surface_objects_add_global(struct protocols *protocols, const struct surface_object_kind *kind)
{
	protocols_add_global(protocols, kind->manager_interface, kind->version,
		kind->manager_requests, (void *)kind, GLOBAL_PUBLIC);
}
