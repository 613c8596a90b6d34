/* SPDX-License-Identifier: MIT */
/* wp_fractional_scale: the preferred scale of a surface. */

#include "fractional-scale-v1-protocol.h"
#include "surface_object.h"
#include <math.h>

#define DENOMINATOR 120

struct fractional_scale {
	struct surface_object base;
	uint32_t scale; /* as sent last */
	struct wl_listener preferred;
};

static const struct wp_fractional_scale_v1_interface requests = {
	.destroy = resource_handle_destroy,
};

static const struct wp_fractional_scale_manager_v1_interface manager_requests = {
	.destroy = resource_handle_destroy,
	.get_fractional_scale = surface_object_handle_get,
};

static void handle_preferred(struct wl_listener *listener, void *data)
{
	struct fractional_scale *object = wl_container_of(listener, object, preferred);
	uint32_t scale = (uint32_t)lround(object->base.surface->preferred_scale * DENOMINATOR);
	if (object->scale != scale) {
		object->scale = scale;
		wp_fractional_scale_v1_send_preferred_scale(object->base.resource, scale);
	}
}

static void init(struct surface_object *base)
{
	struct fractional_scale *object = wl_container_of(base, object, base);
	signal_add(&base->surface->events.preferred, &object->preferred, handle_preferred);
	handle_preferred(&object->preferred, NULL);
}

static void leave(struct surface_object *base)
{
	struct fractional_scale *object = wl_container_of(base, object, base);
	wl_list_remove(&object->preferred.link);
}

static const struct surface_object_kind kind = {
	.interface = &wp_fractional_scale_v1_interface,
	.requests = &requests,
	.size = sizeof(struct fractional_scale),
	.exists_error = WP_FRACTIONAL_SCALE_MANAGER_V1_ERROR_FRACTIONAL_SCALE_EXISTS,
	.init = init,
	.leave = leave,
	.manager_interface = &wp_fractional_scale_manager_v1_interface,
	.manager_requests = &manager_requests,
	.version = 1,
};

void fractional_scale_create(struct protocols *protocols)
{
	surface_objects_add_global(protocols, &kind);
}
