/* SPDX-License-Identifier: MIT */
/*
 * Screens of the session: settings that outlive hotplug. A screen is known by make, model and
 * serial number, or else by the name of its connector.
 */

#include "outputs.h"
#include "seat/seat.h"
#include "server/output.h"
#include "server/server.h"
#include "shell/shell.h"
#include "state.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

/* Absent screens that are kept; those that left last. */
#define ABSENT_MAX 64

static bool is_equal(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_same_kind(const struct server_screen *screen, const struct output *output)
{
	return is_equal(screen->make, output->make) && is_equal(screen->model, output->model) &&
	       is_equal(screen->serial, output->serial);
}

/*
 * Docks give their connectors new names. Screens without a serial number, or with that of another
 * screen, differ by the name only.
 */
static struct server_screen *find_absent(struct server *server, const struct output *output)
{
	struct server_screen *screen, *renamed = NULL;
	wl_list_for_each (screen, &server->state->screens, link) {
		if (screen->output || !is_same_kind(screen, output)) {
			continue;
		}
		if (strcmp(screen->name, output->name) == 0) {
			return screen;
		}
		if (!renamed && output->serial && (output->make || output->model)) {
			renamed = screen;
		}
	}
	return renamed;
}

static char *copy(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

static struct server_screen *create(struct server *server, const struct output *output)
{
	struct server_screen *screen = xcalloc(1, sizeof(*screen));
	screen->make = copy(output->make);
	screen->model = copy(output->model);
	screen->serial = copy(output->serial);
	wl_list_insert(server->state->screens.prev, &screen->link);
	return screen;
}

static void forget(struct server_screen *screen)
{
	wl_list_remove(&screen->link);
	free(screen->name);
	free(screen->make);
	free(screen->model);
	free(screen->serial);
	free(screen);
}

void server_screen_enter(struct server_output *entry)
{
	struct server_screen *screen = find_absent(entry->server, entry->output);
	if (!screen) {
		screen = create(entry->server, entry->output);
	}
	free(screen->name);
	screen->name = xstrdup(entry->output->name);
	screen->output = entry;
	entry->screen = screen;
	if (shell_is_dark(entry->server->shell)) {
		screen->off = true;
	}
}

void server_screens_wake_absent(struct server *server)
{
	struct server_screen *screen;
	wl_list_for_each (screen, &server->state->screens, link) {
		screen->off = screen->off && screen->output;
	}
	if (server->state->watches_input) {
		server->state->watches_input = false;
		wl_list_remove(&server->state->activity.link);
	}
}

static void handle_activity(struct wl_listener *listener, void *data)
{
	struct server_state *state = wl_container_of(listener, state, activity);
	if (!data) {
		server_screens_wake_absent(&state->server);
	}
}

/*
 * The client that powered a screen off cannot power it on while it is absent: input does, as the
 * client would.
 */
static void watch_input(struct server *server)
{
	struct server_state *state = server->state;
	if (!state->watches_input) {
		state->watches_input = true;
		signal_add(&server->seat->events.activity, &state->activity, handle_activity);
	}
}

void server_screen_leave(struct server_output *entry)
{
	struct server *server = entry->server;
	struct server_screen *screen, *first = NULL;
	int n_absent = 0;
	entry->screen->output = NULL;
	entry->screen->left = ++server->state->n_left;
	if (entry->screen->off) {
		watch_input(server);
	}
	entry->screen = NULL;
	wl_list_for_each (screen, &server->state->screens, link) {
		if (!screen->output) {
			n_absent++;
			first = !first || screen->left < first->left ? screen : first;
		}
	}
	if (n_absent > ABSENT_MAX) {
		forget(first);
	}
}

void server_screens_finish(struct server *server)
{
	struct server_screen *screen, *next;
	server_screens_wake_absent(server);
	wl_list_for_each_safe (screen, next, &server->state->screens, link) {
		forget(screen);
	}
}
