/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * State shared by wlr_output_management.c and wlr_output_configuration.c: outputs as clients
 * configure them.
 */

#include "backend/output.h"
#include "protocol/protocol.h"

struct output_management {
	struct protocols *protocols;
	struct wl_list managers; /* zwlr_output_manager_v1 */
	struct wl_list heads; /* output_head.link */
	uint32_t serial; /* of the latest done event */
	struct wl_event_source *round; /* idle source that sends changes; NULL: not scheduled */
	/** Sends all changes since the last call to all clients. */
	void (*update)(struct output_management *management);
	struct wl_listener outputs_changed, layout_changed, destroy;
};

/** Values of a head that were sent last. */
struct output_head_state {
	bool enabled;
	struct output_mode mode;
	int32_t x, y;
	enum wl_output_transform transform;
	double scale;
	bool adaptive_sync;
};

/** An output, enabled or not. */
struct output_head {
	struct output_management *management;
	struct server_output *output;
	struct wl_list link; /* output_management.heads */
	struct wl_list objects; /* head_object.link */
	char *identity; /* constant properties of the head, in one string */
	struct output_mode *modes; /* as sent, each once */
	size_t n_modes;
	struct output_head_state sent;
	struct wl_listener gone;
};

/** A head resource of one manager resource. */
struct head_object {
	struct wl_resource *resource;
	/** the manager whose done event ends a group of the head's events */
	struct wl_resource *manager;
	struct output_head *head; /* NULL: the head or the manager is gone */
	struct wl_list link; /* output_head.objects */
	struct wl_list modes; /* mode_object.link */
};

/** A mode of a head resource. */
struct mode_object {
	struct wl_resource *resource;
	struct head_object *object; /* NULL: the mode or the head is gone */
	struct output_mode mode;
	struct wl_list link; /* head_object.modes */
};

/** Returns the head of a zwlr_output_head_v1, or NULL once it is gone. */
static inline struct output_head *output_head_from_resource(struct wl_resource *resource)
{
	const struct head_object *object = wl_resource_get_user_data(resource);
	return object->head;
}
/**
 * Returns the head of a zwlr_output_mode_v1 and copies its mode to `mode`, or returns NULL once the
 * mode or head is gone.
 */
static inline struct output_head *output_head_from_mode(
	struct wl_resource *resource, struct output_mode *mode)
{
	const struct mode_object *object = wl_resource_get_user_data(resource);
	*mode = object->mode;
	return object->object ? object->object->head : NULL;
}

void output_configuration_create(struct output_management *management, struct wl_client *client,
	uint32_t version, uint32_t id, uint32_t serial);
