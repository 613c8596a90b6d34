/* SPDX-License-Identifier: MIT */
/* wp_presentation: presentation times of surface updates. */

#include "backend/output.h"
#include "presentation-time-protocol.h"
#include "protocol/protocol.h"
#include "scene/output.h"
#include "surface/surface.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <time.h>

struct feedback_object {
	struct presentation_feedback base;
	struct protocols *protocols;
	struct wl_resource *resource;
};

static void send_sync_output(struct wl_resource *output, void *data)
{
	struct feedback_object *object = data;
	wp_presentation_feedback_send_sync_output(object->resource, output);
}

static uint32_t kind_from_flags(uint32_t flags)
{
	uint32_t kind = 0;
	kind |= flags & PRESENT_VSYNC ? WP_PRESENTATION_FEEDBACK_KIND_VSYNC : 0;
	kind |= flags & PRESENT_HW_CLOCK ? WP_PRESENTATION_FEEDBACK_KIND_HW_CLOCK : 0;
	kind |= flags & PRESENT_HW_COMPLETION ? WP_PRESENTATION_FEEDBACK_KIND_HW_COMPLETION : 0;
	kind |= flags & PRESENT_ZERO_COPY ? WP_PRESENTATION_FEEDBACK_KIND_ZERO_COPY : 0;
	return kind;
}

static void handle_presented(struct presentation_feedback *base, struct output *output,
	const struct output_present *present)
{
	struct feedback_object *object = wl_container_of(base, object, base);
	struct wl_client *client = wl_resource_get_client(object->resource);
	struct scene_output *scene_output =
		scene_output_find(object->protocols->server->scene, output);
	uint64_t seconds = (uint64_t)(present->when / 1000000000);
	if (scene_output) {
		output_for_each_resource(scene_output, client, send_sync_output, object);
	}
	wp_presentation_feedback_send_presented(object->resource, (uint32_t)(seconds >> 32),
		(uint32_t)seconds, (uint32_t)(present->when % 1000000000), present->refresh,
		(uint32_t)(present->sequence >> 32), (uint32_t)present->sequence,
		kind_from_flags(present->flags));
	wl_resource_destroy(object->resource);
}

static void handle_discarded(struct presentation_feedback *base)
{
	struct feedback_object *object = wl_container_of(base, object, base);
	wp_presentation_feedback_send_discarded(object->resource);
	wl_resource_destroy(object->resource);
}

static void destroy_feedback(struct wl_resource *resource)
{
	struct feedback_object *object = wl_resource_get_user_data(resource);
	wl_list_remove(&object->base.link);
	free(object);
}

static void handle_feedback(struct wl_client *client, struct wl_resource *resource,
	struct wl_resource *surface_resource, uint32_t id)
{
	struct surface *surface = surface_from_resource(surface_resource);
	struct feedback_object *object = xcalloc(1, sizeof(*object));
	struct wl_resource *created = resource_create_child(
		resource, &wp_presentation_feedback_interface, id, NULL, object, destroy_feedback);
	if (!created) {
		return;
	}
	object->base.presented = handle_presented;
	object->base.discarded = handle_discarded;
	object->protocols = wl_resource_get_user_data(resource);
	object->resource = created;
	wl_list_insert(surface->pending.feedbacks.prev, &object->base.link);
	surface->pending.fields |= SURFACE_FEEDBACK;
}

static const struct wp_presentation_interface implementation = {
	.destroy = resource_handle_destroy,
	.feedback = handle_feedback,
};

static void bind(struct wl_resource *resource, void *data)
{
	wl_resource_set_implementation(resource, &implementation, data, NULL);
	wp_presentation_send_clock_id(resource, CLOCK_MONOTONIC);
}

void presentation_create(struct protocols *protocols)
{
	protocols_add_custom_global(
		protocols, &wp_presentation_interface, 2, bind, protocols, GLOBAL_PUBLIC);
}
