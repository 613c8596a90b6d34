/* SPDX-License-Identifier: MIT */
/* wl_fixes: destruction of wl_registry objects. */

#include "protocol/protocol.h"
#if WAYLAND_VERSION_MAJOR == 1 && WAYLAND_VERSION_MINOR < 24
#include "wl-fixes-protocol.h" /* part of libwayland 1.24 */
#endif

#define VERSION 1

static void handle_destroy_registry(
	struct wl_client *client, struct wl_resource *resource, struct wl_resource *registry)
{
	wl_resource_destroy(registry);
}

static const struct wl_fixes_interface implementation = {
	.destroy = resource_handle_destroy,
	.destroy_registry = handle_destroy_registry,
};

static void bind(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	resource_create(client, &wl_fixes_interface, (int)version, id, &implementation, NULL, NULL);
}

void wl_fixes_create(struct protocols *protocols)
{
	protocols_add_global(protocols, &wl_fixes_interface, VERSION, NULL, bind, GLOBAL_PUBLIC);
}
