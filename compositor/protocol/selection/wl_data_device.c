/* SPDX-License-Identifier: MIT */
/* wl_data_device_manager: copy, paste, drag and drop. */

#include "data_device.h"
#include "surface/surface.h"
#include "util/xalloc.h"
#include <stdlib.h>

static void refuse_used(struct wl_resource *device)
{
	wl_resource_post_error(device, WL_DATA_DEVICE_ERROR_USED_SOURCE,
		"the source was already used for a selection or drag");
}

static void handle_start_drag(struct wl_client *client, struct wl_resource *resource,
	struct wl_resource *source_resource, struct wl_resource *origin,
	struct wl_resource *icon_resource, uint32_t serial)
{
	struct data_manager *manager = wl_resource_get_user_data(resource);
	struct data_source *source = data_source_from_resource(source_resource);
	struct surface *icon = icon_resource ? surface_from_resource(icon_resource) : NULL;
	if (source && source->base.used) {
		refuse_used(resource);
		return;
	}
	if (icon && icon->role && icon->role != &drag_icon_role) {
		wl_resource_post_error(resource, WL_DATA_DEVICE_ERROR_ROLE,
			"wl_surface@%u already has another role",
			wl_resource_get_id(icon_resource));
		return;
	}
	if (manager) {
		drag_start(manager, client, source, surface_from_resource(origin), icon, serial);
	}
}

static void handle_set_selection(struct wl_client *client, struct wl_resource *resource,
	struct wl_resource *source_resource, uint32_t serial)
{
	struct data_manager *manager = wl_resource_get_user_data(resource);
	struct data_source *source = data_source_from_resource(source_resource);
	if (source && source->dragged) {
		refuse_used(resource);
		return;
	}
	/*
	 * GTK 3 sets each of its sources twice: the source is the selection already, or was
	 * cancelled.
	 */
	if (source && source->base.used) {
		return;
	}
	if (source && (source->has_actions || source->toplevel_drag)) {
		wl_resource_post_error(source_resource, WL_DATA_SOURCE_ERROR_INVALID_SOURCE,
			"the source can be used only in a drag");
		return;
	}
	if (manager) {
		selection_request(manager->protocols->selections, SELECTION_CLIPBOARD, client,
			source ? &source->base : NULL, serial);
	}
}

static const struct wl_data_device_interface device_impl = {
	.start_drag = handle_start_drag,
	.set_selection = handle_set_selection,
	.release = resource_handle_destroy,
};

static void send_selection(
	struct selection_feed *feed, struct wl_resource *device, struct selection_source *source)
{
	if (!source) {
		wl_data_device_send_selection(device, NULL);
		return;
	}
	struct data_offer *offer =
		data_offer_create(device, feed->protocols, source, &feed->offers, false);
	if (offer) {
		wl_data_device_send_selection(device, offer->resource);
	}
}

static const struct selection_feed_impl feed_impl = {
	.send = send_selection,
};

static void handle_create_source(
	struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	data_source_create(resource, id);
}

static void handle_get_device(struct wl_client *client, struct wl_resource *resource, uint32_t id,
	struct wl_resource *seat)
{
	struct data_manager *manager = wl_resource_get_user_data(resource);
	struct wl_resource *device = selection_device_create(
		client, resource, id, seat, &wl_data_device_interface, &device_impl);
	if (device && wl_resource_get_user_data(device)) {
		selection_feed_add(&manager->feed, device);
	}
}

static const struct wl_data_device_manager_interface manager_impl = {
	.create_data_source = handle_create_source,
	.get_data_device = handle_get_device,
};

static void handle_protocols_destroy(struct wl_listener *listener, void *data)
{
	struct data_manager *manager = wl_container_of(listener, manager, destroy);
	drag_cancel(manager->drag);
	selection_feed_finish(&manager->feed);
	wl_list_remove(&manager->destroy.link);
	manager->protocols->data_manager = NULL;
	free(manager);
}

void wl_data_device_create(struct protocols *protocols)
{
	struct data_manager *manager = xcalloc(1, sizeof(*manager));
	manager->protocols = protocols;
	protocols->data_manager = manager;
	selection_feed_init(&manager->feed, &feed_impl, protocols, SELECTION_CLIPBOARD);
	signal_add(&protocols->events.destroy, &manager->destroy, handle_protocols_destroy);
	protocols_add_global(protocols, &wl_data_device_manager_interface, 3, &manager_impl,
		manager, GLOBAL_PUBLIC);
}
