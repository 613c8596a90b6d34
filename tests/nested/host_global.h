/* SPDX-License-Identifier: MIT */
#pragma once

/** Globals and resources of the test host, for its own files. */

#include "host.h"

/** Implements the request destroy, or release. */
void host_destroy_resource(struct wl_client *client, struct wl_resource *resource);
/** Creates a resource of the parent's version. */
struct wl_resource *host_create_resource(struct wl_client *client,
	const struct wl_interface *interface, struct wl_resource *parent, uint32_t id,
	const void *impl, void *data);
struct wl_resource *host_bind(struct wl_client *client, const struct wl_interface *interface,
	uint32_t version, uint32_t id, const void *impl, void *data);
/** Creates a global, unless it is to be absent. */
void host_add_global(struct host *host, bool absent, const struct wl_interface *interface,
	int version, wl_global_bind_func_t bind_global);
/** Creates the seat's globals: pointer, keyboard, touch, gestures and relative motion. */
void host_add_seat(struct host *host);

/** Creates the linux-dmabuf global, unless it is to be absent. */
void host_add_dmabuf(struct host *host);

/** Data of the wl_buffer of an imported dma-buf. */
struct host_import {
	int32_t width, height;
};

/** Defines bind_NAME(), for a global that sends no event when bound. */
#define HOST_BIND(name, interface, impl)                                                           \
	static void bind_##name(                                                                   \
		struct wl_client *client, void *data, uint32_t version, uint32_t id)               \
	{                                                                                          \
		host_bind(client, &interface, version, id, &impl, data);                           \
	}
