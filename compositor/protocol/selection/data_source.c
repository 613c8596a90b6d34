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

static int version_of(const struct data_source *source)
{
	return wl_resource_get_version(source->resource);
}

static void handle_cancelled(struct data_source *source)
{
	/* Before version 3, this event was only sent for selections. */
	if (version_of(source) >= WL_DATA_SOURCE_ACTION_SINCE_VERSION) {
		wl_data_source_send_cancelled(source->resource);
	}
}

static void handle_accepted(struct data_source *source, const char *mime_type)
{
	wl_data_source_send_target(source->resource, mime_type);
}

static void handle_action(struct data_source *source, uint32_t action)
{
	if (version_of(source) >= WL_DATA_SOURCE_ACTION_SINCE_VERSION) {
		wl_data_source_send_action(source->resource, action);
	}
}

static void handle_dropped(struct data_source *source)
{
	if (version_of(source) >= WL_DATA_SOURCE_DND_DROP_PERFORMED_SINCE_VERSION) {
		wl_data_source_send_dnd_drop_performed(source->resource);
	}
}

static void handle_finished(struct data_source *source)
{
	if (version_of(source) >= WL_DATA_SOURCE_DND_FINISHED_SINCE_VERSION) {
		wl_data_source_send_dnd_finished(source->resource);
	}
}

static const struct data_source_impl client_impl = {
	.cancelled = handle_cancelled,
	.accepted = handle_accepted,
	.action = handle_action,
	.dropped = handle_dropped,
	.finished = handle_finished,
};

void data_source_cancel_drag(struct data_source *source)
{
	source->impl->cancelled(source);
}

void data_source_accept(struct data_source *source, const char *mime_type)
{
	source->accepted = mime_type;
	source->impl->accepted(source, mime_type);
}

void data_source_set_action(struct data_source *source, uint32_t action)
{
	if (source->action != action) {
		source->action = action;
		source->impl->action(source, action);
	}
}

void data_source_finish(struct data_source *source, uint32_t action)
{
	data_source_set_action(source, action);
	source->impl->finished(source);
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
	.destroy = resource_handle_destroy,
	.set_actions = handle_set_actions,
};

static void destroy(struct wl_resource *resource)
{
	struct data_source *source = data_source_from_resource(resource);
	selection_source_finish(&source->base);
	free(source);
}

void data_source_create(struct wl_resource *manager, uint32_t id)
{
	struct data_source *source = xcalloc(1, sizeof(*source));
	struct wl_resource *resource = resource_create_child(
		manager, &wl_data_source_interface, id, &source_impl, source, destroy);
	if (!resource) {
		return;
	}
	selection_source_init(&source->base, &base_impl, wl_resource_get_client(manager));
	source->impl = &client_impl;
	source->resource = resource;
}
