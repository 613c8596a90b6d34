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

/** Sends all changes since the last call to all clients. */
void output_management_update(struct output_management *management);
/** Returns the head of a zwlr_output_head_v1, or NULL once it is gone. */
struct output_head *output_head_from_resource(struct wl_resource *resource);
/**
 * Returns the head of a zwlr_output_mode_v1 and copies its mode to `mode`, or returns NULL once the
 * mode or head is gone.
 */
struct output_head *output_head_from_mode(struct wl_resource *resource, struct output_mode *mode);

void output_configuration_create(struct output_management *management, struct wl_client *client,
	uint32_t version, uint32_t id, uint32_t serial);
