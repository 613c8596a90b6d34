/* SPDX-License-Identifier: MIT */
/* wp_tearing_control: surfaces that prefer tearing to waiting for the vblank. */

#include "protocol/protocol.h"
#include "surface/surface.h"
#include "tearing-control-v1-protocol.h"
#include "util/xalloc.h"
#include <stdlib.h>

#define VERSION 1

struct tearing_object {
	struct surface *surface; /* NULL: destroyed */
	struct wl_listener surface_destroy;
};

static void handle_destroy(struct wl_client *client, struct wl_resource *resource)
{
	wl_resource_destroy(resource);
}

static void set_tearing(struct surface *surface, bool tearing)
{
	surface->pending.tearing = tearing;
	surface->pending.fields |= SURFACE_TEARING;
}

static void handle_set_presentation_hint(
	struct wl_client *client, struct wl_resource *resource, uint32_t hint)
{
	struct tearing_object *object = wl_resource_get_user_data(resource);
	if (object->surface) {
		/* The protocol has no error for unknown hints. */
		set_tearing(object->surface, hint == WP_TEARING_CONTROL_V1_PRESENTATION_HINT_ASYNC);
	}
}

static const struct wp_tearing_control_v1_interface tearing_implementation = {
	.set_presentation_hint = handle_set_presentation_hint,
	.destroy = handle_destroy,
};

static void handle_surface_destroy(struct wl_listener *listener, void *data)
{
	struct tearing_object *object = wl_container_of(listener, object, surface_destroy);
	wl_list_remove(&object->surface_destroy.link);
	object->surface = NULL;
}

static void destroy(struct wl_resource *resource)
{
	struct tearing_object *object = wl_resource_get_user_data(resource);
	if (object->surface) {
		wl_list_remove(&object->surface_destroy.link);
		set_tearing(object->surface, false);
	}
	free(object);
}

static void handle_get_tearing_control(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, struct wl_resource *surface_resource)
{
	struct surface *surface = surface_from_resource(surface_resource);
	if (wl_signal_get(&surface->events.destroy, handle_surface_destroy)) {
		wl_resource_post_error(resource,
			WP_TEARING_CONTROL_MANAGER_V1_ERROR_TEARING_CONTROL_EXISTS,
			"wl_surface@%u already has a tearing control",
			wl_resource_get_id(surface_resource));
		return;
	}
	struct wl_resource *created = wl_resource_create(
		client, &wp_tearing_control_v1_interface, wl_resource_get_version(resource), id);
	if (!created) {
		wl_resource_post_no_memory(resource);
		return;
	}
	struct tearing_object *object = xcalloc(1, sizeof(*object));
	object->surface = surface;
	object->surface_destroy.notify = handle_surface_destroy;
	wl_signal_add(&surface->events.destroy, &object->surface_destroy);
	wl_resource_set_implementation(created, &tearing_implementation, object, destroy);
}

static const struct wp_tearing_control_manager_v1_interface implementation = {
	.destroy = handle_destroy,
	.get_tearing_control = handle_get_tearing_control,
};

static void bind(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	struct wl_resource *resource = wl_resource_create(
		client, &wp_tearing_control_manager_v1_interface, (int)version, id);
	if (!resource) {
		wl_client_post_no_memory(client);
		return;
	}
	wl_resource_set_implementation(resource, &implementation, data, NULL);
}

void tearing_control_create(struct protocols *protocols)
{
	protocols_add_global(protocols, &wp_tearing_control_manager_v1_interface, VERSION,
		protocols, bind, GLOBAL_PUBLIC);
}
