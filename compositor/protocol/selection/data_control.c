/* SPDX-License-Identifier: MIT */
/*
 * Data control: clipboard managers see and set both selections without keyboard focus. Implements
 * ext_data_control and, for older clients, zwlr_data_control. The former was derived from the
 * latter and has the same wire format, so requests and events of ext_data_control serve both.
 */

#include "ext-data-control-v1-protocol.h"
#include "selection.h"
#include "util/xalloc.h"
#include "wlr-data-control-unstable-v1-protocol.h"
#include <assert.h>
#include <stdlib.h>

#define SAME(name)                                                                                 \
	static_assert((int)EXT_DATA_CONTROL_##name == (int)ZWLR_DATA_CONTROL_##name, #name)
SAME(DEVICE_V1_DATA_OFFER);
SAME(DEVICE_V1_SELECTION);
SAME(DEVICE_V1_FINISHED);
SAME(DEVICE_V1_PRIMARY_SELECTION);
SAME(SOURCE_V1_SEND);
SAME(SOURCE_V1_CANCELLED);
SAME(OFFER_V1_OFFER);
SAME(DEVICE_V1_ERROR_USED_SOURCE);
SAME(SOURCE_V1_ERROR_INVALID_OFFER);
#undef SAME

/** One of the two protocols. */
struct dialect {
	const struct wl_interface *manager, *device, *source, *offer;
	int version;
	int primary_since; /* device version that added the primary selection */
};

static const struct dialect dialects[] = {
	{
		.manager = &ext_data_control_manager_v1_interface,
		.device = &ext_data_control_device_v1_interface,
		.source = &ext_data_control_source_v1_interface,
		.offer = &ext_data_control_offer_v1_interface,
		.version = 1,
		.primary_since = EXT_DATA_CONTROL_DEVICE_V1_PRIMARY_SELECTION_SINCE_VERSION,
	},
	{
		.manager = &zwlr_data_control_manager_v1_interface,
		.device = &zwlr_data_control_device_v1_interface,
		.source = &zwlr_data_control_source_v1_interface,
		.offer = &zwlr_data_control_offer_v1_interface,
		.version = 2,
		.primary_since = ZWLR_DATA_CONTROL_DEVICE_V1_PRIMARY_SELECTION_SINCE_VERSION,
	},
};

struct data_control {
	const struct dialect *dialect;
	struct protocols *protocols;
	struct wl_list devices; /* links of wl_resource */
	struct {
		struct wl_list offers; /* selection_offer.link; valid offers */
		struct wl_listener changed;
	} kinds[2];
	struct wl_listener destroy;
};

/* Sources */

static void send_data(struct selection_source *source, const char *mime_type, int fd)
{
	ext_data_control_source_v1_send_send(selection_source_resource(source), mime_type, fd);
}

static void send_cancelled(struct selection_source *source)
{
	ext_data_control_source_v1_send_cancelled(selection_source_resource(source));
}

static const struct selection_source_impl source_base_impl = {
	.send = send_data,
	.cancelled = send_cancelled,
};

static void handle_source_offer(
	struct wl_client *client, struct wl_resource *resource, const char *mime_type)
{
	struct selection_source *source = selection_source_from_resource(resource);
	if (source->used) {
		wl_resource_post_error(resource, EXT_DATA_CONTROL_SOURCE_V1_ERROR_INVALID_OFFER,
			"offer on a source that is already a selection");
		return;
	}
	selection_source_add_type(source, mime_type);
}

static const struct ext_data_control_source_v1_interface source_impl = {
	.offer = handle_source_offer,
	.destroy = resource_handle_destroy,
};

/* Offers */

static const struct ext_data_control_offer_v1_interface offer_impl = {
	.receive = selection_offer_handle_receive,
	.destroy = resource_handle_destroy,
};

/* Returns NULL if there is no source or no memory. */
static struct wl_resource *make_offer(struct data_control *control, struct wl_resource *device,
	struct selection_source *source, struct wl_list *offers)
{
	struct wl_resource *resource = source ? selection_offer_create(device, source, offers,
							control->dialect->offer, &offer_impl)
					      : NULL;
	if (!resource) {
		return NULL;
	}
	ext_data_control_device_v1_send_data_offer(device, resource);
	for (int i = 0; i < source->n_types; i++) {
		ext_data_control_offer_v1_send_offer(resource, source->types[i]);
	}
	return resource;
}

static void send_selection(
	struct data_control *control, struct wl_resource *device, enum selection_kind kind)
{
	struct selection_source *source = control->protocols->selections->kinds[kind].source;
	if (kind == SELECTION_PRIMARY &&
		wl_resource_get_version(device) < control->dialect->primary_since) {
		return;
	}
	struct wl_resource *offer =
		make_offer(control, device, source, &control->kinds[kind].offers);
	if (kind == SELECTION_CLIPBOARD) {
		ext_data_control_device_v1_send_selection(device, offer);
	} else {
		ext_data_control_device_v1_send_primary_selection(device, offer);
	}
}

static void make_offers_void(struct wl_list *offers)
{
	struct selection_offer *offer, *next;
	wl_list_for_each_safe (offer, next, offers, link) {
		selection_offer_make_void(offer);
	}
}

static void send_selection_to_all(struct data_control *control, enum selection_kind kind)
{
	struct wl_resource *device;
	make_offers_void(&control->kinds[kind].offers);
	wl_resource_for_each (device, &control->devices) {
		send_selection(control, device, kind);
	}
}

static void handle_clipboard_changed(struct wl_listener *listener, void *data)
{
	struct data_control *control =
		wl_container_of(listener, control, kinds[SELECTION_CLIPBOARD].changed);
	send_selection_to_all(control, SELECTION_CLIPBOARD);
}

static void handle_primary_changed(struct wl_listener *listener, void *data)
{
	struct data_control *control =
		wl_container_of(listener, control, kinds[SELECTION_PRIMARY].changed);
	send_selection_to_all(control, SELECTION_PRIMARY);
}

/* Devices */

static void set(
	struct wl_resource *resource, struct wl_resource *source_resource, enum selection_kind kind)
{
	struct data_control *control = wl_resource_get_user_data(resource);
	struct selection_source *source = selection_source_from_resource(source_resource);
	if (!control) {
		return;
	}
	if (source && source->used) {
		wl_resource_post_error(resource, EXT_DATA_CONTROL_DEVICE_V1_ERROR_USED_SOURCE,
			"the source was already used for a selection");
		return;
	}
	selection_set(&control->protocols->selections->kinds[kind], source,
		wl_display_next_serial(control->protocols->display));
}

static void handle_set_selection(
	struct wl_client *client, struct wl_resource *resource, struct wl_resource *source)
{
	set(resource, source, SELECTION_CLIPBOARD);
}

static void handle_set_primary_selection(
	struct wl_client *client, struct wl_resource *resource, struct wl_resource *source)
{
	set(resource, source, SELECTION_PRIMARY);
}

static const struct ext_data_control_device_v1_interface device_impl = {
	.set_selection = handle_set_selection,
	.destroy = resource_handle_destroy,
	.set_primary_selection = handle_set_primary_selection,
};

/* The manager */

static void handle_create_source(
	struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	struct data_control *control = wl_resource_get_user_data(resource);
	selection_source_create(
		client, resource, id, &source_base_impl, control->dialect->source, &source_impl);
}

static void handle_get_device(struct wl_client *client, struct wl_resource *resource, uint32_t id,
	struct wl_resource *seat)
{
	struct data_control *control = wl_resource_get_user_data(resource);
	struct wl_resource *device = selection_device_create(
		client, resource, id, seat, control->dialect->device, &device_impl);
	if (!device) {
		return;
	}
	if (!wl_resource_get_user_data(device)) {
		ext_data_control_device_v1_send_finished(device);
		return;
	}
	client_charge_receiver(device);
	wl_list_insert(&control->devices, wl_resource_get_link(device));
	send_selection(control, device, SELECTION_CLIPBOARD);
	send_selection(control, device, SELECTION_PRIMARY);
}

static const struct ext_data_control_manager_v1_interface manager_impl = {
	.create_data_source = handle_create_source,
	.get_data_device = handle_get_device,
	.destroy = resource_handle_destroy,
};

static void handle_protocols_destroy(struct wl_listener *listener, void *data)
{
	struct data_control *control = wl_container_of(listener, control, destroy);
	for (int kind = 0; kind < 2; kind++) {
		wl_list_remove(&control->kinds[kind].changed.link);
	}
	wl_list_remove(&control->destroy.link);
	free(control);
}

static void create(struct protocols *protocols, const struct dialect *dialect)
{
	struct data_control *control = xcalloc(1, sizeof(*control));
	control->dialect = dialect;
	control->protocols = protocols;
	wl_list_init(&control->devices);
	control->kinds[SELECTION_CLIPBOARD].changed.notify = handle_clipboard_changed;
	control->kinds[SELECTION_PRIMARY].changed.notify = handle_primary_changed;
	for (int kind = 0; kind < 2; kind++) {
		wl_list_init(&control->kinds[kind].offers);
		wl_signal_add(&protocols->selections->kinds[kind].events.changed,
			&control->kinds[kind].changed);
	}
	signal_add(&protocols->events.destroy, &control->destroy, handle_protocols_destroy);
	protocols_add_global(protocols, dialect->manager, dialect->version, &manager_impl, control,
		GLOBAL_PRIVILEGED);
}

void data_control_create(struct protocols *protocols)
{
	for (size_t i = 0; i < sizeof(dialects) / sizeof(dialects[0]); i++) {
		create(protocols, &dialects[i]);
	}
}
