/* SPDX-License-Identifier: MIT */
/*
 * xwayland_shell_v1: serial numbers by which the window manager of an X server associates surfaces
 * with X windows. Only X servers see the global.
 */

#include "protocol/protocol.h"
#include "surface/surface.h"
#include "util/xalloc.h"
#include "xwayland-shell-v1-protocol.h"
#include "xwayland/servers.h"
#include <stdlib.h>
#include <string.h>

struct xwayland_shell {
	struct protocols *protocols;
	struct wl_list surfaces; /* x_surface.link, the latest first */
	struct wl_listener new_surface, destroy;
};

/* Lives until its resource and its surface are destroyed. */
struct x_surface {
	struct wl_list link; /* empty without a surface */
	struct wl_resource *resource; /* NULL: destroyed */
	struct surface *surface; /* NULL: destroyed */
	uint64_t pending, serial; /* 0: none */
	struct wl_listener commit, surface_destroy;
};

static struct x_server *get_server(const struct surface *surface)
{
	return surface->client->x_server;
}

static void free_if_unused(struct x_surface *object)
{
	if (!object->resource && !object->surface) {
		free(object);
	}
}

static void handle_commit(struct wl_listener *listener, void *data)
{
	struct x_surface *object = wl_container_of(listener, object, commit);
	if (object->pending) {
		object->serial = object->pending;
		object->pending = 0;
		x_server_set_serial(get_server(object->surface), object->surface, object->serial);
	}
}

static void handle_surface_destroy(struct wl_listener *listener, void *data)
{
	struct x_surface *object = wl_container_of(listener, object, surface_destroy);
	wl_list_remove(&object->commit.link);
	wl_list_remove(&object->surface_destroy.link);
	wl_list_remove(&object->link);
	wl_list_init(&object->link);
	object->surface = NULL;
	free_if_unused(object);
}

static void handle_set_serial(
	struct wl_client *client, struct wl_resource *resource, uint32_t low, uint32_t high)
{
	struct x_surface *object = wl_resource_get_user_data(resource);
	uint64_t serial = (uint64_t)high << 32 | low;
	if (serial == 0) {
		wl_resource_post_error(resource, XWAYLAND_SURFACE_V1_ERROR_INVALID_SERIAL,
			"0 is no serial number");
	} else if (object->serial) {
		wl_resource_post_error(resource, XWAYLAND_SURFACE_V1_ERROR_ALREADY_ASSOCIATED,
			"the surface already has a serial number");
	} else {
		object->pending = serial;
	}
}

static const struct xwayland_surface_v1_interface surface_implementation = {
	.set_serial = handle_set_serial,
	.destroy = resource_handle_destroy,
};

static void destroy(struct wl_resource *resource)
{
	struct x_surface *object = wl_resource_get_user_data(resource);
	object->resource = NULL;
	free_if_unused(object);
}

static bool has_other_role(const struct surface *surface)
{
	return surface->role && surface->role != x_server_role(get_server(surface));
}

static void handle_get_surface(struct wl_client *client, struct wl_resource *resource, uint32_t id,
	struct wl_resource *surface_resource)
{
	struct xwayland_shell *shell = wl_resource_get_user_data(resource);
	struct surface *surface = surface_from_resource(surface_resource);
	if (has_other_role(surface) ||
		wl_signal_get(&surface->events.destroy, handle_surface_destroy)) {
		wl_resource_post_error(resource, XWAYLAND_SHELL_V1_ERROR_ROLE,
			"wl_surface@%u already has a role", wl_resource_get_id(surface_resource));
		return;
	}
	struct x_surface *object = xcalloc(1, sizeof(*object));
	struct wl_resource *created = resource_create_child(resource,
		&xwayland_surface_v1_interface, id, &surface_implementation, object, destroy);
	if (!created) {
		return;
	}
	object->resource = created;
	object->surface = surface;
	signal_add(&surface->events.commit, &object->commit, handle_commit);
	signal_add(&surface->events.destroy, &object->surface_destroy, handle_surface_destroy);
	wl_list_insert(&shell->surfaces, &object->link);
}

static const struct xwayland_shell_v1_interface implementation = {
	.destroy = resource_handle_destroy,
	.get_xwayland_surface = handle_get_surface,
};

struct surface *protocols_find_surface(struct wl_client *client, uint32_t id)
{
	struct wl_resource *resource = wl_client_get_object(client, id);
	/* The id comes from an X11 message and may be that of any object. */
	bool is_surface = resource && strcmp(wl_resource_get_class(resource), "wl_surface") == 0;
	return is_surface ? surface_from_resource(resource) : NULL;
}

struct surface *protocols_find_serial(struct wl_client *client, uint64_t serial)
{
	const struct xwayland_shell *shell = client_protocols(client)->xwayland_shell;
	const struct x_surface *object;
	wl_list_for_each (object, &shell->surfaces, link) {
		if (object->serial == serial &&
			wl_resource_get_client(surface_resource(object->surface)) == client) {
			return object->surface;
		}
	}
	return NULL;
}

static void handle_new_surface(struct wl_listener *listener, void *data)
{
	struct surface *surface = data;
	if (surface->client->x_server) {
		x_server_add_surface(surface->client->x_server, surface,
			wl_resource_get_id(surface_resource(surface)));
	}
}

static void handle_protocols_destroy(struct wl_listener *listener, void *data)
{
	struct xwayland_shell *shell = wl_container_of(listener, shell, destroy);
	wl_list_remove(&shell->new_surface.link);
	wl_list_remove(&shell->destroy.link);
	free(shell);
}

void xwayland_shell_create(struct protocols *protocols)
{
	struct xwayland_shell *shell = xcalloc(1, sizeof(*shell));
	shell->protocols = protocols;
	protocols->xwayland_shell = shell;
	wl_list_init(&shell->surfaces);
	signal_add(&protocols->events.new_surface, &shell->new_surface, handle_new_surface);
	signal_add(&protocols->events.destroy, &shell->destroy, handle_protocols_destroy);
	protocols_add_global(
		protocols, &xwayland_shell_v1_interface, 1, &implementation, shell, GLOBAL_PUBLIC);
}
