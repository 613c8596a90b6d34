/* SPDX-License-Identifier: MIT */
/* wp_alpha_modifier: opacity of a whole surface. */

#include "alpha-modifier-v1-protocol.h"
#include "protocol/protocol.h"
#include "surface/surface.h"
#include "util/xalloc.h"
#include <stdlib.h>

#define VERSION 1

struct alpha_object {
	struct surface *surface; /* NULL: destroyed */
	struct wl_listener surface_destroy;
};

static void handle_destroy(struct wl_client *client, struct wl_resource *resource)
{
	wl_resource_destroy(resource);
}

static void set_alpha(struct surface *surface, uint32_t factor)
{
	surface->pending.alpha = (float)((double)factor / UINT32_MAX);
	surface->pending.fields |= SURFACE_ALPHA;
}

static void handle_set_multiplier(
	struct wl_client *client, struct wl_resource *resource, uint32_t factor)
{
	struct alpha_object *object = wl_resource_get_user_data(resource);
	if (!object->surface) {
		wl_resource_post_error(resource, WP_ALPHA_MODIFIER_SURFACE_V1_ERROR_NO_SURFACE,
			"the wl_surface of the alpha modifier is destroyed");
		return;
	}
	set_alpha(object->surface, factor);
}

static const struct wp_alpha_modifier_surface_v1_interface surface_implementation = {
	.destroy = handle_destroy,
	.set_multiplier = handle_set_multiplier,
};

static void handle_surface_destroy(struct wl_listener *listener, void *data)
{
	struct alpha_object *object = wl_container_of(listener, object, surface_destroy);
	wl_list_remove(&object->surface_destroy.link);
	object->surface = NULL;
}

static void destroy(struct wl_resource *resource)
{
	struct alpha_object *object = wl_resource_get_user_data(resource);
	if (object->surface) {
		wl_list_remove(&object->surface_destroy.link);
		set_alpha(object->surface, UINT32_MAX);
	}
	free(object);
}

static void handle_get_surface(struct wl_client *client, struct wl_resource *resource, uint32_t id,
	struct wl_resource *surface_resource)
{
	struct surface *surface = surface_from_resource(surface_resource);
	if (wl_signal_get(&surface->events.destroy, handle_surface_destroy)) {
		wl_resource_post_error(resource, WP_ALPHA_MODIFIER_V1_ERROR_ALREADY_CONSTRUCTED,
			"wl_surface@%u already has an alpha modifier",
			wl_resource_get_id(surface_resource));
		return;
	}
	struct wl_resource *created = wl_resource_create(client,
		&wp_alpha_modifier_surface_v1_interface, wl_resource_get_version(resource), id);
	if (!created) {
		wl_resource_post_no_memory(resource);
		return;
	}
	struct alpha_object *object = xcalloc(1, sizeof(*object));
	object->surface = surface;
	object->surface_destroy.notify = handle_surface_destroy;
	wl_signal_add(&surface->events.destroy, &object->surface_destroy);
	wl_resource_set_implementation(created, &surface_implementation, object, destroy);
}

static const struct wp_alpha_modifier_v1_interface implementation = {
	.destroy = handle_destroy,
	.get_surface = handle_get_surface,
};

static void bind(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	struct wl_resource *resource =
		wl_resource_create(client, &wp_alpha_modifier_v1_interface, (int)version, id);
	if (!resource) {
		wl_client_post_no_memory(client);
		return;
	}
	wl_resource_set_implementation(resource, &implementation, data, NULL);
}

void alpha_modifier_create(struct protocols *protocols)
{
	protocols_add_global(protocols, &wp_alpha_modifier_v1_interface, VERSION, protocols, bind,
		GLOBAL_PUBLIC);
}
