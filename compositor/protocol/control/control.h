/* SPDX-License-Identifier: MIT */
#pragma once

/** Functions shared by the files of the control protocol. */

#include "protocol/protocol.h"
#include "record.h"

/**
 * Send a report on a new causeway_report_v1 and end it. Defined in report.c, gpus.c and
 * objects.c.
 */
void control_report_outputs(struct server *server, struct wl_resource *report);
void control_report_surfaces(struct server *server, struct wl_resource *report);
void control_report_windows(struct server *server, struct wl_resource *report);
void control_report_gpus(struct server *server, struct wl_resource *report);
void control_report_workspaces(struct server *server, struct wl_resource *report);
void control_report_keyboards(struct server *server, struct wl_resource *report);
void control_report_stats(struct server *server, struct wl_resource *report);

/** Add the program, application ID and title of a surface's owner. */
void control_add_client(struct control_record *record, struct client *client);
void control_add_window(struct control_record *record, struct surface *surface);
/**
 * Adds route, frames and bytes of a surface. `output` NULL: the surface is on no output. `now`: ns
 * of the server's clock. Defined in accounting.c.
 */
void control_add_accounting(struct control_record *record, const struct surface *surface,
	const struct scene_output *output, int64_t now);
/** Adds frames and bytes of all surfaces, destroyed ones included. */
void control_add_sum(struct control_record *record, const struct server *server);

enum control_kind {
	CONTROL_OUTPUT = 1 << 0,
	CONTROL_WORKSPACE = 1 << 1,
	CONTROL_WINDOW = 1 << 2,
	CONTROL_KEYBOARD = 1 << 3,
	CONTROL_GPU = 1 << 4,
	CONTROL_SESSION = 1 << 5,
};

/**
 * Calls `visit` with a record for each object of the kinds, bits of enum control_kind. `place`:
 * also with the position and size of windows. The first fields are "kind", if several kinds are
 * asked for, and "id", which is unique within the kind (except for keyboards of the same name).
 * Defined in objects.c.
 */
void control_each_object(struct server *server, uint32_t kinds, bool place,
	void (*visit)(void *data, struct control_record *record), void *data);

/** Implements a new causeway_subscription_v1. `idle`: s without input, or 0. */
void control_subscribe(struct server *server, struct wl_resource *resource, uint32_t idle);
/** Implement a new causeway_watch_v1 or causeway_trace_v1. Defined in watch.c and trace.c. */
void control_watch(struct server *server, struct wl_resource *watch);
void control_trace(struct server *server, struct wl_resource *trace);
/**
 * Returns the roles of a GPU, e.g. "composes, drives eDP-1"; the caller frees the string. Defined
 * in gpus.c.
 */
char *control_gpu_role(const struct server *server, const struct gpu *gpu);
/**
 * Returns the outputs and the programs with buffers that keep the GPU awake, or "" if there are
 * none; the caller frees the string.
 */
char *control_gpu_users(const struct server *server, const struct gpu *gpu);
/** Adds the client's rule, its GPU, and the GPU that it would get when restarted. */
void control_add_rendering(struct control_record *record, const struct client *client);
/** Returns the name of the client's executable, without its directory. */
const char *control_client_name(struct client *client);

/**
 * Takes a screenshot and sends it on a new causeway_screenshot_v1. `output`: the output's name, or
 * NULL for the focused one. Defined in screenshot.c.
 */
void control_screenshot(struct server *server, struct wl_resource *screenshot, const char *output);
