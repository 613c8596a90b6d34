/* SPDX-License-Identifier: MIT */
/* Resources of selections, as far as their protocols agree: sources, offers and devices. */

#include "selection.h"
#include "util/xalloc.h"
#include <stdlib.h>

/* Sources */

struct source {
	struct selection_source base;
	struct wl_resource *resource;
};

static void destroy_source(struct wl_resource *resource)
{
	struct source *source = wl_resource_get_user_data(resource);
	selection_source_finish(&source->base);
	free(source);
}

void selection_source_create(struct wl_client *client, struct wl_resource *manager, uint32_t id,
	const struct selection_source_impl *impl, const struct wl_interface *interface,
	const void *requests)
{
	struct source *source = xcalloc(1, sizeof(*source));
	struct wl_resource *resource =
		resource_create_child(manager, interface, id, requests, source, destroy_source);
	if (!resource) {
		return;
	}
	selection_source_init(&source->base, impl, client);
	source->resource = resource;
}

struct selection_source *selection_source_from_resource(struct wl_resource *resource)
{
	struct source *source = resource ? wl_resource_get_user_data(resource) : NULL;
	return source ? &source->base : NULL;
}

struct wl_resource *selection_source_resource(struct selection_source *base)
{
	struct source *source = wl_container_of(base, source, base);
	return source->resource;
}

/* Offers */

static void destroy_offer(struct wl_resource *resource)
{
	struct selection_offer *offer = wl_resource_get_user_data(resource);
	selection_offer_finish(offer);
	free(offer);
}

struct wl_resource *selection_offer_create(struct wl_resource *device,
	struct selection_source *source, struct wl_list *list, const struct wl_interface *interface,
	const void *requests)
{
	struct selection_offer *offer = xcalloc(1, sizeof(*offer));
	struct wl_resource *resource =
		resource_create_child(device, interface, 0, requests, offer, destroy_offer);
	if (!resource) {
		return NULL;
	}
	selection_offer_init(offer, source, list);
	return resource;
}

void selection_offer_handle_receive(
	struct wl_client *client, struct wl_resource *resource, const char *mime_type, int32_t fd)
{
	selection_offer_receive(client, wl_resource_get_user_data(resource), mime_type, fd);
}

/* Devices */

struct wl_resource *selection_device_create(struct wl_client *client, struct wl_resource *manager,
	uint32_t id, struct wl_resource *seat, const struct wl_interface *interface,
	const void *requests)
{
	void *data = seat_from_resource(seat) ? wl_resource_get_user_data(manager) : NULL;
	struct wl_resource *device = resource_create(client, interface,
		wl_resource_get_version(manager), id, requests, data, resource_unlink);
	if (device) {
		wl_list_init(wl_resource_get_link(device));
	}
	return device;
}
