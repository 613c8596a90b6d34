/* SPDX-License-Identifier: MIT */
#pragma once

/** Outputs of the server: their place in the scene, frame loop, and settings by clients. */

#include "backend/output.h"
#include "config/config.h"
#include "frame/frame.h"
#include "util/clock.h"
#include "util/signal.h"

struct server;
struct server_screen;

/** An output of the backend: enabled, placed in the scene, with a frame loop. */
struct server_output {
	struct wl_list link; /* server.outputs */
	struct server *server;
	struct output *output;
	struct scene_output *scene_output; /* NULL while it is disabled */
	struct frame_output *frame; /* NULL while it is disabled or `dark` */
	bool dark; /* powered off, but still in the scene */
	bool power_refused; /* the card refused to change `dark`: output_retry.c tries again */
	bool covered; /* a panel disabled because the lid is closed */
	bool left_out; /* disabled because it is uncertain, and another output is not */
	bool postponed; /* will be configured when its session is active again */
	bool lendable; /* reserved for DRM leases, outside the scene */
	struct server_screen *screen; /* settings that outlive hotplug */
	/**
	 * output_mode.c: the card refused the requested mode, so that the output has a lower one or
	 * is off; and the reduction of other outputs.
	 */
	bool lowered;
	bool configured; /* the mode is that of a setting: it ends with the setting */
	bool mode_ended; /* that setting ended while the session was inactive */
	const char *lacks; /* output_lacks() when it was last to be enabled */
	bool depth_refused; /* the card refused the requested depth in the current mode */
	enum frame_economy room;
	struct timer room_timer; /* armed until the others are reduced */
	/** output_retry.c: tries since the last event that may have ended the refusal. */
	int n_retries;
	struct timer retry_timer;
	struct output_mode placed; /* known to the scene */
	uint32_t planes_id; /* output.planes_id, known to `frame` */
	/** Current colour matrix. */
	bool has_matrix;
	double matrix[9];
	struct {
		struct wl_signal power; /* `dark` has changed */
		struct wl_signal destroy;
	} events;
	struct wl_listener request_state, changed, needs_frame, reconsider, destroy;
};

/** Requested state of one output. */
struct server_output_change {
	struct server_output *output;
	struct config_output config; /* of server_output_config(), changed */
};
