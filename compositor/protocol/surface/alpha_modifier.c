/* SPDX-License-Identifier: MIT */
/* wp_alpha_modifier: opacity of a whole surface. */

#include "alpha-modifier-v1-protocol.h"
#include "surface_object.h"

static void set_alpha(struct surface *surface, uint32_t factor)
{
	surface->pending.alpha = (float)((double)factor / UINT32_MAX);
	surface->pending.fields |= SURFACE_ALPHA;
}

static void handle_set_multiplier(
	struct wl_client *client, struct wl_resource *resource, uint32_t factor)
{
	struct surface *surface = surface_object_surface(resource);
	if (surface) {
		set_alpha(surface, factor);
	}
}

static const struct wp_alpha_modifier_surface_v1_interface requests = {
	.destroy = resource_handle_destroy,
	.set_multiplier = handle_set_multiplier,
};

static const struct wp_alpha_modifier_v1_interface manager_requests = {
	.destroy = resource_handle_destroy,
	.get_surface = surface_object_handle_get,
};

static void leave(struct surface_object *object)
{
	set_alpha(object->surface, UINT32_MAX);
}

static const struct surface_object_kind kind = {
	.interface = &wp_alpha_modifier_surface_v1_interface,
	.requests = &requests,
	.size = sizeof(struct surface_object),
	.exists_error = WP_ALPHA_MODIFIER_V1_ERROR_ALREADY_CONSTRUCTED,
	.inert = SURFACE_OBJECT_POSTS_ERROR,
	.inert_error = WP_ALPHA_MODIFIER_SURFACE_V1_ERROR_NO_SURFACE,
	.leave = leave,
	.manager_interface = &wp_alpha_modifier_v1_interface,
	.manager_requests = &manager_requests,
	.version = 1,
};

void alpha_modifier_create(struct protocols *protocols)
{
	surface_objects_add_global(protocols, &kind);
}
