/* SPDX-License-Identifier: MIT */
/* Cards with connectors for lease: references, and look-up of a connector. */

#include "backend/lease.h"
#include "drm_lease.h"
#include "protocol/server_output.h"
#include <stdlib.h>

struct lease_device *lease_device_ref(struct lease_device *device)
{
	device->n_refs++;
	return device;
}

void lease_device_unref(struct lease_device *device)
{
	if (device && --device->n_refs == 0) {
		free(device);
	}
}

struct output *lease_device_find(const struct lease_device *device, uint32_t connector)
{
	const struct lease_offer *offer;
	wl_list_for_each (offer, &device->offers, link) {
		struct output *output = offer->output->output;
		if (drm_output_connector(output) == connector) {
			return output;
		}
	}
	return NULL;
}
