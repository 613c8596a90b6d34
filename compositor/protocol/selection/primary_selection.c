/* SPDX-License-Identifier: MIT */
/* zwp_primary_selection: the selection of marked text, pasted with the middle button. */

#include "primary-selection-unstable-v1-protocol.h"
#include "selection.h"
#include "util/xalloc.h"
#include <stdlib.h>

struct primary_selection {
	struct protocols *protocols;
	struct selection_feed feed;
	struct wl_listener destroy;
};

/* Sources */

static void send_data(struct selection_source *source, const char *mime_type, int fd)
{
	zwp_primary_selection_source_v1_send_send(selection_source_resource(source), mime_type, fd);
}

static void send_cancelled(struct selection_source *source)
{
	zwp_primary_selection_source_v1_send_cancelled(selection_source_resource(source));
}

static const struct selection_source_impl source_base_impl = {
	.send = send_data,
	.cancelled = send_cancelled,
};

static void handle_source_offer(
	struct wl_client *client, struct wl_resource *resource, const char *mime_type)
{
	selection_source_add_type(selection_source_from_resource(resource), mime_type);
}

static const struct zwp_primary_selection_source_v1_interface source_impl = {
	.offer = handle_source_offer,
	.destroy = resource_handle_destroy,
};

/* Offers */

static const struct zwp_primary_selection_offer_v1_interface offer_impl = {
	.receive = selection_offer_handle_receive,
	.destroy = resource_handle_destroy,
};

static void send_selection(
	struct selection_feed *feed, struct wl_resource *device, struct selection_source *source)
{
	if (!source) {
		zwp_primary_selection_device_v1_send_selection(device, NULL);
		return;
	}
	struct wl_resource *resource = selection_offer_create(device, source, &feed->offers,
		&zwp_primary_selection_offer_v1_interface, &offer_impl);
	if (!resource) {
		return;
	}
	zwp_primary_selection_device_v1_send_data_offer(device, resource);
	for (int i = 0; i < source->n_types; i++) {
		zwp_primary_selection_offer_v1_send_offer(resource, source->types[i]);
	}
	zwp_primary_selection_device_v1_send_selection(device, resource);
}

static const struct selection_feed_impl feed_impl = {
	.send = send_selection,
};

/* Devices */

static void handle_set_selection(struct wl_client *client, struct wl_resource *resource,
	struct wl_resource *source, uint32_t serial)
{
	struct primary_selection *primary = wl_resource_get_user_data(resource);
	if (primary) {
		selection_request(primary->protocols->selections, SELECTION_PRIMARY, client,
			selection_source_from_resource(source), serial);
	}
}

static const struct zwp_primary_selection_device_v1_interface device_impl = {
	.set_selection = handle_set_selection,
	.destroy = resource_handle_destroy,
};

/* The manager */

static void handle_create_source(
	struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	selection_source_create(client, resource, id, &source_base_impl,
		&zwp_primary_selection_source_v1_interface, &source_impl);
}

static void handle_get_device(struct wl_client *client, struct wl_resource *resource, uint32_t id,
	struct wl_resource *seat)
{
	struct primary_selection *primary = wl_resource_get_user_data(resource);
	struct wl_resource *device = selection_device_create(client, resource, id, seat,
		&zwp_primary_selection_device_v1_interface, &device_impl);
	if (device && wl_resource_get_user_data(device)) {
		selection_feed_add(&primary->feed, device);
	}
}

static const struct zwp_primary_selection_device_manager_v1_interface manager_impl = {
	.create_source = handle_create_source,
	.get_device = handle_get_device,
	.destroy = resource_handle_destroy,
};

static void handle_protocols_destroy(struct wl_listener *listener, void *data)
{
	struct primary_selection *primary = wl_container_of(listener, primary, destroy);
	selection_feed_finish(&primary->feed);
	wl_list_remove(&primary->destroy.link);
	free(primary);
}

void primary_selection_create(struct protocols *protocols)
{
	struct primary_selection *primary = xcalloc(1, sizeof(*primary));
	primary->protocols = protocols;
	selection_feed_init(&primary->feed, &feed_impl, protocols, SELECTION_PRIMARY);
	signal_add(&protocols->events.destroy, &primary->destroy, handle_protocols_destroy);
	protocols_add_global(protocols, &zwp_primary_selection_device_manager_v1_interface, 1,
		&manager_impl, primary, GLOBAL_PUBLIC);
}
