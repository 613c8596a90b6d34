/* SPDX-License-Identifier: MIT */
/* wp_fractional_scale: the preferred scale of a surface. */

#include "fractional-scale-v1-protocol.h"
#include "protocol/protocol.h"
#include "surface/surface.h"
#include "util/xalloc.h"
#include <math.h>
#include <stdlib.h>

#define VERSION 1
#define DENOMINATOR 120

struct fractional_scale {
	struct wl_resource *resource;
	struct surface *surface; /* NULL: destroyed */
	uint32_t scale; /* as sent last */
	struct wl_listener preferred, surface_destroy;
};

static void handle_destroy(struct wl_client *client, struct wl_resource *resource)
{
	wl_resource_destroy(resource);
}

static const struct wp_fractional_scale_v1_interface scale_implementation = {
	.destroy = handle_destroy,
};

static void send(struct fractional_scale *object)
{
	uint32_t scale = (uint32_t)lround(object->surface->preferred_scale * DENOMINATOR);
	if (object->scale != scale) {
		object->scale = scale;
		wp_fractional_scale_v1_send_preferred_scale(object->resource, scale);
	}
}

static void handle_preferred(struct wl_listener *listener, void *data)
{
	struct fractional_scale *object = wl_container_of(listener, object, preferred);
	send(object);
}

static void leave_surface(struct fractional_scale *object)
{
	if (object->surface) {
		wl_list_remove(&object->preferred.link);
		wl_list_remove(&object->surface_destroy.link);
		object->surface = NULL;
	}
}

static void handle_surface_destroy(struct wl_listener *listener, void *data)
{
	struct fractional_scale *object = wl_container_of(listener, object, surface_destroy);
	leave_surface(object);
}

static void destroy(struct wl_resource *resource)
{
	struct fractional_scale *object = wl_resource_get_user_data(resource);
	leave_surface(object);
	free(object);
}

static void handle_get_fractional_scale(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, struct wl_resource *surface_resource)
{
	struct surface *surface = surface_from_resource(surface_resource);
	if (wl_signal_get(&surface->events.destroy, handle_surface_destroy)) {
		wl_resource_post_error(resource,
			WP_FRACTIONAL_SCALE_MANAGER_V1_ERROR_FRACTIONAL_SCALE_EXISTS,
			"wl_surface@%u already has a fractional scale object",
			wl_resource_get_id(surface_resource));
		return;
	}
	struct wl_resource *created = wl_resource_create(
		client, &wp_fractional_scale_v1_interface, wl_resource_get_version(resource), id);
	if (!created) {
		wl_resource_post_no_memory(resource);
		return;
	}
	struct fractional_scale *object = xcalloc(1, sizeof(*object));
	object->resource = created;
	object->surface = surface;
	object->preferred.notify = handle_preferred;
	wl_signal_add(&surface->events.preferred, &object->preferred);
	object->surface_destroy.notify = handle_surface_destroy;
	wl_signal_add(&surface->events.destroy, &object->surface_destroy);
	wl_resource_set_implementation(created, &scale_implementation, object, destroy);
	send(object);
}

static const struct wp_fractional_scale_manager_v1_interface implementation = {
	.destroy = handle_destroy,
	.get_fractional_scale = handle_get_fractional_scale,
};

static void bind(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	struct wl_resource *resource = wl_resource_create(
		client, &wp_fractional_scale_manager_v1_interface, (int)version, id);
	if (!resource) {
		wl_client_post_no_memory(client);
		return;
	}
	wl_resource_set_implementation(resource, &implementation, data, NULL);
}

void fractional_scale_create(struct protocols *protocols)
{
	protocols_add_global(protocols, &wp_fractional_scale_manager_v1_interface, VERSION,
		protocols, bind, GLOBAL_PUBLIC);
}
