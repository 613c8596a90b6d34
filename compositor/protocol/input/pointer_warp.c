/* SPDX-License-Identifier: MIT */
/* wp_pointer_warp_v1: pointer positions set by clients, within their focused surface. */

#include "pointer-warp-v1-protocol.h"
#include "scene/scene.h"
#include "wl_seat.h"
#include <math.h>

/* Returns true if the constraint of the surface allows the pointer at this point. */
static bool constraint_allows(const struct pointer_constraint *constraint,
	const struct surface *surface, struct coord_surface at)
{
	return !constraint || constraint->surface != surface ||
	       (!constraint->locked &&
		       pixman_region32_contains_point((pixman_region32_t *)&constraint->region,
			       (int)floor(at.x), (int)floor(at.y), NULL));
}

/* Grabs, such as the interactive move of a window, own the pointer. */
static void warp(struct seat *seat, struct surface *surface, struct coord_surface to)
{
	struct seat_pointer *pointer = &seat->pointer;
	struct coord_surface from;
	if (pointer->grab || !constraint_allows(pointer->constraint, surface, to) ||
		!scene_to_surface(surface, pointer->at, &from)) {
		return;
	}
	struct coord_global at = {pointer->at.x + (to.x - from.x) / surface->density,
		pointer->at.y + (to.y - from.y) / surface->density};
	if (scene_at(seat->scene, at).surface == surface) {
		pointer_warp(seat, at);
	}
}

static void handle_warp(struct wl_client *client, struct wl_resource *resource,
	struct wl_resource *surface_resource, struct wl_resource *pointer, wl_fixed_t x,
	wl_fixed_t y, uint32_t serial)
{
	struct surface *surface = surface_from_resource(surface_resource);
	struct seat *seat = seat_from_pointer_resource(pointer);
	if (seat && seat->pointer.focus == surface && pointer_may_set_cursor(pointer, serial)) {
		warp(seat, surface,
			(struct coord_surface){wl_fixed_to_double(x), wl_fixed_to_double(y)});
	}
}

static const struct wp_pointer_warp_v1_interface impl = {
	.destroy = resource_handle_destroy,
	.warp_pointer = handle_warp,
};

void pointer_warp_create(struct protocols *protocols)
{
	protocols_add_global(
		protocols, &wp_pointer_warp_v1_interface, 1, &impl, NULL, GLOBAL_PUBLIC);
}
