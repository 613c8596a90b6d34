/* SPDX-License-Identifier: MIT */
/* wp_tearing_control: surfaces that prefer tearing to waiting for the vblank. */

#include "surface_object.h"
#include "tearing-control-v1-protocol.h"

static void set_tearing(struct surface *surface, bool tearing)
{
	surface->pending.tearing = tearing;
	surface->pending.fields |= SURFACE_TEARING;
}

static void handle_set_presentation_hint(
	struct wl_client *client, struct wl_resource *resource, uint32_t hint)
{
	struct surface *surface = surface_object_surface(resource);
	if (surface) {
		/* The protocol has no error for unknown hints. */
		set_tearing(surface, hint == WP_TEARING_CONTROL_V1_PRESENTATION_HINT_ASYNC);
	}
}

static const struct wp_tearing_control_v1_interface requests = {
	.set_presentation_hint = handle_set_presentation_hint,
	.destroy = resource_handle_destroy,
};

static const struct wp_tearing_control_manager_v1_interface manager_requests = {
	.destroy = resource_handle_destroy,
	.get_tearing_control = surface_object_handle_get,
};

static void leave(struct surface_object *object)
{
	set_tearing(object->surface, false);
}

static const struct surface_object_kind kind = {
	.interface = &wp_tearing_control_v1_interface,
	.requests = &requests,
	.size = sizeof(struct surface_object),
	.exists_error = WP_TEARING_CONTROL_MANAGER_V1_ERROR_TEARING_CONTROL_EXISTS,
	.leave = leave,
	.manager_interface = &wp_tearing_control_manager_v1_interface,
	.manager_requests = &manager_requests,
	.version = 1,
};

void tearing_control_create(struct protocols *protocols)
{
	surface_objects_add_global(protocols, &kind);
}
