#pragma once

/** What the files of the control protocol share. */

#include "protocol.h"

/** control_report.c: each answers on a new causeway_report_v1 and ends it. */
void control_report_outputs(struct server *server, struct wl_resource *report);
void control_report_surfaces(struct server *server, struct wl_resource *report);
void control_report_gpus(struct server *server, struct wl_resource *report);
void control_report_stats(struct server *server, struct wl_resource *report);

/**
 * control_screenshot.c: answers on a new causeway_screenshot_v1 once the picture is there. `output`:
 * its name, NULL for the one that has the focus.
 */
void control_screenshot(struct server *server, struct wl_resource *screenshot, const char *output);
