/* SPDX-License-Identifier: MIT */
/* Input devices: applies the configuration and adds them to the seat. */

#include "inputs.h"
#include "backend/input.h"
#include "outputs.h"
#include "seat/seat.h"
#include "server/output.h"
#include "server/server.h"
#include "shell/shell.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <stdlib.h>

struct server_input {
	struct wl_list link; /* server.inputs */
	struct server *server;
	struct input_device *device;
	bool on[2]; /* a switch, by enum input_switch_kind */
	struct wl_listener toggle, destroy;
};

/* The lid counts as closed while any lid switch is closed; removed ones count as open. */
static bool is_any_on(const struct server *server, enum input_switch_kind kind)
{
	const struct server_input *entry;
	wl_list_for_each (entry, &server->inputs, link) {
		if (entry->on[kind]) {
			return true;
		}
	}
	return false;
}

static void update_lid(struct server *server)
{
	bool closed = is_any_on(server, INPUT_SWITCH_LID);
	if (closed != server->lid_closed) {
		server->lid_closed = closed;
		server_outputs_cover(server);
	}
}

static void handle_toggle(struct wl_listener *listener, void *data)
{
	struct server_input *entry = wl_container_of(listener, entry, toggle);
	const struct input_switch_event *event = data;
	struct server *server = entry->server;
	const bool before = is_any_on(server, event->kind);
	entry->on[event->kind] = event->on;
	if (event->on == before || is_any_on(server, event->kind) == before) {
		return;
	}
	if (event->kind == INPUT_SWITCH_LID) {
		update_lid(server);
	}
	/* The action of a lid that is closed at the start may suspend the machine. */
	if (event->kind != INPUT_SWITCH_LID || !event->initial) {
		shell_switch_thrown(server->shell, event);
	}
}

/* Returns the built-in panel for a touch screen without configured or reported output, or NULL. */
static char *guess_output(const struct server_input *entry)
{
	const struct server_output *output;
	if (entry->device->type != INPUT_TOUCH || entry->device->names_output) {
		return NULL;
	}
	wl_list_for_each (output, &entry->server->outputs, link) {
		if (output->output->built_in) {
			return output->output->name;
		}
	}
	return NULL;
}

static void configure(struct server_input *entry)
{
	struct server *server = entry->server;
	struct input_device *device = entry->device;
	struct input_settings settings;
	struct config_keyboard keyboard;
	config_input_find(server->shell->config, device->name, input_device_type_name(device),
		&settings, &keyboard);
	if (!settings.output) {
		settings.output = guess_output(entry);
	}
	input_device_configure(device, &settings);
	if (device->type != INPUT_KEYBOARD) {
		return;
	}
	const struct seat_keymap_names names = {keyboard.rules, keyboard.model, keyboard.layout,
		keyboard.variant, keyboard.options};
	if (!seat_configure_keyboard(
		    server->seat, device, &names, keyboard.repeat_rate, keyboard.repeat_delay)) {
		log_warn("%s: cannot compile the keymap", device->name);
	}
}

static void forget(struct server_input *entry)
{
	wl_list_remove(&entry->toggle.link);
	wl_list_remove(&entry->destroy.link);
	wl_list_remove(&entry->link);
	free(entry);
}

static void handle_destroy(struct wl_listener *listener, void *data)
{
	struct server_input *entry = wl_container_of(listener, entry, destroy);
	struct server *server = entry->server;
	forget(entry);
	update_lid(server);
}

void server_inputs_add(struct server *server, struct input_device *device)
{
	struct server_input *entry = xcalloc(1, sizeof(*entry));
	entry->server = server;
	entry->device = device;
	wl_list_insert(server->inputs.prev, &entry->link);
	signal_add(&device->events.toggle, &entry->toggle, handle_toggle);
	signal_add(&device->events.destroy, &entry->destroy, handle_destroy);
	seat_add_device(server->seat, device);
	configure(entry);
}

void server_inputs_configure(struct server *server)
{
	struct server_input *entry;
	wl_list_for_each (entry, &server->inputs, link) {
		configure(entry);
	}
}

void server_inputs_finish(struct server *server)
{
	struct server_input *entry, *next;
	wl_list_for_each_safe (entry, next, &server->inputs, link) {
		forget(entry);
	}
}
