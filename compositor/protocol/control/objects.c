/* SPDX-License-Identifier: MIT */
/*
 * Records of outputs, workspaces, windows, keyboards, GPUs and the session, for lists and changes.
 */

#include "backend/output.h"
#include "causeway-control-v1-protocol.h"
#include "control.h"
#include "gpu/gpu.h"
#include "protocol/server.h"
#include "protocol/server_output.h"
#include "seat/seat.h"
#include "shell/shell.h"
#include "surface/client.h"
#include "surface/surface.h"
#include "util/strings.h"
#include "xwayland/servers.h"
#include <stdio.h>
#include <stdlib.h>

/* Of one keyboard: xkbcommon's limit is lower. */
#define LAYOUTS_MAX 32

struct listing {
	struct server *server;
	bool kinds, place;
	void (*visit)(void *data, struct control_record *record);
	void *data;
};

static struct control_record begin(const struct listing *listing, const char *kind, const char *id)
{
	struct control_record record = {0};
	if (listing->kinds) {
		control_record_text(&record, "kind", kind);
	}
	control_record_text(&record, "id", id);
	return record;
}

static void end(const struct listing *listing, struct control_record *record)
{
	listing->visit(listing->data, record);
	control_record_finish(record);
}

static void add_states(struct control_record *record, const struct window *window)
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
		{"floating",
			!(window->states & (WINDOW_TILED | WINDOW_MAXIMIZED | WINDOW_FULLSCREEN))},
		{"sticky", window->sticky},
		{"on_top", window->on_top},
		{"scratchpad", window_in_scratchpad(window)},
	};
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		control_record_bool(record, states[i].name, states[i].on);
	}
}

/** Adds the program and the X server of an X window. Sandboxed programs may have other pids. */
static void add_x_server(const struct listing *listing, struct control_record *record,
	const struct window *window, const struct x_server *x_server)
{
	char name[16];
	snprintf(name, sizeof(name), ":%d", x_server->display);
	control_record_text(record, "x_server", name);
	if (window->x_pid) {
		control_record_integer(record, "x_pid", window->x_pid);
		control_record_text(record, "x_reason",
			x_servers_reason(listing->server->x_servers, window->x_pid));
	}
}

static void list_window(const struct listing *listing, const struct window *window)
{
	const struct scene_output *output = window_output(window);
	struct client *client = window->surface ? window->surface->client : NULL;
	struct control_record record = begin(listing, "window", window->identifier);
	control_record_text(&record, "title", window->title);
	control_record_text(&record, "application", window->app_id);
	control_record_text(&record, "class", client && client->x_server ? window->app_id : NULL);
	control_record_text(&record, "tag", window->tag);
	if (client) {
		control_add_client(&record, client);
		control_add_rendering(&record, client);
	}
	if (client && client->x_server) {
		add_x_server(listing, &record, window, client->x_server);
	}
	if (window->parent && window->parent->mapped) {
		control_record_text(&record, "parent", window->parent->identifier);
	}
	control_record_text(
		&record, "workspace", window->workspace ? window->workspace->name : NULL);
	control_record_text(&record, "output", output ? output->output->name : NULL);
	if (listing->place) {
		const struct box box = window_box(window);
		control_record_integer(&record, "x", box.x);
		control_record_integer(&record, "y", box.y);
		control_record_integer(&record, "width", box.width);
		control_record_integer(&record, "height", box.height);
	}
	add_states(&record, window);
	end(listing, &record);
}

static void list_workspace(const struct listing *listing, const struct workspace *workspace)
{
	struct control_record record = begin(listing, "workspace", workspace->name);
	control_record_text(&record, "name", workspace->name);
	if (workspace->number > 0) {
		control_record_integer(&record, "number", workspace->number);
	}
	if (workspace->output) {
		control_record_text(&record, "output", workspace->output->output->name);
	}
	control_record_bool(&record, "shown", workspace->shown);
	control_record_bool(&record, "focused", shell_workspace(workspace->shell) == workspace);
	control_record_bool(&record, "urgent", workspace_is_urgent(workspace));
	control_record_text(&record, "layout",
		workspace->layout == CONFIG_LAYOUT_COLUMNS ? "columns" : "floating");
	control_record_integer(&record, "windows", workspace->n_windows);
	end(listing, &record);
}

static void list_output(const struct listing *listing, const struct server_output *entry)
{
	const struct output *output = entry->output;
	struct control_record record = begin(listing, "output", output->name);
	control_record_text(&record, "name", output->name);
	control_record_bool(&record, "enabled", entry->scene_output != NULL);
	control_record_bool(&record, "dark", entry->dark);
	control_record_text(&record, "make", output->make);
	control_record_text(&record, "model", output->model);
	control_record_text(&record, "serial", output->serial);
	control_record_text(&record, "gpu", output->gpu ? output->gpu->bus_id : NULL);
	if (entry->scene_output) {
		const struct box box = scene_output_box(entry->scene_output);
		control_record_integer(&record, "width", output->mode.width);
		control_record_integer(&record, "height", output->mode.height);
		control_record_number(&record, "refresh", output->mode.refresh / 1000.0);
		control_record_integer(&record, "x", box.x);
		control_record_integer(&record, "y", box.y);
		control_record_integer(&record, "logical_width", box.width);
		control_record_integer(&record, "logical_height", box.height);
		control_record_number(&record, "scale", entry->scene_output->scale);
	}
	end(listing, &record);
}

static void list_keyboard(void *data, const struct input_device *device, struct xkb_state *state)
{
	const struct listing *listing = data;
	const char *names[LAYOUTS_MAX + 1] = {NULL};
	struct control_record record = begin(listing, "keyboard", device->name);
	control_record_text(&record, "name", device->name);
	struct xkb_keymap *keymap = state ? xkb_state_get_keymap(state) : NULL;
	xkb_layout_index_t n = keymap ? xkb_keymap_num_layouts(keymap) : 0;
	for (xkb_layout_index_t i = 0; i < n && i < LAYOUTS_MAX; i++) {
		const char *name = xkb_keymap_layout_get_name(keymap, i);
		names[i] = name ? name : "";
	}
	if (n > 0) {
		xkb_layout_index_t now =
			xkb_state_serialize_layout(state, XKB_STATE_LAYOUT_EFFECTIVE);
		char *layouts = strings_join(names, "\n", "\n");
		control_record_text(&record, "layout", now < n ? names[now] : NULL);
		control_record_integer(&record, "index", now);
		control_record_list(&record, "layouts", layouts);
		free(layouts);
	}
	end(listing, &record);
}

static void list_gpu(const struct listing *listing, const struct gpu *gpu)
{
	struct control_record record = begin(listing, "gpu", gpu->bus_id);
	char power[GPU_POWER_SIZE];
	char *role = control_gpu_role(listing->server, gpu);
	control_record_text(&record, "name", gpu->bus_id);
	control_record_text(&record, "driver", gpu->driver);
	control_record_text(&record, "card", gpu->primary_path);
	control_record_text(&record, "render_node", gpu->render_path);
	control_record_bool(&record, "integrated", gpu->integrated);
	control_record_bool(&record, "open", gpu->n_users > 0);
	control_record_text(&record, "role", role);
	control_record_text(&record, "power", gpu_read_power(gpu, power) ? power : "unknown");
	control_record_integer(&record, "losses", gpu->n_losses);
	free(role);
	end(listing, &record);
}

static void list_session(const struct listing *listing)
{
	struct shell *shell = listing->server->shell;
	struct control_record record = begin(listing, "session", "session");
	const struct scene_output *output = shell_active_output(shell);
	control_record_text(&record, "focus", shell->focus ? shell->focus->identifier : NULL);
	control_record_text(&record, "workspace", shell_workspace(shell)->name);
	control_record_text(&record, "output", output ? output->output->name : NULL);
	control_record_text(&record, "mode", shell->mode ? shell->mode : "default");
	control_record_bool(&record, "locked", shell->locked);
	end(listing, &record);
}

void control_each_object(struct server *server, uint32_t kinds, bool place,
	void (*visit)(void *data, struct control_record *record), void *data)
{
	struct listing listing = {server, kinds & (kinds - 1), place, visit, data};
	const struct server_output *output;
	wl_list_for_each (output, &server->outputs, link) {
		if (kinds & CONTROL_OUTPUT) {
			list_output(&listing, output);
		}
	}
	const struct workspace *workspace;
	wl_list_for_each (workspace, &server->shell->workspaces, link) {
		if (kinds & CONTROL_WORKSPACE) {
			list_workspace(&listing, workspace);
		}
	}
	const struct window *window;
	wl_list_for_each (window, &server->shell->windows, link) {
		if (kinds & CONTROL_WINDOW) {
			list_window(&listing, window);
		}
	}
	if (kinds & CONTROL_KEYBOARD) {
		seat_each_keyboard(server->seat, list_keyboard, &listing);
	}
	const struct gpu *gpu;
	wl_list_for_each (gpu, &server->gpus->gpus, link) {
		if (kinds & CONTROL_GPU) {
			list_gpu(&listing, gpu);
		}
	}
	if (kinds & CONTROL_SESSION) {
		list_session(&listing);
	}
}

static void send(void *data, struct control_record *record)
{
	control_record_send(record, data);
}

static void report(
	struct server *server, struct wl_resource *report, enum control_kind kind, bool place)
{
	control_each_object(server, kind, place, send, report);
	control_finish(report);
}

void control_report_windows(struct server *server, struct wl_resource *resource)
{
	report(server, resource, CONTROL_WINDOW, true);
}

void control_report_workspaces(struct server *server, struct wl_resource *resource)
{
	report(server, resource, CONTROL_WORKSPACE, false);
}

void control_report_keyboards(struct server *server, struct wl_resource *resource)
{
	report(server, resource, CONTROL_KEYBOARD, false);
}
