#pragma once

/** What wlr_output_management.c and wlr_output_configuration.c share: outputs as clients set them up. */

#include "protocol.h"

struct output_management {
	struct protocols *protocols;
	struct wl_list managers; /* zwlr_output_manager_v1 */
	struct wl_list heads; /* output_head.link */
	uint32_t serial; /* of the last done */
	struct wl_event_source *round; /* idle: something may have changed; NULL: nothing has */
	struct wl_listener outputs_changed, layout_changed, destroy;
};

/** What clients have been told of a head. */
struct output_head_told {
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
	char *identity; /* what is told only once, in one string */
	struct output_mode *modes; /* as told, each once */
	size_t n_modes;
	struct output_head_told told;
	struct wl_listener gone;
};

/** Tells everyone what has changed by now, if anything has. */
void output_management_update(struct output_management *management);
/** A zwlr_output_head_v1. NULL once it is gone. */
struct output_head *output_head_from_resource(struct wl_resource *resource);
/** Whose mode a zwlr_output_mode_v1 is; NULL once it is gone. */
struct output_head *output_head_from_mode(struct wl_resource *resource, struct output_mode *mode);

/** wlr_output_configuration.c */
void output_configuration_create(struct output_management *management, struct wl_client *client,
	uint32_t version, uint32_t id, uint32_t serial);
