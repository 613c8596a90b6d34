#pragma once

/** Globals and resources of the host that tests make: for its own files. */

#include "host.h"

/** The request destroy, or release. */
void host_destroy_resource(struct wl_client *client, struct wl_resource *resource);
/** Of the parent's version. */
struct wl_resource *host_create_resource(struct wl_client *client,
	const struct wl_interface *interface, struct wl_resource *parent, uint32_t id,
	const void *impl, void *data);
struct wl_resource *host_bind(struct wl_client *client, const struct wl_interface *interface,
	uint32_t version, uint32_t id, const void *impl, void *data);
/** Nothing if it is to be absent. */
void host_add_global(struct host *host, bool absent, const struct wl_interface *interface,
	int version, wl_global_bind_func_t bind_global);
/** Pointer, keyboard, touch, gestures and relative motion. */
void host_add_seat(struct host *host);

/** Defines bind_NAME(), for a global of which nothing is told when it is bound. */
#define HOST_BIND(name, interface, impl)                                                           \
	static void bind_##name(                                                                   \
		struct wl_client *client, void *data, uint32_t version, uint32_t id)               \
	{                                                                                          \
		host_bind(client, &interface, version, id, &impl, data);                           \
	}
