/* SPDX-License-Identifier: MIT */
/* xdg_toplevel_tag_manager_v1: names of a program's windows that last across its runs. */

#include "xdg-toplevel-tag-v1-protocol.h"
#include "xdg.h"

#define VERSION 1

static void handle_set_tag(struct wl_client *client, struct wl_resource *resource,
	struct wl_resource *toplevel, const char *tag)
{
	struct window *window = window_from_toplevel_resource(toplevel);
	if (window) {
		window_set_tag(window, tag);
	}
}

static void handle_set_description(struct wl_client *client, struct wl_resource *resource,
	struct wl_resource *toplevel, const char *description)
{
	struct window *window = window_from_toplevel_resource(toplevel);
	if (window) {
		window_set_description(window, description);
	}
}

static const struct xdg_toplevel_tag_manager_v1_interface impl = {
	.destroy = resource_handle_destroy,
	.set_toplevel_tag = handle_set_tag,
	.set_toplevel_description = handle_set_description,
};

static void bind(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	resource_create(client, &xdg_toplevel_tag_manager_v1_interface, (int)version, id, &impl,
		NULL, NULL);
}

void xdg_toplevel_tag_create(struct protocols *protocols)
{
	protocols_add_global(protocols, &xdg_toplevel_tag_manager_v1_interface, VERSION, NULL, bind,
		GLOBAL_PUBLIC);
}
