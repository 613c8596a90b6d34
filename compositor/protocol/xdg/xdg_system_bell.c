/* SPDX-License-Identifier: MIT */
/* xdg_system_bell_v1: bells of programs. */

#include "shell/shell.h"
#include "xdg-system-bell-v1-protocol.h"
#include "xdg.h"

/* Without a surface, the bell is of the client's focused window, if any. */
static struct window *window_of(struct wl_client *client, struct surface *surface)
{
	if (surface) {
		return window_from_surface(surface);
	}
	struct window *focus = client_protocols(client)->server->shell->focus;
	return focus && focus->surface->client == client_from_wl(client) ? focus : NULL;
}

static void handle_ring(struct wl_client *client, struct wl_resource *resource,
	struct wl_resource *surface_resource)
{
	struct surface *surface = surface_resource ? surface_from_resource(surface_resource) : NULL;
	struct window *window = window_of(client, surface);
	if (window) {
		window_ring(window);
	}
}

static const struct xdg_system_bell_v1_interface impl = {
	.destroy = resource_handle_destroy,
	.ring = handle_ring,
};

void xdg_system_bell_create(struct protocols *protocols)
{
	protocols_add_global(
		protocols, &xdg_system_bell_v1_interface, 1, &impl, NULL, GLOBAL_PUBLIC);
}
