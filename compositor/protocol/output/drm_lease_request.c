/* SPDX-License-Identifier: MIT */
/* wp_drm_lease_request_v1 and wp_drm_lease_v1: requests for connectors, and granted leases. */

#include "backend/lease.h"
#include "drm-lease-v1-protocol.h"
#include "drm_lease.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <unistd.h>

struct request {
	struct wl_resource *resource;
	struct lease_device *device; /* referenced; NULL: the card was gone from the start */
	struct wl_array connectors; /* uint32_t, DRM object IDs, each once */
};

struct lease {
	struct wl_resource *resource;
	struct drm_lease *held; /* NULL: denied or ended */
	struct wl_listener ended;
};

/* Leases */

static const struct wp_drm_lease_v1_interface lease_implementation = {
	.destroy = resource_handle_destroy,
};

static void let_go(struct lease *lease)
{
	if (lease->held) {
		wl_list_remove(&lease->ended.link);
		drm_lease_destroy(lease->held);
		lease->held = NULL;
	}
}

static void handle_lease_destroy(struct wl_resource *resource)
{
	struct lease *lease = wl_resource_get_user_data(resource);
	let_go(lease);
	free(lease);
}

static void handle_ended(struct wl_listener *listener, void *data)
{
	struct lease *lease = wl_container_of(listener, lease, ended);
	let_go(lease);
	wp_drm_lease_v1_send_finished(lease->resource);
}

/* Leases all requested connectors. Returns NULL if any of them is unavailable. */
static struct drm_lease *obtain(const struct request *request, int *fd)
{
	size_t n = 0;
	if (!request->device || !request->device->gpu) {
		return NULL;
	}
	struct output **outputs =
		xcalloc(request->connectors.size / sizeof(uint32_t), sizeof(struct output *));
	struct drm_lease *held = NULL;
	const uint32_t *id;
	wl_array_for_each (id, &request->connectors) {
		outputs[n] = lease_device_find(request->device, *id);
		if (!outputs[n]) {
			goto free_outputs;
		}
		n++;
	}
	held = drm_lease_create(outputs, n, fd);
free_outputs:
	free(outputs);
	return held;
}

static void create_lease(const struct request *request, uint32_t id)
{
	struct lease *lease = xcalloc(1, sizeof(*lease));
	struct wl_resource *created = resource_create_child(request->resource,
		&wp_drm_lease_v1_interface, id, &lease_implementation, lease, handle_lease_destroy);
	if (!created) {
		return;
	}
	lease->resource = created;
	int fd;
	lease->held = obtain(request, &fd);
	if (!lease->held) {
		wp_drm_lease_v1_send_finished(created);
		return;
	}
	signal_add(&lease->held->events.ended, &lease->ended, handle_ended);
	wp_drm_lease_v1_send_lease_fd(created, fd);
	close(fd);
}

/* Requests */

static void handle_request_connector(struct wl_client *client, struct wl_resource *resource,
	struct wl_resource *connector_resource)
{
	struct request *request = wl_resource_get_user_data(resource);
	const struct lease_connector *connector = wl_resource_get_user_data(connector_resource);
	if (connector->device != request->device) {
		wl_resource_post_error(resource, WP_DRM_LEASE_REQUEST_V1_ERROR_WRONG_DEVICE,
			"the connector belongs to another device");
		return;
	}
	uint32_t *id;
	wl_array_for_each (id, &request->connectors) {
		if (*id == connector->id) {
			wl_resource_post_error(resource,
				WP_DRM_LEASE_REQUEST_V1_ERROR_DUPLICATE_CONNECTOR,
				"the connector is already in the request");
			return;
		}
	}
	id = wl_array_add(&request->connectors, sizeof(*id));
	if (!id) {
		wl_resource_post_no_memory(resource);
		return;
	}
	*id = connector->id;
}

static void handle_submit(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	const struct request *request = wl_resource_get_user_data(resource);
	if (request->connectors.size == 0) {
		wl_resource_post_error(resource, WP_DRM_LEASE_REQUEST_V1_ERROR_EMPTY_LEASE,
			"submit of a request without connectors");
		return;
	}
	create_lease(request, id);
	wl_resource_destroy(resource);
}

static const struct wp_drm_lease_request_v1_interface request_implementation = {
	.request_connector = handle_request_connector,
	.submit = handle_submit,
};

static void handle_request_destroy(struct wl_resource *resource)
{
	struct request *request = wl_resource_get_user_data(resource);
	lease_device_unref(request->device);
	wl_array_release(&request->connectors);
	free(request);
}

void lease_request_create(struct wl_client *client, struct wl_resource *device_resource,
	uint32_t id, struct lease_device *device)
{
	struct request *request = xcalloc(1, sizeof(*request));
	struct wl_resource *created =
		resource_create_child(device_resource, &wp_drm_lease_request_v1_interface, id,
			&request_implementation, request, handle_request_destroy);
	if (!created) {
		return;
	}
	request->resource = created;
	request->device = device ? lease_device_ref(device) : NULL;
	wl_array_init(&request->connectors);
}
