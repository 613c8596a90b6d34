/* SPDX-License-Identifier: MIT */
#pragma once

/** DRM lease clients: a compositor on an emulated card with a headset, and lease requests. */

#include "drm-lease-v1-client-protocol.h"
#include "fake.h"
#include "harness/peer.h"

#define CONNECTORS_MAX 8

struct connector {
	struct wp_drm_lease_connector_v1 *proxy;
	char name[32];
	uint32_t id;
	int n_done, n_withdrawn;
};

/** Lease device as seen by a client. */
struct device {
	struct wp_drm_lease_device_v1 *proxy;
	int fd;
	struct connector connectors[CONNECTORS_MAX];
	int n_connectors, n_done, n_released;
};

struct lease {
	struct wp_drm_lease_v1 *proxy;
	int fd, n_finished;
};

struct lease_world {
	struct fake_card *card;
	struct fixture *fixture;
	struct peer *peer;
	struct device device;
	char path[64];
};

/** Set-up and tear-down: a desktop screen on DP-5 and a headset on DP-6. */
int set_up(void **state);
int tear_down(void **state);
/** Binds the n-th lease device of the server and collects its events. */
void watch(struct peer *peer, struct device *device, int n);
/** Submits the request, which destroys it, and collects the events of the lease. */
void submit(struct wp_drm_lease_request_v1 *request, struct lease *lease);
/** Requests a lease of one connector and waits for the answer. */
void request_lease(struct lease_world *world, struct connector *connector, struct lease *lease);
/**
 * Switches the headset on or off through a descriptor of the card. Returns 0 or a negative errno.
 */
int set_mode(struct lease_world *world, int fd, bool on);
/** Returns the number of wl_output globals. */
int count_outputs(const struct lease_world *world);
/** Replaces the configuration and lets the server reload it. */
void configure(struct lease_world *world, const char *text);
