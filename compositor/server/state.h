/* SPDX-License-Identifier: MIT */
#pragma once

/** Parts of the server that it holds by value. */

#include "frame/frame.h"
#include "frame/meter.h"
#include "frame/throttle.h"
#include "gpu/gpu.h"
#include "protocol/server_device.h"
#include "server/output.h"
#include "server/server.h"
#include "shell/shell.h"
#include "util/clock.h"
#include "xwayland/servers.h"
#include "xwayland/wm.h"

struct server_state {
	struct server server;
	struct gpu_list gpus;
	struct server_device primary;
	struct wl_listener formats_asked;
	struct timer release_devices; /* armed while some devices are unused */
	struct scopes *scopes; /* NULL: none */
	struct throttle hidden;
	struct meter meter;
	struct wl_list screens; /* server_screen.link, in the order of the layout */
	uint64_t n_left; /* departures of screens */
	bool watches_input; /* `activity` is added: absent screens are powered off */
	struct wl_listener activity; /* of the seat */
	double x_scale; /* of the X screens, which have the largest scale of all outputs */
	/** The screen with that scale, for comparison only: it may be forgotten. */
	const struct server_screen *x_screen;
	struct timer x_settle; /* armed until another scale applies */
	bool x_grows; /* a larger one */
	enum frame_overlay overlay; /* server_set_overlay()'s */
	struct shell_host shell_host;
	struct x_servers_host x_host;
	struct xwm_parts xwm_parts;
	struct wl_listener x_layout; /* scene.events.layout_changed, while there are X servers */
	struct wl_event_source *x_layout_idle; /* the layout has changed */
};
