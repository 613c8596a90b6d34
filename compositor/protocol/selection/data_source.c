/* SPDX-License-Identifier: MIT */
/* wl_data_source: data that a client offers as a selection or in a drag. */

#include "data_device.h"
#include "util/xalloc.h"
#include <stdlib.h>

#define ALL_ACTIONS                                                                                \
	(WL_DATA_DEVICE_MANAGER_DND_ACTION_COPY | WL_DATA_DEVICE_MANAGER_DND_ACTION_MOVE |         \
		WL_DATA_DEVICE_MANAGER_DND_ACTION_ASK)

struct data_source *data_source_from_resource(struct wl_resource *resource)
{
	return resource ? wl_resource_get_user_data(resource) : NULL;
}

static void send_data(struct selection_source *base, const char *mime_type, int fd)
{
	struct data_source *source = wl_container_of(base, source, base);
	wl_data_source_send_send(source->resource, mime_type, fd);
}

static void send_cancelled(struct selection_source *base)
{
	struct data_source *source = wl_container_of(base, source, base);
	wl_data_source_send_cancelled(source->resource);
}

static const struct selection_source_impl base_impl = {
	.send = send_data,
	.cancelled = send_cancelled,
};

void data_source_cancel_drag(struct data_source *source)
{
	/* Before version 3, this event was only sent for selections. */
	if (wl_resource_get_version(source->resource) >= WL_DATA_SOURCE_ACTION_SINCE_VERSION) {
		wl_data_source_send_cancelled(source->resource);
	}
}

void data_source_accept(struct data_source *source, const char *mime_type)
{
	source->accepted = mime_type;
	wl_data_source_send_target(source->resource, mime_type);
}

void data_source_set_action(struct data_source *source, uint32_t action)
{
	if (source->action == action) {
		return;
	}
	source->action = action;
	if (wl_resource_get_version(source->resource) >= WL_DATA_SOURCE_ACTION_SINCE_VERSION) {
		wl_data_source_send_action(source->resource, action);
	}
}

uint32_t data_source_actions(const struct data_source *source)
{
	return source->has_actions ? source->actions : WL_DATA_DEVICE_MANAGER_DND_ACTION_COPY;
}

static void handle_offer(
	struct wl_client *client, struct wl_resource *resource, const char *mime_type)
{
	selection_source_add_type(&data_source_from_resource(resource)->base, mime_type);
}

static void handle_destroy(struct wl_client *client, struct wl_resource *resource)
{
	wl_resource_destroy(resource);
}

static void handle_set_actions(
	struct wl_client *client, struct wl_resource *resource, uint32_t actions)
{
	struct data_source *source = data_source_from_resource(resource);
	if (source->has_actions) {
		wl_resource_post_error(resource, WL_DATA_SOURCE_ERROR_INVALID_ACTION_MASK,
			"actions are already set");
		return;
	}
	if (actions & ~ALL_ACTIONS) {
		wl_resource_post_error(resource, WL_DATA_SOURCE_ERROR_INVALID_ACTION_MASK,
			"invalid actions 0x%x", actions);
		return;
	}
	if (source->base.used) {
		wl_resource_post_error(resource, WL_DATA_SOURCE_ERROR_INVALID_SOURCE,
			"actions must be set before the source is used");
		return;
	}
	source->actions = actions;
	source->has_actions = true;
}

static const struct wl_data_source_interface source_impl = {
	.offer = handle_offer,
	.destroy = handle_destroy,
	.set_actions = handle_set_actions,
};

static void destroy(struct wl_resource *resource)
{
	struct data_source *source = data_source_from_resource(resource);
	selection_source_finish(&source->base);
	free(source);
}

void data_source_create(struct wl_client *client, int version, uint32_t id)
{
	struct wl_resource *resource =
		wl_resource_create(client, &wl_data_source_interface, version, id);
	if (!resource) {
		wl_client_post_no_memory(client);
		return;
	}
	struct data_source *source = xcalloc(1, sizeof(*source));
	selection_source_init(&source->base, &base_impl, client);
	source->resource = resource;
	wl_resource_set_implementation(resource, &source_impl, source, destroy);
}
