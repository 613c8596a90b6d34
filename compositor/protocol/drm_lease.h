#pragma once

/** What the two files of wp_drm_lease share: cards (drm_lease.c), and requests (drm_lease_request.c). */

#include "protocol.h"

/** A card that has, or had, connectors to lend. */
struct lease_device {
	int n_refs; /* its own, while the card is there, and one of each object that names it */
	struct wl_list link; /* of all cards */
	struct protocols *protocols;
	struct gpu *gpu; /* NULL: the card is gone, and nothing below means anything */
	struct wl_listener gpu_gone;
	struct wl_global *global;
	struct wl_list offers; /* lease_offer.link: what can be had now */
	struct wl_list bindings; /* lease_binding.link */
};

/** A connector that can be had. */
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
	uint32_t id; /* the kernel's */
};

struct lease_device *lease_device_ref(struct lease_device *device);
/** NULL is legal. */
void lease_device_unref(struct lease_device *device);
/** The output that is on offer by this kernel's number; NULL: none. */
struct output *lease_device_find(const struct lease_device *device, uint32_t connector);

/** drm_lease_request.c: `device` NULL: it was gone before the client heard of it. */
void lease_request_create(struct wl_client *client, struct wl_resource *device_resource,
	uint32_t id, struct lease_device *device);
