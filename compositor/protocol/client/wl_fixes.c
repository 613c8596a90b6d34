/* SPDX-License-Identifier: MIT */
/* wl_fixes: destruction of wl_registry objects. */

#include "protocol/protocol.h"
#if WAYLAND_VERSION_MAJOR == 1 && WAYLAND_VERSION_MINOR < 24
#include "wl-fixes-protocol.h" /* part of libwayland 1.24 */
#endif

static void handle_destroy_registry(
	struct wl_client *client, struct wl_resource *resource, struct wl_resource *registry)
{
	wl_resource_destroy(registry);
}

static const struct wl_fixes_interface implementation = {
	.destroy = resource_handle_destroy,
	.destroy_registry = handle_destroy_registry,
};

void wl_fixes_create(struct protocols *protocols)
{
	protocols_add_global(
		protocols, &wl_fixes_interface, 1, &implementation, NULL, GLOBAL_PUBLIC);
}
