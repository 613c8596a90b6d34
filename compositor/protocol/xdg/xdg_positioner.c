/* SPDX-License-Identifier: MIT */
/* xdg_positioner: rules by which a client positions a popup. */

#include "util/xalloc.h"
#include "xdg.h"
#include <stdlib.h>

#define ALL_ADJUSTMENTS                                                                            \
	(XDG_POSITIONER_CONSTRAINT_ADJUSTMENT_SLIDE_X |                                            \
		XDG_POSITIONER_CONSTRAINT_ADJUSTMENT_SLIDE_Y |                                     \
		XDG_POSITIONER_CONSTRAINT_ADJUSTMENT_FLIP_X |                                      \
		XDG_POSITIONER_CONSTRAINT_ADJUSTMENT_FLIP_Y |                                      \
		XDG_POSITIONER_CONSTRAINT_ADJUSTMENT_RESIZE_X |                                    \
		XDG_POSITIONER_CONSTRAINT_ADJUSTMENT_RESIZE_Y)

static void post_invalid(struct wl_resource *resource, const char *what)
{
	wl_resource_post_error(resource, XDG_POSITIONER_ERROR_INVALID_INPUT, "%s", what);
}

static void handle_set_size(
	struct wl_client *client, struct wl_resource *resource, int32_t width, int32_t height)
{
	struct positioner *positioner = wl_resource_get_user_data(resource);
	if (width <= 0 || height <= 0) {
		post_invalid(resource, "width and height must be positive");
		return;
	}
	positioner->width = coord_clamp(width);
	positioner->height = coord_clamp(height);
}

static void handle_set_anchor_rect(struct wl_client *client, struct wl_resource *resource,
	int32_t x, int32_t y, int32_t width, int32_t height)
{
	struct positioner *positioner = wl_resource_get_user_data(resource);
	if (width < 0 || height < 0) {
		post_invalid(resource, "the anchor rectangle's size must not be negative");
		return;
	}
	positioner->has_anchor_rect = true;
	positioner->anchor_rect = box_clamp(x, y, width, height);
}

static void handle_set_anchor(
	struct wl_client *client, struct wl_resource *resource, uint32_t anchor)
{
	struct positioner *positioner = wl_resource_get_user_data(resource);
	if (anchor > XDG_POSITIONER_ANCHOR_BOTTOM_RIGHT) {
		post_invalid(resource, "invalid anchor");
		return;
	}
	positioner->anchor = anchor;
}

static void handle_set_gravity(
	struct wl_client *client, struct wl_resource *resource, uint32_t gravity)
{
	struct positioner *positioner = wl_resource_get_user_data(resource);
	if (gravity > XDG_POSITIONER_GRAVITY_BOTTOM_RIGHT) {
		post_invalid(resource, "invalid gravity");
		return;
	}
	positioner->gravity = gravity;
}

static void handle_set_constraint_adjustment(
	struct wl_client *client, struct wl_resource *resource, uint32_t adjustment)
{
	struct positioner *positioner = wl_resource_get_user_data(resource);
	if (adjustment & ~(uint32_t)ALL_ADJUSTMENTS) {
		post_invalid(resource, "invalid constraint adjustment");
		return;
	}
	positioner->adjustment = adjustment;
}

static void handle_set_offset(
	struct wl_client *client, struct wl_resource *resource, int32_t x, int32_t y)
{
	struct positioner *positioner = wl_resource_get_user_data(resource);
	positioner->offset_x = coord_clamp(x);
	positioner->offset_y = coord_clamp(y);
}

static void handle_set_reactive(struct wl_client *client, struct wl_resource *resource)
{
	struct positioner *positioner = wl_resource_get_user_data(resource);
	positioner->reactive = true;
}

static void handle_set_parent_size(
	struct wl_client *client, struct wl_resource *resource, int32_t width, int32_t height)
{
	if (width < 0 || height < 0) {
		post_invalid(resource, "the parent's size must not be negative");
	}
}

/* Popups are placed by the current state of their parents, not by a future one. */
static void handle_set_parent_configure(
	struct wl_client *client, struct wl_resource *resource, uint32_t serial)
{
}

static const struct xdg_positioner_interface impl = {
	.destroy = resource_handle_destroy,
	.set_size = handle_set_size,
	.set_anchor_rect = handle_set_anchor_rect,
	.set_anchor = handle_set_anchor,
	.set_gravity = handle_set_gravity,
	.set_constraint_adjustment = handle_set_constraint_adjustment,
	.set_offset = handle_set_offset,
	.set_reactive = handle_set_reactive,
	.set_parent_size = handle_set_parent_size,
	.set_parent_configure = handle_set_parent_configure,
};

static void handle_resource_destroy(struct wl_resource *resource)
{
	free(wl_resource_get_user_data(resource));
}

const struct positioner *positioner_from_resource(struct wl_resource *resource)
{
	return wl_resource_get_user_data(resource);
}

void xdg_positioner_create(struct wl_resource *base, uint32_t id)
{
	struct positioner *positioner = xcalloc(1, sizeof(*positioner));
	resource_create_child(
		base, &xdg_positioner_interface, id, &impl, positioner, handle_resource_destroy);
}
