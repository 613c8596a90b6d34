/* ext_data_control: clipboard managers see and set both selections without any focus. */

#include "ext-data-control-v1-protocol.h"
#include "selection.h"
#include "util/xalloc.h"
#include <stdlib.h>

#define VERSION 1

struct data_control {
	struct protocols *protocols;
	struct wl_list devices; /* wl_resource links */
	struct {
		struct wl_list offers; /* selection_offer.link; those that are valid */
		struct wl_listener changed;
	} kinds[2];
	struct wl_listener destroy;
};

struct control_source {
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
	struct control_source *source = wl_container_of(base, source, base);
	ext_data_control_source_v1_send_send(source->resource, mime_type, fd);
}

static void send_cancelled(struct selection_source *base)
{
	struct control_source *source = wl_container_of(base, source, base);
	ext_data_control_source_v1_send_cancelled(source->resource);
}

static const struct selection_source_impl source_base_impl = {
	.send = send_data,
	.cancelled = send_cancelled,
};

static void handle_source_offer(
	struct wl_client *client, struct wl_resource *resource, const char *mime_type)
{
	struct control_source *source = wl_resource_get_user_data(resource);
	if (source->base.used) {
		wl_resource_post_error(resource, EXT_DATA_CONTROL_SOURCE_V1_ERROR_INVALID_OFFER,
			"the source is a selection already: it can offer no more");
		return;
	}
	selection_source_add_type(&source->base, mime_type);
}

static const struct ext_data_control_source_v1_interface source_impl = {
	.offer = handle_source_offer,
	.destroy = handle_destroy,
};

static void destroy_source(struct wl_resource *resource)
{
	struct control_source *source = wl_resource_get_user_data(resource);
	selection_source_finish(&source->base);
	free(source);
}

/* Offers */

static void handle_receive(
	struct wl_client *client, struct wl_resource *resource, const char *mime_type, int32_t fd)
{
	selection_offer_receive(wl_resource_get_user_data(resource), mime_type, fd);
}

static const struct ext_data_control_offer_v1_interface offer_impl = {
	.receive = handle_receive,
	.destroy = handle_destroy,
};

static void destroy_offer(struct wl_resource *resource)
{
	struct selection_offer *offer = wl_resource_get_user_data(resource);
	selection_offer_finish(offer);
	free(offer);
}

/* NULL if there is nothing to offer, or no memory. */
static struct wl_resource *make_offer(
	struct wl_resource *device, struct selection_source *source, struct wl_list *offers)
{
	if (!source) {
		return NULL;
	}
	struct wl_resource *resource = wl_resource_create(wl_resource_get_client(device),
		&ext_data_control_offer_v1_interface, wl_resource_get_version(device), 0);
	if (!resource) {
		wl_resource_post_no_memory(device);
		return NULL;
	}
	struct selection_offer *offer = xcalloc(1, sizeof(*offer));
	selection_offer_init(offer, source, offers);
	wl_resource_set_implementation(resource, &offer_impl, offer, destroy_offer);
	ext_data_control_device_v1_send_data_offer(device, resource);
	for (int i = 0; i < source->n_types; i++) {
		ext_data_control_offer_v1_send_offer(resource, source->types[i]);
	}
	return resource;
}

static void tell(struct data_control *control, struct wl_resource *device, enum selection_kind kind)
{
	struct selection_source *source = control->protocols->selections->kinds[kind].source;
	struct wl_resource *offer = make_offer(device, source, &control->kinds[kind].offers);
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

static void tell_all(struct data_control *control, enum selection_kind kind)
{
	struct wl_resource *device;
	make_offers_void(&control->kinds[kind].offers);
	wl_resource_for_each (device, &control->devices) {
		tell(control, device, kind);
	}
}

static void handle_clipboard_changed(struct wl_listener *listener, void *data)
{
	struct data_control *control =
		wl_container_of(listener, control, kinds[SELECTION_CLIPBOARD].changed);
	tell_all(control, SELECTION_CLIPBOARD);
}

static void handle_primary_changed(struct wl_listener *listener, void *data)
{
	struct data_control *control =
		wl_container_of(listener, control, kinds[SELECTION_PRIMARY].changed);
	tell_all(control, SELECTION_PRIMARY);
}

/* Devices */

static void set(
	struct wl_resource *resource, struct wl_resource *source_resource, enum selection_kind kind)
{
	struct data_control *control = wl_resource_get_user_data(resource);
	struct control_source *source =
		source_resource ? wl_resource_get_user_data(source_resource) : NULL;
	if (source && source->base.used) {
		wl_resource_post_error(resource, EXT_DATA_CONTROL_DEVICE_V1_ERROR_USED_SOURCE,
			"the source was used before");
		return;
	}
	if (control) {
		struct selection *selection = &control->protocols->selections->kinds[kind];
		selection_set(selection, source ? &source->base : NULL,
			wl_display_next_serial(control->protocols->display));
	}
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
	.destroy = handle_destroy,
	.set_primary_selection = handle_set_primary_selection,
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
		&ext_data_control_source_v1_interface, wl_resource_get_version(resource), id);
	if (!created) {
		wl_client_post_no_memory(client);
		return;
	}
	struct control_source *source = xcalloc(1, sizeof(*source));
	selection_source_init(&source->base, &source_base_impl);
	source->resource = created;
	wl_resource_set_implementation(created, &source_impl, source, destroy_source);
}

static void handle_get_device(struct wl_client *client, struct wl_resource *resource, uint32_t id,
	struct wl_resource *seat)
{
	struct data_control *control = wl_resource_get_user_data(resource);
	struct wl_resource *device = wl_resource_create(client,
		&ext_data_control_device_v1_interface, wl_resource_get_version(resource), id);
	if (!device) {
		wl_client_post_no_memory(client);
		return;
	}
	bool live = seat_from_resource(seat);
	wl_resource_set_implementation(device, &device_impl, live ? control : NULL, unlink_device);
	wl_list_init(wl_resource_get_link(device));
	if (!live) {
		ext_data_control_device_v1_send_finished(device);
		return;
	}
	wl_list_insert(&control->devices, wl_resource_get_link(device));
	tell(control, device, SELECTION_CLIPBOARD);
	tell(control, device, SELECTION_PRIMARY);
}

static const struct ext_data_control_manager_v1_interface manager_impl = {
	.create_data_source = handle_create_source,
	.get_data_device = handle_get_device,
	.destroy = handle_destroy,
};

static void bind(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	struct wl_resource *resource = wl_resource_create(
		client, &ext_data_control_manager_v1_interface, (int)version, id);
	if (!resource) {
		wl_client_post_no_memory(client);
		return;
	}
	wl_resource_set_implementation(resource, &manager_impl, data, NULL);
}

static void handle_protocols_destroy(struct wl_listener *listener, void *data)
{
	struct data_control *control = wl_container_of(listener, control, destroy);
	for (int kind = 0; kind < 2; kind++) {
		wl_list_remove(&control->kinds[kind].changed.link);
	}
	wl_list_remove(&control->destroy.link);
	free(control);
}

void data_control_create(struct protocols *protocols)
{
	struct data_control *control = xcalloc(1, sizeof(*control));
	control->protocols = protocols;
	wl_list_init(&control->devices);
	control->kinds[SELECTION_CLIPBOARD].changed.notify = handle_clipboard_changed;
	control->kinds[SELECTION_PRIMARY].changed.notify = handle_primary_changed;
	for (int kind = 0; kind < 2; kind++) {
		wl_list_init(&control->kinds[kind].offers);
		wl_signal_add(&protocols->selections->kinds[kind].events.changed,
			&control->kinds[kind].changed);
	}
	control->destroy.notify = handle_protocols_destroy;
	wl_signal_add(&protocols->events.destroy, &control->destroy);
	protocols_add_global(protocols, &ext_data_control_manager_v1_interface, VERSION, control,
		bind, GLOBAL_PRIVILEGED);
}
