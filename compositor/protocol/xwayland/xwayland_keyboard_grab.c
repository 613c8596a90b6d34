/* SPDX-License-Identifier: MIT */
/*
 * zwp_xwayland_keyboard_grab: an X program grabs the keyboard. The X server itself sends all keys
 * to the program; while the focus is on any window of that server, Causeway also leaves it its own
 * shortcuts, until the user takes them back. A grab never takes the keyboard from other programs.
 * Only X servers see the global.
 */

#include "protocol/protocol.h"
#include "xwayland-keyboard-grab-unstable-v1-protocol.h"

static const struct zwp_xwayland_keyboard_grab_v1_interface grab_implementation = {
	.destroy = resource_handle_destroy,
};

static void destroy(struct wl_resource *resource)
{
	shortcuts_release(wl_resource_get_user_data(resource));
}

static void handle_grab_keyboard(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, struct wl_resource *surface, struct wl_resource *seat)
{
	struct protocols *protocols = wl_resource_get_user_data(resource);
	struct inhibitor *inhibitor = shortcuts_inhibit(protocols, client_from_wl(client));
	if (!resource_create(client, &zwp_xwayland_keyboard_grab_v1_interface,
		    wl_resource_get_version(resource), id, &grab_implementation, inhibitor,
		    destroy)) {
		shortcuts_release(inhibitor);
	}
}

static const struct zwp_xwayland_keyboard_grab_manager_v1_interface implementation = {
	.destroy = resource_handle_destroy,
	.grab_keyboard = handle_grab_keyboard,
};

void xwayland_keyboard_grab_create(struct protocols *protocols)
{
	protocols_add_global(protocols, &zwp_xwayland_keyboard_grab_manager_v1_interface, 1,
		&implementation, protocols, GLOBAL_PUBLIC);
}
