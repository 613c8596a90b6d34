/* zwp_primary_selection: what was last marked, and is pasted with the middle button. */

#include "primary-selection-unstable-v1-protocol.h"
#include "selection.h"
#include "util/xalloc.h"
#include <stdlib.h>

#define VERSION 1

struct primary_selection {
	struct protocols *protocols;
	struct selection_feed feed;
	struct wl_listener destroy;
};

struct primary_source {
	struct selection_source base;
	struct wl_resource *resource;
};

static void handle_destroy(struct wl_client *client, struct wl_resource *resource)
{
	wl_resource_destroy(resource);
}

/* Sources */

static void send_data(struct selection_source *base, const char *mime_type, int fd)
{
	struct primary_source *source = wl_container_of(base, source, base);
	zwp_primary_selection_source_v1_send_send(source->resource, mime_type, fd);
}

static void send_cancelled(struct selection_source *base)
{
	struct primary_source *source = wl_container_of(base, source, base);
	zwp_primary_selection_source_v1_send_cancelled(source->resource);
}

static const struct selection_source_impl source_base_impl = {
	.send = send_data,
	.cancelled = send_cancelled,
};

static void handle_source_offer(
	struct wl_client *client, struct wl_resource *resource, const char *mime_type)
{
	struct primary_source *source = wl_resource_get_user_data(resource);
	selection_source_add_type(&source->base, mime_type);
}

static const struct zwp_primary_selection_source_v1_interface source_impl = {
	.offer = handle_source_offer,
	.destroy = handle_destroy,
};

static void destroy_source(struct wl_resource *resource)
{
	struct primary_source *source = wl_resource_get_user_data(resource);
	selection_source_finish(&source->base);
	free(source);
}

/* Offers */

static void handle_receive(
	struct wl_client *client, struct wl_resource *resource, const char *mime_type, int32_t fd)
{
	selection_offer_receive(wl_resource_get_user_data(resource), mime_type, fd);
}

static const struct zwp_primary_selection_offer_v1_interface offer_impl = {
	.receive = handle_receive,
	.destroy = handle_destroy,
};

static void destroy_offer(struct wl_resource *resource)
{
	struct selection_offer *offer = wl_resource_get_user_data(resource);
	selection_offer_finish(offer);
	free(offer);
}

static void send_selection(
	struct selection_feed *feed, struct wl_resource *device, struct selection_source *source)
{
	if (!source) {
		zwp_primary_selection_device_v1_send_selection(device, NULL);
		return;
	}
	struct wl_resource *resource = wl_resource_create(wl_resource_get_client(device),
		&zwp_primary_selection_offer_v1_interface, wl_resource_get_version(device), 0);
	if (!resource) {
		wl_resource_post_no_memory(device);
		return;
	}
	struct selection_offer *offer = xcalloc(1, sizeof(*offer));
	selection_offer_init(offer, source, &feed->offers);
	wl_resource_set_implementation(resource, &offer_impl, offer, destroy_offer);
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
	struct wl_resource *source_resource, uint32_t serial)
{
	struct primary_selection *primary = wl_resource_get_user_data(resource);
	struct primary_source *source =
		source_resource ? wl_resource_get_user_data(source_resource) : NULL;
	if (primary) {
		selection_request(primary->protocols->selections, SELECTION_PRIMARY, client,
			source ? &source->base : NULL, serial);
	}
}

static const struct zwp_primary_selection_device_v1_interface device_impl = {
	.set_selection = handle_set_selection,
	.destroy = handle_destroy,
};

static void unlink_device(struct wl_resource *resource)
{
	wl_list_remove(wl_resource_get_link(resource));
}

/* The manager */

static void handle_create_source(
	struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	struct wl_resource *created = wl_resource_create(client,
		&zwp_primary_selection_source_v1_interface, wl_resource_get_version(resource), id);
	if (!created) {
		wl_client_post_no_memory(client);
		return;
	}
	struct primary_source *source = xcalloc(1, sizeof(*source));
	selection_source_init(&source->base, &source_base_impl);
	source->resource = created;
	wl_resource_set_implementation(created, &source_impl, source, destroy_source);
}

static void handle_get_device(struct wl_client *client, struct wl_resource *resource, uint32_t id,
	struct wl_resource *seat)
{
	struct primary_selection *primary = wl_resource_get_user_data(resource);
	struct wl_resource *device = wl_resource_create(client,
		&zwp_primary_selection_device_v1_interface, wl_resource_get_version(resource), id);
	if (!device) {
		wl_client_post_no_memory(client);
		return;
	}
	bool live = seat_from_resource(seat);
	wl_resource_set_implementation(device, &device_impl, live ? primary : NULL, unlink_device);
	wl_list_init(wl_resource_get_link(device));
	if (live) {
		selection_feed_add(&primary->feed, device);
	}
}

static const struct zwp_primary_selection_device_manager_v1_interface manager_impl = {
	.create_source = handle_create_source,
	.get_device = handle_get_device,
	.destroy = handle_destroy,
};

static void bind(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	struct wl_resource *resource = wl_resource_create(
		client, &zwp_primary_selection_device_manager_v1_interface, (int)version, id);
	if (!resource) {
		wl_client_post_no_memory(client);
		return;
	}
	wl_resource_set_implementation(resource, &manager_impl, data, NULL);
}

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
	primary->destroy.notify = handle_protocols_destroy;
	wl_signal_add(&protocols->events.destroy, &primary->destroy);
	protocols_add_global(protocols, &zwp_primary_selection_device_manager_v1_interface, VERSION,
		primary, bind, GLOBAL_PUBLIC);
}
