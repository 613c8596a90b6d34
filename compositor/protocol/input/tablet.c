/* SPDX-License-Identifier: MIT */
/* zwp_tablet_v2: tablets of the seat. Tools and pads have files of their own. */

#include "tablet.h"
#include "util/xalloc.h"
#include <stdlib.h>

#define VERSION 2

static struct tablet_manager *tablet_manager_of(struct seat *seat)
{
	return seat->tablets.sink_data;
}

static const struct zwp_tablet_v2_interface tablet_impl = {
	.destroy = resource_handle_destroy,
};

static void destroy_tablet(struct wl_resource *resource)
{
	struct tablet_object *object = wl_resource_get_user_data(resource);
	wl_list_remove(&object->link);
	free(object);
}

static void describe(struct wl_resource *resource, const struct input_device *device)
{
	zwp_tablet_v2_send_name(resource, device->name);
	if (device->vendor || device->product) {
		zwp_tablet_v2_send_id(resource, device->vendor, device->product);
	}
	if (device->path) {
		zwp_tablet_v2_send_path(resource, device->path);
	}
	if (wl_resource_get_version(resource) >= ZWP_TABLET_V2_BUSTYPE_SINCE_VERSION &&
		zwp_tablet_v2_bustype_is_valid(device->bus, VERSION)) {
		zwp_tablet_v2_send_bustype(resource, device->bus);
	}
	zwp_tablet_v2_send_done(resource);
}

static void create_tablet(struct tablet_seat *seat, struct seat_tablet *tablet)
{
	struct tablet_object *object = xcalloc(1, sizeof(*object));
	object->number = seat->number;
	object->resource = tablet_create_resource(
		seat, &zwp_tablet_v2_interface, &tablet_impl, object, destroy_tablet);
	if (!object->resource) {
		free(object);
		return;
	}
	wl_list_insert(tablet->objects.prev, &object->link);
	zwp_tablet_seat_v2_send_tablet_added(seat->resource, object->resource);
	describe(object->resource, tablet->device);
}

static void sink_tablet_added(struct seat_tablet *tablet)
{
	struct tablet_seat *seat;
	wl_list_for_each (seat, &tablet_manager_of(tablet->seat)->seats, link) {
		create_tablet(seat, tablet);
	}
}

static void sink_tablet_removed(struct seat_tablet *tablet)
{
	struct tablet_object *object, *next;
	wl_list_for_each_safe (object, next, &tablet->objects, link) {
		zwp_tablet_v2_send_removed(object->resource);
		wl_list_remove(&object->link);
		wl_list_init(&object->link);
	}
}

static void sink_tool_added(struct seat_tool *tool)
{
	struct tablet_seat *seat;
	wl_list_for_each (seat, &tablet_manager_of(tool->seat)->seats, link) {
		tool_object_create(seat, tool);
	}
}

static void sink_pad_added(struct seat_pad *pad)
{
	struct tablet_seat *seat;
	wl_list_for_each (seat, &tablet_manager_of(pad->seat)->seats, link) {
		pad_object_create(seat, pad);
	}
}

static const struct seat_tablet_sink_impl sink_impl = {
	.supports_tool = sink_supports_tool,
	.supports_pad = sink_supports_pad,
	.tablet_added = sink_tablet_added,
	.tablet_removed = sink_tablet_removed,
	.tool_added = sink_tool_added,
	.tool_removed = sink_tool_removed,
	.pad_added = sink_pad_added,
	.pad_removed = sink_pad_removed,
	.tool_in = sink_tool_in,
	.tool_out = sink_tool_out,
	.tool_motion = sink_tool_motion,
	.tool_axes = sink_tool_axes,
	.tool_down = sink_tool_down,
	.tool_button = sink_tool_button,
	.tool_up = sink_tool_up,
	.tool_frame = sink_tool_frame,
	.pad_enter = sink_pad_enter,
	.pad_leave = sink_pad_leave,
	.pad_mode = sink_pad_mode,
	.pad_event = sink_pad_event,
};

static const struct zwp_tablet_seat_v2_interface seat_impl = {
	.destroy = resource_handle_destroy,
};

static void destroy_seat(struct wl_resource *resource)
{
	struct tablet_seat *seat = wl_resource_get_user_data(resource);
	wl_list_remove(&seat->link);
	free(seat);
}

static void announce_all(struct tablet_seat *self, struct seat *seat)
{
	struct seat_tablet *tablet;
	struct seat_tool *tool;
	struct seat_pad *pad;
	wl_list_for_each (tablet, &seat->tablets.tablets, link) {
		create_tablet(self, tablet);
	}
	wl_list_for_each (tool, &seat->tablets.tools, link) {
		tool_object_create(self, tool);
	}
	wl_list_for_each (pad, &seat->tablets.pads, link) {
		pad_object_create(self, pad);
	}
	seat_update_pads(seat);
}

static void handle_get_tablet_seat(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, struct wl_resource *seat_resource)
{
	struct tablet_manager *manager = wl_resource_get_user_data(resource);
	struct tablet_seat *self = xcalloc(1, sizeof(*self));
	struct wl_resource *created = resource_create_child(
		resource, &zwp_tablet_seat_v2_interface, id, &seat_impl, self, destroy_seat);
	if (!created) {
		return;
	}
	struct seat *seat = seat_from_resource(seat_resource);
	self->resource = created;
	self->number = manager->next_number++;
	wl_list_init(&self->link);
	if (seat) {
		client_charge_receiver(created);
		wl_list_insert(manager->seats.prev, &self->link);
		announce_all(self, seat);
	}
}

static const struct zwp_tablet_manager_v2_interface manager_impl = {
	.get_tablet_seat = handle_get_tablet_seat,
	.destroy = resource_handle_destroy,
};

static void handle_protocols_destroy(struct wl_listener *listener, void *data)
{
	struct tablet_manager *manager = wl_container_of(listener, manager, destroy);
	seat_set_tablet_sink(manager->protocols->server->seat, NULL, NULL);
	wl_list_remove(&manager->destroy.link);
	free(manager);
}

void tablet_create(struct protocols *protocols)
{
	struct tablet_manager *manager = xcalloc(1, sizeof(*manager));
	manager->protocols = protocols;
	wl_list_init(&manager->seats);
	seat_set_tablet_sink(protocols->server->seat, &sink_impl, manager);
	signal_add(&protocols->events.destroy, &manager->destroy, handle_protocols_destroy);
	protocols_add_global(protocols, &zwp_tablet_manager_v2_interface, VERSION, &manager_impl,
		manager, GLOBAL_PUBLIC);
}
