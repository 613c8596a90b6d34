/* SPDX-License-Identifier: MIT */
/* zxdg_decoration_manager_v1: whether client or compositor draws a window's decorations. */

#include "util/xalloc.h"
#include "xdg-decoration-unstable-v1-protocol.h"
#include "xdg.h"
#include <stdlib.h>

struct decoration_object {
	struct wl_resource *resource;
	struct toplevel *toplevel; /* NULL once destroyed */
	uint32_t mode; /* sent, or about to be */
	bool unsent;
};

void decoration_configure(struct decoration_object *object, struct xdg_configure *configure)
{
	configure->has_decoration = true;
	configure->decorated = object->mode == ZXDG_TOPLEVEL_DECORATION_V1_MODE_SERVER_SIDE;
	if (object->unsent) {
		zxdg_toplevel_decoration_v1_send_configure(object->resource, object->mode);
		object->unsent = false;
	}
}

/* Configures that were sent for the object have no effect on the decoration after it. */
static void forget_configures(struct xdg_surface *xdg)
{
	struct xdg_configure *configure;
	wl_list_for_each (configure, &xdg->configures, link) {
		configure->has_decoration = false;
	}
}

void decoration_orphan(struct decoration_object *object, bool error)
{
	forget_configures(object->toplevel->xdg);
	if (error) {
		wl_resource_post_error(object->resource, ZXDG_TOPLEVEL_DECORATION_V1_ERROR_ORPHANED,
			"xdg_toplevel destroyed before its decoration");
	}
	object->toplevel->decoration = NULL;
	object->toplevel = NULL;
}

/*
 * Each request is answered by a configure; requests before the first commit by the initial
 * configure.
 */
static void set_mode(struct decoration_object *object, uint32_t mode)
{
	if (!object->toplevel) {
		return;
	}
	object->mode = mode;
	object->unsent = true;
	if (object->toplevel->xdg->initial) {
		xdg_surface_schedule_configure(object->toplevel->xdg);
	}
}

static void handle_set_mode(struct wl_client *client, struct wl_resource *resource, uint32_t mode)
{
	if (mode != ZXDG_TOPLEVEL_DECORATION_V1_MODE_CLIENT_SIDE &&
		mode != ZXDG_TOPLEVEL_DECORATION_V1_MODE_SERVER_SIDE) {
		wl_resource_post_error(resource, ZXDG_TOPLEVEL_DECORATION_V1_ERROR_INVALID_MODE,
			"invalid decoration mode %u", mode);
		return;
	}
	set_mode(wl_resource_get_user_data(resource), mode);
}

/* Without a preference of the client, the compositor decorates the window. */
static void handle_unset_mode(struct wl_client *client, struct wl_resource *resource)
{
	set_mode(wl_resource_get_user_data(resource), ZXDG_TOPLEVEL_DECORATION_V1_MODE_SERVER_SIDE);
}

static const struct zxdg_toplevel_decoration_v1_interface impl = {
	.destroy = resource_handle_destroy,
	.set_mode = handle_set_mode,
	.unset_mode = handle_unset_mode,
};

static void handle_resource_destroy(struct wl_resource *resource)
{
	struct decoration_object *object = wl_resource_get_user_data(resource);
	struct toplevel *toplevel = object->toplevel;
	if (toplevel) {
		struct xdg_state *state = surface_extension_pending(&toplevel->xdg->extension);
		state->fields |= XDG_DECORATION;
		state->decorated = false;
		toplevel->decoration = NULL;
		forget_configures(toplevel->xdg);
		kde_decoration_apply(toplevel);
	}
	free(object);
}

static void handle_get(struct wl_client *client, struct wl_resource *manager, uint32_t id,
	struct wl_resource *toplevel_resource)
{
	struct toplevel *toplevel = toplevel_from_resource(toplevel_resource);
	struct decoration_object *object = xcalloc(1, sizeof(*object));
	struct wl_resource *resource = resource_create_child(manager,
		&zxdg_toplevel_decoration_v1_interface, id, &impl, object, handle_resource_destroy);
	if (!resource) {
		return;
	}
	object->resource = resource;
	object->mode = ZXDG_TOPLEVEL_DECORATION_V1_MODE_SERVER_SIDE;
	if (!toplevel) {
		return; /* stays inert */
	}
	if (toplevel->decoration) {
		wl_resource_post_error(resource,
			ZXDG_TOPLEVEL_DECORATION_V1_ERROR_ALREADY_CONSTRUCTED,
			"the toplevel already has a decoration object");
		return;
	}
	struct surface *surface = toplevel->xdg->surface;
	if (surface->pending.buffer || surface_has_content(surface)) {
		wl_resource_post_error(resource,
			ZXDG_TOPLEVEL_DECORATION_V1_ERROR_UNCONFIGURED_BUFFER,
			"the toplevel already has a buffer attached");
		return;
	}
	object->toplevel = toplevel;
	toplevel->decoration = object;
	set_mode(object, object->mode);
}

static const struct zxdg_decoration_manager_v1_interface manager_impl = {
	.destroy = resource_handle_destroy,
	.get_toplevel_decoration = handle_get,
};

void xdg_decoration_create(struct protocols *protocols)
{
	protocols_add_global(protocols, &zxdg_decoration_manager_v1_interface, 1, &manager_impl,
		NULL, GLOBAL_PUBLIC);
}
