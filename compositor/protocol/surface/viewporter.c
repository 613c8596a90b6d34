/* SPDX-License-Identifier: MIT */
/* wp_viewporter: cropping and scaling of surfaces. */

#include "protocol/protocol.h"
#include "surface/surface.h"
#include "util/xalloc.h"
#include "viewporter-protocol.h"
#include <stdlib.h>

#define VERSION 1

struct viewport_object {
	struct wl_resource *resource;
	struct surface *surface; /* NULL: destroyed */
	struct wl_listener surface_destroy;
};

static void handle_destroy(struct wl_client *client, struct wl_resource *resource)
{
	wl_resource_destroy(resource);
}

/* Returns NULL after posting an error. */
static struct surface *get_surface(struct wl_resource *resource)
{
	struct viewport_object *object = wl_resource_get_user_data(resource);
	if (!object->surface) {
		wl_resource_post_error(resource, WP_VIEWPORT_ERROR_NO_SURFACE,
			"the wl_surface of the viewport is destroyed");
	}
	return object->surface;
}

static void handle_set_source(struct wl_client *client, struct wl_resource *resource, wl_fixed_t x,
	wl_fixed_t y, wl_fixed_t width, wl_fixed_t height)
{
	const wl_fixed_t none = wl_fixed_from_int(-1);
	struct surface *surface = get_surface(resource);
	if (!surface) {
		return;
	}
	struct viewport *viewport = &surface->pending.viewport;
	bool unset = x == none && y == none && width == none && height == none;
	if (!unset && (x < 0 || y < 0 || width <= 0 || height <= 0)) {
		wl_resource_post_error(resource, WP_VIEWPORT_ERROR_BAD_VALUE,
			"invalid source of %gx%g at %g, %g", wl_fixed_to_double(width),
			wl_fixed_to_double(height), wl_fixed_to_double(x), wl_fixed_to_double(y));
		return;
	}
	viewport->has_src = !unset;
	viewport->src = (struct fbox){wl_fixed_to_double(x), wl_fixed_to_double(y),
		wl_fixed_to_double(width), wl_fixed_to_double(height)};
	surface->pending.fields |= SURFACE_VIEWPORT;
}

static void handle_set_destination(
	struct wl_client *client, struct wl_resource *resource, int32_t width, int32_t height)
{
	struct surface *surface = get_surface(resource);
	if (!surface) {
		return;
	}
	struct viewport *viewport = &surface->pending.viewport;
	bool unset = width == -1 && height == -1;
	if (!unset && (width <= 0 || height <= 0)) {
		wl_resource_post_error(resource, WP_VIEWPORT_ERROR_BAD_VALUE,
			"invalid destination size %dx%d", width, height);
		return;
	}
	viewport->has_dst = !unset;
	viewport->dst_width = coord_clamp(width);
	viewport->dst_height = coord_clamp(height);
	surface->pending.fields |= SURFACE_VIEWPORT;
}

static const struct wp_viewport_interface viewport_implementation = {
	.destroy = handle_destroy,
	.set_source = handle_set_source,
	.set_destination = handle_set_destination,
};

static void handle_surface_destroy(struct wl_listener *listener, void *data)
{
	struct viewport_object *object = wl_container_of(listener, object, surface_destroy);
	wl_list_remove(&object->surface_destroy.link);
	object->surface = NULL;
}

static void destroy(struct wl_resource *resource)
{
	struct viewport_object *object = wl_resource_get_user_data(resource);
	if (object->surface) {
		wl_list_remove(&object->surface_destroy.link);
		object->surface->pending.viewport = (struct viewport){0};
		object->surface->pending.fields |= SURFACE_VIEWPORT;
	}
	free(object);
}

struct wl_resource *viewport_resource(struct surface *surface)
{
	struct wl_listener *listener =
		wl_signal_get(&surface->events.destroy, handle_surface_destroy);
	struct viewport_object *object;
	if (!listener) {
		return NULL;
	}
	object = wl_container_of(listener, object, surface_destroy);
	return object->resource;
}

static void handle_get_viewport(struct wl_client *client, struct wl_resource *resource, uint32_t id,
	struct wl_resource *surface_resource)
{
	struct surface *surface = surface_from_resource(surface_resource);
	if (viewport_resource(surface)) {
		wl_resource_post_error(resource, WP_VIEWPORTER_ERROR_VIEWPORT_EXISTS,
			"wl_surface@%u already has a viewport",
			wl_resource_get_id(surface_resource));
		return;
	}
	struct wl_resource *created = wl_resource_create(
		client, &wp_viewport_interface, wl_resource_get_version(resource), id);
	if (!created) {
		wl_resource_post_no_memory(resource);
		return;
	}
	struct viewport_object *object = xcalloc(1, sizeof(*object));
	object->resource = created;
	object->surface = surface;
	object->surface_destroy.notify = handle_surface_destroy;
	wl_signal_add(&surface->events.destroy, &object->surface_destroy);
	wl_resource_set_implementation(created, &viewport_implementation, object, destroy);
}

static const struct wp_viewporter_interface implementation = {
	.destroy = handle_destroy,
	.get_viewport = handle_get_viewport,
};

static void bind(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	struct wl_resource *resource =
		wl_resource_create(client, &wp_viewporter_interface, (int)version, id);
	if (!resource) {
		wl_client_post_no_memory(client);
		return;
	}
	wl_resource_set_implementation(resource, &implementation, data, NULL);
}

void viewporter_create(struct protocols *protocols)
{
	protocols_add_global(
		protocols, &wp_viewporter_interface, VERSION, protocols, bind, GLOBAL_PUBLIC);
}
