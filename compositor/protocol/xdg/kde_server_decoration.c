/* SPDX-License-Identifier: MIT */
/* org_kde_kwin_server_decoration_manager: decorations of GTK's windows, drawn by the compositor. */

#include "kde-server-decoration-protocol.h"
#include "util/xalloc.h"
#include "xdg.h"
#include <stdlib.h>

struct kde_decoration {
	struct surface *surface; /* NULL: destroyed, or it has a newer decoration object */
	uint32_t mode;
	struct wl_listener surface_destroy;
};

static void detach(struct kde_decoration *object)
{
	wl_list_remove(&object->surface_destroy.link);
	object->surface = NULL;
}

static void handle_surface_destroy(struct wl_listener *listener, void *data)
{
	struct kde_decoration *object = wl_container_of(listener, object, surface_destroy);
	detach(object);
}

static struct kde_decoration *find(struct surface *surface)
{
	struct wl_listener *listener =
		wl_signal_get(&surface->events.destroy, handle_surface_destroy);
	struct kde_decoration *object = NULL;
	return listener ? wl_container_of(listener, object, surface_destroy) : NULL;
}

void kde_decoration_apply(struct toplevel *toplevel)
{
	const struct kde_decoration *object = find(toplevel->xdg->surface);
	if (object && !toplevel->decoration) {
		struct xdg_state *state = surface_extension_pending(&toplevel->xdg->extension);
		state->fields |= XDG_DECORATION;
		state->decorated = object->mode == ORG_KDE_KWIN_SERVER_DECORATION_MODE_SERVER;
	}
}

/* Surfaces may become toplevels later. */
static void set_mode(struct kde_decoration *object, uint32_t mode)
{
	struct toplevel *toplevel = toplevel_from_surface(object->surface);
	object->mode = mode;
	if (toplevel) {
		kde_decoration_apply(toplevel);
	}
}

/* Unknown modes are answered with the client's own decorations. */
static void handle_request_mode(
	struct wl_client *client, struct wl_resource *resource, uint32_t mode)
{
	struct kde_decoration *object = wl_resource_get_user_data(resource);
	if (mode > ORG_KDE_KWIN_SERVER_DECORATION_MODE_SERVER) {
		mode = ORG_KDE_KWIN_SERVER_DECORATION_MODE_CLIENT;
	}
	if (object->surface) {
		set_mode(object, mode);
		org_kde_kwin_server_decoration_send_mode(resource, mode);
	}
}

static const struct org_kde_kwin_server_decoration_interface impl = {
	.release = resource_handle_destroy,
	.request_mode = handle_request_mode,
};

static void handle_resource_destroy(struct wl_resource *resource)
{
	struct kde_decoration *object = wl_resource_get_user_data(resource);
	if (object->surface) {
		set_mode(object, ORG_KDE_KWIN_SERVER_DECORATION_MODE_CLIENT);
		detach(object);
	}
	free(object);
}

static void handle_create(struct wl_client *client, struct wl_resource *manager, uint32_t id,
	struct wl_resource *surface_resource)
{
	struct surface *surface = surface_from_resource(surface_resource);
	struct kde_decoration *object = xcalloc(1, sizeof(*object));
	struct wl_resource *resource =
		resource_create_child(manager, &org_kde_kwin_server_decoration_interface, id, &impl,
			object, handle_resource_destroy);
	if (!resource) {
		return;
	}
	struct kde_decoration *old = find(surface);
	if (old) {
		detach(old);
	}
	object->surface = surface;
	signal_add(&surface->events.destroy, &object->surface_destroy, handle_surface_destroy);
	set_mode(object, ORG_KDE_KWIN_SERVER_DECORATION_MODE_SERVER);
	org_kde_kwin_server_decoration_send_mode(resource, object->mode);
}

static const struct org_kde_kwin_server_decoration_manager_interface manager_impl = {
	.create = handle_create,
};

static void bind(struct wl_resource *resource, void *data)
{
	wl_resource_set_implementation(resource, &manager_impl, NULL, NULL);
	org_kde_kwin_server_decoration_manager_send_default_mode(
		resource, ORG_KDE_KWIN_SERVER_DECORATION_MANAGER_MODE_SERVER);
}

void kde_server_decoration_create(struct protocols *protocols)
{
	protocols_add_custom_global(protocols, &org_kde_kwin_server_decoration_manager_interface, 1,
		bind, NULL, GLOBAL_PUBLIC);
}
