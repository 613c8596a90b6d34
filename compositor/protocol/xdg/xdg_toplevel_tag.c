/* SPDX-License-Identifier: MIT */
/* xdg_toplevel_tag_manager_v1: names of a program's windows that last across its runs. */

#include "xdg-toplevel-tag-v1-protocol.h"
#include "xdg.h"

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

void xdg_toplevel_tag_create(struct protocols *protocols)
{
	protocols_add_global(
		protocols, &xdg_toplevel_tag_manager_v1_interface, 1, &impl, NULL, GLOBAL_PUBLIC);
}
