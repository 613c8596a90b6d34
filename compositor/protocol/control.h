#pragma once

/** What the files of the control protocol share. */

#include "protocol.h"

/** control_report.c, control_gpus.c: each answers on a new causeway_report_v1 and ends it. */
void control_report_outputs(struct server *server, struct wl_resource *report);
void control_report_surfaces(struct server *server, struct wl_resource *report);
void control_report_gpus(struct server *server, struct wl_resource *report);
void control_report_stats(struct server *server, struct wl_resource *report);

/** Fields of the record that was begun. A NULL text is left out. */
void control_add_text(struct wl_resource *report, const char *name, const char *value);
void control_add_integer(struct wl_resource *report, const char *name, int64_t value);
void control_add_number(struct wl_resource *report, const char *name, double value);
void control_add_bool(struct wl_resource *report, const char *name, bool value);
/** Program, application and title of whoever a surface belongs to. */
void control_add_client(struct wl_resource *report, struct client *client);
void control_add_window(struct wl_resource *report, struct surface *surface);
/**
 * control_accounting.c: road, frames and bytes of a surface; `output` NULL: it is on none. `now` in ns of the
 * server's clock.
 */
void control_add_accounting(struct wl_resource *report, const struct surface *surface,
	const struct scene_output *output, int64_t now);
/** Frames and bytes of all surfaces that are or were. */
void control_add_sum(struct wl_resource *report, const struct server *server);
/** The report is complete. */
void control_finish(struct wl_resource *report);

/** control_watch.c, control_trace.c: new objects of theirs; `data` as control_create() gives it. */
void control_watch(struct server *server, struct wl_resource *watch);
void control_trace(struct server *server, struct wl_resource *trace);
/** control_gpus.c: "composes, drives eDP-1"; the caller frees. */
char *control_gpu_role(const struct server *server, const struct gpu *gpu);
/** What of this session keeps it awake: outputs, and programs with buffers there. "" if nothing. */
char *control_gpu_users(const struct server *server, const struct gpu *gpu);
/** The rule of a client, the GPU that it was told, and the one that it will be told when it starts again. */
void control_add_rendering(struct wl_resource *report, const struct client *client);
/** The program's name, without its folder. */
const char *control_client_name(struct client *client);

/**
 * control_screenshot.c: answers on a new causeway_screenshot_v1 once the picture is there. `output`:
 * its name, NULL for the one that has the focus.
 */
void control_screenshot(struct server *server, struct wl_resource *screenshot, const char *output);
