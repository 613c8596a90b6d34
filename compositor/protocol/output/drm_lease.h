/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * State shared by the files of wp_drm_lease: cards (drm_lease.c) and requests
 * (drm_lease_request.c).
 */

#include "protocol/protocol.h"

/** A card that has, or had, connectors for lease. */
struct lease_device {
	int n_refs; /* one while the card exists, and one per object that refers to it */
	struct wl_list link; /* leasing.devices */
	struct protocols *protocols;
	struct gpu *gpu; /* NULL: the card is gone, and the members below are invalid */
	struct wl_listener gpu_gone;
	struct wl_global *global;
	struct wl_list offers; /* lease_offer.link: connectors on offer now */
	struct wl_list bindings; /* lease_binding.link */
};

/** A connector on offer. */
struct lease_offer {
	struct wl_list link;
	struct lease_device *device;
	struct server_output *output;
	struct wl_listener output_destroy;
	struct wl_list connectors; /* lease_connector.link */
};

/** A wp_drm_lease_connector_v1. */
struct lease_connector {
	struct wl_list link;
	struct wl_resource *resource;
	struct lease_device *device; /* referenced */
	struct lease_offer *offer; /* NULL: withdrawn */
	uint32_t id; /* DRM object ID */
};

/** Defined in drm_lease_device.c, as are the following functions. */
struct lease_device *lease_device_ref(struct lease_device *device);
/** NULL is legal. */
void lease_device_unref(struct lease_device *device);
/** Returns the offered output with this DRM connector ID, or NULL. */
struct output *lease_device_find(const struct lease_device *device, uint32_t connector);

/**
 * Creates a lease request. `device` NULL: the card was gone when the client bound. Defined in
 * drm_lease_request.c.
 */
void lease_request_create(struct wl_client *client, struct wl_resource *device_resource,
	uint32_t id, struct lease_device *device);
