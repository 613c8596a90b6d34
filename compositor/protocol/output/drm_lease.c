/* SPDX-License-Identifier: MIT */
/* wp_drm_lease_device_v1: one device per card, listing the connectors that clients may lease. */

#include "drm_lease.h"
#include "backend/lease.h"
#include "backend/output.h"
#include "backend/session.h"
#include "drm-lease-v1-protocol.h"
#include "gpu/gpu.h"
#include "protocol/server_output.h"
#include "util/event_source.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct leasing {
	struct protocols *protocols;
	struct wl_list devices; /* lease_device.link */
	struct wl_event_source *update; /* NULL: no update is scheduled */
	struct wl_listener outputs_changed, active, destroy;
};

/** A wp_drm_lease_device_v1. */
struct lease_binding {
	struct wl_list link;
	struct wl_resource *resource;
	struct lease_device *device; /* referenced; NULL: the card was gone when the client bound */
	bool greeted; /* the DRM descriptor and the offered connectors were sent */
};

/* Connectors */

static const struct wp_drm_lease_connector_v1_interface connector_implementation = {
	.destroy = resource_handle_destroy,
};

static void handle_connector_destroy(struct wl_resource *resource)
{
	struct lease_connector *connector = wl_resource_get_user_data(resource);
	wl_list_remove(&connector->link);
	lease_device_unref(connector->device);
	free(connector);
}

static void send_connector(struct lease_binding *binding, struct lease_offer *offer)
{
	struct lease_connector *connector = xcalloc(1, sizeof(*connector));
	struct wl_resource *created =
		resource_create_child(binding->resource, &wp_drm_lease_connector_v1_interface, 0,
			&connector_implementation, connector, handle_connector_destroy);
	if (!created) {
		return;
	}
	const struct output *output = offer->output->output;
	connector->resource = created;
	connector->device = lease_device_ref(offer->device);
	connector->offer = offer;
	connector->id = drm_output_connector(output);
	wl_list_insert(&offer->connectors, &connector->link);
	wp_drm_lease_device_v1_send_connector(binding->resource, created);
	wp_drm_lease_connector_v1_send_name(created, output->name);
	wp_drm_lease_connector_v1_send_description(
		created, output->description ? output->description : output->name);
	wp_drm_lease_connector_v1_send_connector_id(created, connector->id);
	wp_drm_lease_connector_v1_send_done(created);
}

/* Offers */

static void withdraw(struct lease_offer *offer)
{
	struct lease_connector *connector, *next;
	wl_list_for_each_safe (connector, next, &offer->connectors, link) {
		connector->offer = NULL;
		wl_list_remove(&connector->link);
		wl_list_init(&connector->link);
		wp_drm_lease_connector_v1_send_withdrawn(connector->resource);
	}
	wl_list_remove(&offer->output_destroy.link);
	wl_list_remove(&offer->link);
	free(offer);
}

static void send_done(struct lease_device *device)
{
	struct lease_binding *binding;
	wl_list_for_each (binding, &device->bindings, link) {
		if (binding->greeted) {
			wp_drm_lease_device_v1_send_done(binding->resource);
		}
	}
}

static void handle_output_destroy(struct wl_listener *listener, void *data)
{
	struct lease_offer *offer = wl_container_of(listener, offer, output_destroy);
	struct lease_device *device = offer->device;
	withdraw(offer);
	send_done(device);
}

static void make_offer(struct lease_device *device, struct server_output *output)
{
	struct lease_offer *offer = xcalloc(1, sizeof(*offer));
	offer->device = device;
	offer->output = output;
	wl_list_init(&offer->connectors);
	wl_list_insert(device->offers.prev, &offer->link);
	signal_add(&output->events.destroy, &offer->output_destroy, handle_output_destroy);
	struct lease_binding *binding;
	wl_list_for_each (binding, &device->bindings, link) {
		if (binding->greeted) {
			send_connector(binding, offer);
		}
	}
}

static bool can_offer(const struct server_output *output)
{
	return output->lendable && !output->output->leased && !output->output->asleep &&
	       !output_lacks(output->output);
}

static struct lease_offer *find_offer(
	const struct lease_device *device, const struct server_output *output)
{
	struct lease_offer *offer;
	wl_list_for_each (offer, &device->offers, link) {
		if (offer->output == output) {
			return offer;
		}
	}
	return NULL;
}

/* Bindings */

/*
 * Sends the DRM descriptor and the connectors. Postponed while the card is closed or the session is
 * inactive.
 */
static void greet(struct lease_binding *binding)
{
	struct lease_device *device = binding->device;
	int fd = drm_backend_open_reader(device->protocols->server->backend, device->gpu);
	if (fd < 0) {
		log_debug(LOG_PROTOCOL, "%s: DRM leases are postponed: %s", device->gpu->bus_id,
			strerror(-fd));
		return;
	}
	binding->greeted = true;
	client_charge_queued_descriptor(wl_resource_get_client(binding->resource));
	wp_drm_lease_device_v1_send_drm_fd(binding->resource, fd);
	close(fd);
	struct lease_offer *offer;
	wl_list_for_each (offer, &device->offers, link) {
		send_connector(binding, offer);
	}
	wp_drm_lease_device_v1_send_done(binding->resource);
}

static void handle_create_lease_request(
	struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	const struct lease_binding *binding = wl_resource_get_user_data(resource);
	lease_request_create(client, resource, id, binding->device);
}

static void handle_release(struct wl_client *client, struct wl_resource *resource)
{
	wp_drm_lease_device_v1_send_released(resource);
	wl_resource_destroy(resource);
}

static const struct wp_drm_lease_device_v1_interface device_implementation = {
	.create_lease_request = handle_create_lease_request,
	.release = handle_release,
};

static void handle_binding_destroy(struct wl_resource *resource)
{
	struct lease_binding *binding = wl_resource_get_user_data(resource);
	wl_list_remove(&binding->link);
	lease_device_unref(binding->device);
	free(binding);
}

static void bind(struct wl_resource *resource, void *data)
{
	struct lease_device *device = data; /* NULL: withdrawn */
	struct lease_binding *binding = xcalloc(1, sizeof(*binding));
	binding->resource = resource;
	wl_list_init(&binding->link);
	wl_resource_set_implementation(
		resource, &device_implementation, binding, handle_binding_destroy);
	if (device) {
		binding->device = lease_device_ref(device);
		wl_list_insert(device->bindings.prev, &binding->link);
		greet(binding);
	}
}

/* Devices */

static void forget_device(struct lease_device *device)
{
	struct lease_offer *offer, *next_offer;
	wl_list_for_each_safe (offer, next_offer, &device->offers, link) {
		withdraw(offer);
	}
	struct lease_binding *binding, *next;
	wl_list_for_each_safe (binding, next, &device->bindings, link) {
		wl_list_remove(&binding->link);
		wl_list_init(&binding->link);
	}
	wl_list_remove(&device->gpu_gone.link);
	wl_list_remove(&device->link);
	device->gpu = NULL;
	lease_device_unref(device);
}

static void handle_gpu_gone(struct wl_listener *listener, void *data)
{
	struct lease_device *device = wl_container_of(listener, device, gpu_gone);
	protocols_remove_global(device->protocols, device->global);
	forget_device(device);
}

/*
 * Creates the device with the first connector on offer, so that cards without one are never opened
 * on request of a client.
 */
static struct lease_device *get_device(struct leasing *leasing, struct gpu *gpu)
{
	struct lease_device *device;
	wl_list_for_each (device, &leasing->devices, link) {
		if (device->gpu == gpu) {
			return device;
		}
	}
	device = xcalloc(1, sizeof(*device));
	device->n_refs = 1;
	device->protocols = leasing->protocols;
	device->gpu = gpu;
	wl_list_init(&device->offers);
	wl_list_init(&device->bindings);
	wl_list_insert(leasing->devices.prev, &device->link);
	signal_add(&gpu->events.gone, &device->gpu_gone, handle_gpu_gone);
	device->global = protocols_add_custom_global(leasing->protocols,
		&wp_drm_lease_device_v1_interface, 1, bind, device, GLOBAL_PRIVILEGED);
	return device;
}

static void update_device(struct lease_device *device)
{
	bool changed = false;
	struct lease_offer *offer, *next;
	wl_list_for_each_safe (offer, next, &device->offers, link) {
		if (!can_offer(offer->output)) {
			withdraw(offer);
			changed = true;
		}
	}
	struct server_output *output;
	wl_list_for_each (output, &device->protocols->server->outputs, link) {
		if (output->output->gpu == device->gpu && can_offer(output) &&
			!find_offer(device, output)) {
			make_offer(device, output);
			changed = true;
		}
	}
	if (changed) {
		send_done(device);
	}
	struct lease_binding *binding;
	wl_list_for_each (binding, &device->bindings, link) {
		if (!binding->greeted) {
			greet(binding);
		}
	}
}

static void handle_update(void *data)
{
	struct leasing *leasing = data;
	leasing->update = NULL; /* idle sources are removed when they fire */
	struct server_output *output;
	wl_list_for_each (output, &leasing->protocols->server->outputs, link) {
		if (can_offer(output)) {
			get_device(leasing, output->output->gpu);
		}
	}
	struct lease_device *device;
	wl_list_for_each (device, &leasing->devices, link) {
		update_device(device);
	}
}

/*
 * Many changes arrive together and output state is not final yet; one update handles all of them.
 */
static void update_later(struct leasing *leasing)
{
	if (!leasing->update) {
		leasing->update = wl_event_loop_add_idle(
			leasing->protocols->server->loop, handle_update, leasing);
	}
}

static void handle_outputs_changed(struct wl_listener *listener, void *data)
{
	struct leasing *leasing = wl_container_of(listener, leasing, outputs_changed);
	update_later(leasing);
}

static void handle_active(struct wl_listener *listener, void *data)
{
	struct leasing *leasing = wl_container_of(listener, leasing, active);
	update_later(leasing);
}

static void handle_protocols_destroy(struct wl_listener *listener, void *data)
{
	struct leasing *leasing = wl_container_of(listener, leasing, destroy);
	struct lease_device *device, *next;
	wl_list_for_each_safe (device, next, &leasing->devices, link) {
		forget_device(device);
	}
	event_source_remove(&leasing->update);
	wl_list_remove(&leasing->outputs_changed.link);
	wl_list_remove(&leasing->active.link);
	wl_list_remove(&leasing->destroy.link);
	free(leasing);
}

void drm_lease_protocol_create(struct protocols *protocols)
{
	struct server *server = protocols->server;
	if (!server->session) {
		return; /* no DRM devices */
	}
	struct leasing *leasing = xcalloc(1, sizeof(*leasing));
	leasing->protocols = protocols;
	wl_list_init(&leasing->devices);
	signal_add(
		&server->events.outputs_changed, &leasing->outputs_changed, handle_outputs_changed);
	signal_add(&server->session->events.active, &leasing->active, handle_active);
	signal_add(&protocols->events.destroy, &leasing->destroy, handle_protocols_destroy);
	update_later(leasing);
}
