/* SPDX-License-Identifier: MIT */
/* Report of windows: names, program, workspace, output, position and states. */

#include "causeway-control-v1-protocol.h"
#include "control.h"
#include "server/server.h"
#include "shell/shell.h"
#include "surface/surface.h"

static void add_states(struct wl_resource *report, const struct window *window)
{
	const struct {
		const char *name;
		bool on;
	} states[] = {
		{"focused", window->shell->focus == window},
		{"maximized", window->states & WINDOW_MAXIMIZED},
		{"fullscreen", window->states & WINDOW_FULLSCREEN},
		{"tiled", window->states & WINDOW_TILED},
		{"minimized", window->minimized},
		{"urgent", window->urgent},
	};
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		control_add_bool(report, states[i].name, states[i].on);
	}
}

static void write_window(struct wl_resource *report, const struct window *window)
{
	const struct scene_output *output = window_output(window);
	const struct box box = window_box(window);
	causeway_report_v1_send_begin_record(report);
	control_add_text(report, "id", window->identifier);
	control_add_text(report, "title", window->title);
	control_add_text(report, "application", window->app_id);
	control_add_text(report, "tag", window->tag);
	if (window->surface && window->surface->client) {
		control_add_client(report, window->surface->client);
		control_add_rendering(report, window->surface->client);
	}
	control_add_text(report, "workspace", window->workspace ? window->workspace->name : NULL);
	control_add_text(report, "output", output ? output->output->name : NULL);
	control_add_integer(report, "x", box.x);
	control_add_integer(report, "y", box.y);
	control_add_integer(report, "width", box.width);
	control_add_integer(report, "height", box.height);
	add_states(report, window);
	causeway_report_v1_send_end_record(report);
}

void control_report_windows(struct server *server, struct wl_resource *report)
{
	const struct window *window;
	wl_list_for_each (window, &server->shell->windows, link) {
		write_window(report, window);
	}
	control_finish(report);
}
