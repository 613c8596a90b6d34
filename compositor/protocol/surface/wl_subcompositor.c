/* SPDX-License-Identifier: MIT */
/* wl_subcompositor and wl_subsurface: trees of surfaces. */

#include "protocol/protocol.h"
#include "surface/subsurface.h"
#include "util/xalloc.h"
#include <stdlib.h>

struct subsurface_object {
	struct subsurface *subsurface; /* NULL: its surface is destroyed */
	struct wl_listener destroy;
};

static struct subsurface *get_subsurface(struct wl_resource *resource)
{
	struct subsurface_object *object = wl_resource_get_user_data(resource);
	return object->subsurface;
}

static void handle_set_position(
	struct wl_client *client, struct wl_resource *resource, int32_t x, int32_t y)
{
	struct subsurface *subsurface = get_subsurface(resource);
	if (subsurface) {
		subsurface_set_position(subsurface, coord_clamp(x), coord_clamp(y));
	}
}

static void place(struct wl_resource *resource, struct wl_resource *sibling_resource, bool above)
{
	struct subsurface *subsurface = get_subsurface(resource);
	struct surface *sibling = surface_from_resource(sibling_resource);
	if (!subsurface || !subsurface->parent) {
		return;
	}
	if (!sibling || !subsurface_place(subsurface, sibling, above)) {
		wl_resource_post_error(resource, WL_SUBSURFACE_ERROR_BAD_SURFACE,
			"wl_surface@%u is neither a sibling nor the parent",
			wl_resource_get_id(sibling_resource));
	}
}

static void handle_place_above(
	struct wl_client *client, struct wl_resource *resource, struct wl_resource *sibling)
{
	place(resource, sibling, true);
}

static void handle_place_below(
	struct wl_client *client, struct wl_resource *resource, struct wl_resource *sibling)
{
	place(resource, sibling, false);
}

static void handle_set_sync(struct wl_client *client, struct wl_resource *resource)
{
	struct subsurface *subsurface = get_subsurface(resource);
	if (subsurface) {
		subsurface_set_sync(subsurface, true);
	}
}

static void handle_set_desync(struct wl_client *client, struct wl_resource *resource)
{
	struct subsurface *subsurface = get_subsurface(resource);
	if (subsurface) {
		subsurface_set_sync(subsurface, false);
	}
}

static const struct wl_subsurface_interface subsurface_implementation = {
	.destroy = resource_handle_destroy,
	.set_position = handle_set_position,
	.place_above = handle_place_above,
	.place_below = handle_place_below,
	.set_sync = handle_set_sync,
	.set_desync = handle_set_desync,
};

static void handle_subsurface_destroy(struct wl_listener *listener, void *data)
{
	struct subsurface_object *object = wl_container_of(listener, object, destroy);
	wl_list_remove(&object->destroy.link);
	object->subsurface = NULL;
}

static void destroy_subsurface(struct wl_resource *resource)
{
	struct subsurface_object *object = wl_resource_get_user_data(resource);
	subsurface_destroy(object->subsurface);
	free(object);
}

/* Returns false after posting an error. */
static bool check_tree(struct wl_resource *resource, struct wl_resource *surface_resource,
	struct surface *surface, struct surface *parent)
{
	if (surface_root(parent) == surface) {
		wl_resource_post_error(resource, WL_SUBCOMPOSITOR_ERROR_BAD_PARENT,
			"wl_surface@%u cannot be its own parent or ancestor",
			wl_resource_get_id(surface_resource));
		return false;
	}
	if (!subsurface_fits(surface, parent)) {
		wl_resource_post_error(resource, WL_SUBCOMPOSITOR_ERROR_BAD_PARENT,
			"subsurfaces are nested deeper than %d levels", SUBSURFACE_LEVELS_MAX);
		return false;
	}
	if (!subsurface_tree_has_room(surface, parent)) {
		wl_resource_post_error(resource, WL_SUBCOMPOSITOR_ERROR_BAD_PARENT,
			"a tree of subsurfaces exceeds %d surfaces", SUBSURFACE_TREE_MAX);
		return false;
	}
	return true;
}

static void handle_get_subsurface(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, struct wl_resource *surface_resource, struct wl_resource *parent_resource)
{
	struct surface *surface = surface_from_resource(surface_resource);
	struct surface *parent = surface_from_resource(parent_resource);
	if (surface->role_data || (surface->role && surface->role != &subsurface_role)) {
		wl_resource_post_error(resource, WL_SUBCOMPOSITOR_ERROR_BAD_SURFACE,
			"wl_surface@%u already has the role %s",
			wl_resource_get_id(surface_resource), surface->role->name);
		return;
	}
	if (!check_tree(resource, surface_resource, surface, parent)) {
		return;
	}
	struct subsurface_object *object = xcalloc(1, sizeof(*object));
	struct wl_resource *created = resource_create_child(resource, &wl_subsurface_interface, id,
		&subsurface_implementation, object, destroy_subsurface);
	if (!created) {
		return;
	}
	object->subsurface = subsurface_create(surface, parent);
	object->subsurface->data = created;
	signal_add(
		&object->subsurface->events.destroy, &object->destroy, handle_subsurface_destroy);
}

static const struct wl_subcompositor_interface implementation = {
	.destroy = resource_handle_destroy,
	.get_subsurface = handle_get_subsurface,
};

void wl_subcompositor_create(struct protocols *protocols)
{
	protocols_add_global(protocols, &wl_subcompositor_interface, 1, &implementation, protocols,
		GLOBAL_PUBLIC);
}
