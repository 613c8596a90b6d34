/* SPDX-License-Identifier: MIT */
/* xdg_wm_base: creation of xdg_surfaces and positioners. */

#include "util/xalloc.h"
#include "xdg.h"
#include <stdlib.h>

static void handle_destroy_request(struct wl_client *client, struct wl_resource *resource)
{
	struct xdg_wm_base *base = wl_resource_get_user_data(resource);
	if (!wl_list_empty(&base->surfaces)) {
		wl_resource_post_error(resource, XDG_WM_BASE_ERROR_DEFUNCT_SURFACES,
			"xdg_wm_base destroyed before its xdg_surfaces");
		return;
	}
	wl_resource_destroy(resource);
}

static void handle_create_positioner(
	struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	xdg_positioner_create(resource, id);
}

static void handle_get_xdg_surface(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, struct wl_resource *surface)
{
	struct xdg_wm_base *base = wl_resource_get_user_data(resource);
	xdg_surface_create(base, client, id, surface_from_resource(surface));
}

static const struct xdg_wm_base_interface impl = {
	.destroy = handle_destroy_request,
	.create_positioner = handle_create_positioner,
	.get_xdg_surface = handle_get_xdg_surface,
	.pong = xdg_ping_handle_pong,
};

static void handle_resource_destroy(struct wl_resource *resource)
{
	struct xdg_wm_base *base = wl_resource_get_user_data(resource);
	struct xdg_surface *xdg, *next;
	wl_list_for_each_safe (xdg, next, &base->surfaces, base_link) {
		xdg->base = NULL;
		wl_list_remove(&xdg->base_link);
		wl_list_init(&xdg->base_link);
	}
	timer_finish(&base->timer);
	free(base);
}

static void bind(struct wl_resource *resource, void *data)
{
	struct xdg_shell *shell = data;
	struct xdg_wm_base *base = xcalloc(1, sizeof(*base));
	base->shell = shell;
	base->resource = resource;
	wl_list_init(&base->surfaces);
	xdg_ping_init(base);
	wl_resource_set_implementation(resource, &impl, base, handle_resource_destroy);
}

static void handle_destroy(struct wl_listener *listener, void *data)
{
	struct xdg_shell *shell = wl_container_of(listener, shell, destroy);
	wl_list_remove(&shell->destroy.link);
	popup_grab_end(shell);
	free(shell);
}

void xdg_shell_create(struct protocols *protocols)
{
	struct xdg_shell *shell = xcalloc(1, sizeof(*shell));
	shell->protocols = protocols;
	shell->create_toplevel = xdg_toplevel_create;
	shell->create_popup = xdg_popup_create;
	signal_add(&protocols->events.destroy, &shell->destroy, handle_destroy);
	protocols_add_custom_global(
		protocols, &xdg_wm_base_interface, 7, bind, shell, GLOBAL_PUBLIC);
}
