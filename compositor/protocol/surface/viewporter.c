/* SPDX-License-Identifier: MIT */
/* wp_viewporter: cropping and scaling of surfaces. */

#include "surface_object.h"
#include "viewporter-protocol.h"

static void handle_set_source(struct wl_client *client, struct wl_resource *resource, wl_fixed_t x,
	wl_fixed_t y, wl_fixed_t width, wl_fixed_t height)
{
	const wl_fixed_t none = wl_fixed_from_int(-1);
	struct surface *surface = surface_object_surface(resource);
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
	struct surface *surface = surface_object_surface(resource);
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

static const struct wp_viewport_interface requests = {
	.destroy = resource_handle_destroy,
	.set_source = handle_set_source,
	.set_destination = handle_set_destination,
};

static const struct wp_viewporter_interface manager_requests = {
	.destroy = resource_handle_destroy,
	.get_viewport = surface_object_handle_get,
};

static void leave(struct surface_object *object)
{
	object->surface->pending.viewport = (struct viewport){0};
	object->surface->pending.fields |= SURFACE_VIEWPORT;
}

static const struct surface_object_kind kind = {
	.interface = &wp_viewport_interface,
	.requests = &requests,
	.size = sizeof(struct surface_object),
	.exists_error = WP_VIEWPORTER_ERROR_VIEWPORT_EXISTS,
	.inert = SURFACE_OBJECT_POSTS_ERROR,
	.inert_error = WP_VIEWPORT_ERROR_NO_SURFACE,
	.leave = leave,
	.manager_interface = &wp_viewporter_interface,
	.manager_requests = &manager_requests,
	.version = 1,
};

struct wl_resource *viewport_resource(struct surface *surface)
{
	const struct surface_object *object = surface_object_find(surface, &kind);
	return object ? object->resource : NULL;
}

void viewporter_create(struct protocols *protocols)
{
	surface_objects_add_global(protocols, &kind);
}
