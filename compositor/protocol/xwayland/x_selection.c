/* SPDX-License-Identifier: MIT */
/* Selections of X programs, shared with Wayland programs and other X servers. */

#include "protocol/protocol.h"
#include "protocol/selection/selection.h"
#include "seat/seat.h"
#include "shell/shell.h"
#include "surface/surface.h"
#include "util/process.h"
#include "util/xalloc.h"
#include "x_drag.h"
#include "xwayland/selection.h"
#include "xwayland/servers.h"
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/** Number of selections that need no drag. */
#define KEPT X_SELECTION_DRAG

/** Descriptors that may wait for a source, as for other receivers. */
#define QUEUED_MAX 64
/** Time (ns) after a key in which a program that leaves its process may set a selection. */
#define KEY_TIME INT64_C(3000000000)

struct x_bridge {
	struct protocols *protocols;
	struct x_selection_host host;
	struct wl_listener changed[KEPT], destroy;
};

/** Data of an X program; freed when replaced, and with the X server's client. */
struct x_source {
	struct selection_source base;
	struct x_server *server;
	enum x_selection_kind kind;
	struct wl_listener client_destroy;
};

static void destroy_source(struct x_source *source)
{
	wl_list_remove(&source->client_destroy.link);
	selection_source_finish(&source->base);
	free(source);
}

static void handle_client_destroy(struct wl_listener *listener, void *data)
{
	struct x_source *source = wl_container_of(listener, source, client_destroy);
	destroy_source(source);
}

static void send_data(struct selection_source *base, const char *mime_type, int fd)
{
	struct x_source *source = wl_container_of(base, source, base);
	const struct x_selection_host *host = client_protocols(source->base.client)->x_selections;
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (copy >= 0 && host && host->wm && source->server->wm) {
		host->wm->send(source->server->wm, source->kind, mime_type, copy);
	} else if (copy >= 0) {
		close(copy);
	}
}

static void handle_cancelled(struct selection_source *base)
{
	struct x_source *source = wl_container_of(base, source, base);
	destroy_source(source);
}

static const struct selection_source_impl source_impl = {
	.send = send_data,
	.cancelled = handle_cancelled,
};

static struct selection *selection_of(const struct x_bridge *bridge, enum x_selection_kind kind)
{
	return &bridge->protocols->selections
			->kinds[kind == X_SELECTION_PRIMARY ? SELECTION_PRIMARY
							    : SELECTION_CLIPBOARD];
}

static bool is_own(const struct selection_source *source, const struct x_server *server)
{
	return source && source->impl == &source_impl && source->client == server->wl_client;
}

static bool has_focus(const struct x_bridge *bridge, const struct x_server *server)
{
	const struct server *compositor = bridge->protocols->server;
	const struct surface *focus = compositor->seat->keyboard.focus;
	return !compositor->shell->locked && focus && server->client &&
	       focus->client == server->client;
}

static bool descends_from(pid_t pid, pid_t ancestor, bool *ended)
{
	struct process *process = process_read(pid, 0, PROCESS_ANCESTORS);
	const struct process *each = process;
	*ended = !process;
	while (each && each->pid != ancestor) {
		each = each->parent;
	}
	process_destroy(process);
	return each != NULL;
}

/** Returns the process of the focused client, or 0 if there is none or the session is locked. */
static pid_t focused_pid(const struct x_bridge *bridge)
{
	const struct server *compositor = bridge->protocols->server;
	const struct surface *focus = compositor->seat->keyboard.focus;
	return !compositor->shell->locked && focus && focus->client && focus->client->pid > 0
		       ? focus->client->pid
		       : 0;
}

/*
 * Returns whether the user works with the Wayland program that has started an X program. Those that
 * leave their process (xclip, xsel) have no ancestors any more: a key that was pressed just now
 * stands in for them.
 */
static bool is_used_from_focus(const struct x_bridge *bridge, pid_t pid)
{
	const pid_t focused = focused_pid(bridge);
	bool ended;
	return focused &&
	       ((pid > 0 && descends_from(pid, focused, &ended)) ||
		       ((pid <= 0 || ended) &&
			       shell_key_pressed(bridge->protocols->server->shell, KEY_TIME)));
}

static void withdraw(void *data, struct x_server *server, enum x_selection_kind kind)
{
	struct x_bridge *bridge = data;
	struct x_drag *drag = bridge->protocols->x_drag;
	if (kind == X_SELECTION_DRAG) {
		x_drag_source_destroy(x_drag_source_of(drag, server));
		return;
	}
	struct selection *selection = selection_of(bridge, kind);
	if (is_own(selection->source, server)) {
		selection_set(selection, NULL, selection->serial);
	}
}

static void offer(void *data, struct x_server *server, enum x_selection_kind kind, pid_t pid,
	const char *const *types, int n)
{
	struct x_bridge *bridge = data;
	if (kind == X_SELECTION_DRAG) {
		x_drag_source_offer(bridge->protocols->x_drag, server, types, n);
		return;
	}
	if (!server->wl_client) {
		return;
	}
	if (!has_focus(bridge, server) && !is_used_from_focus(bridge, pid)) {
		withdraw(data, server, kind); /* the earlier owner has lost it */
		return;
	}
	struct x_source *source = xcalloc(1, sizeof(*source));
	selection_source_init(&source->base, &source_impl, server->wl_client);
	source->server = server;
	source->kind = kind;
	source->client_destroy.notify = handle_client_destroy;
	wl_client_add_destroy_listener(server->wl_client, &source->client_destroy);
	for (int i = 0; i < n; i++) {
		selection_source_add_type(&source->base, types[i]);
	}
	selection_set(selection_of(bridge, kind), &source->base,
		wl_display_next_serial(bridge->protocols->display));
}

/* Returns data of other programs, or NULL. */
static struct selection_source *source_for(
	const struct x_bridge *bridge, const struct x_server *server, enum x_selection_kind kind)
{
	if (kind == X_SELECTION_DRAG) {
		return x_drag_readable(bridge->protocols->x_drag, server);
	}
	struct selection_source *source = selection_of(bridge, kind)->source;
	return is_own(source, server) ? NULL : source;
}

static bool may_read(const struct x_bridge *bridge, const struct x_server *server,
	enum x_selection_kind kind, pid_t pid)
{
	if (kind == X_SELECTION_DRAG) {
		return !bridge->protocols->server->shell->locked; /* it is the target */
	}
	const pid_t focused = focused_pid(bridge);
	bool ended;
	return has_focus(bridge, server) ||
	       (pid > 0 && focused && descends_from(pid, focused, &ended));
}

static int types(
	void *data, struct x_server *server, enum x_selection_kind kind, const char *const **out)
{
	struct x_bridge *bridge = data;
	const struct selection_source *source = source_for(bridge, server, kind);
	if (!source) {
		return 0;
	}
	*out = (const char *const *)source->types;
	return source->n_types;
}

static bool receive(void *data, struct x_server *server, enum x_selection_kind kind, pid_t pid,
	const char *type, int fd)
{
	struct x_bridge *bridge = data;
	struct selection_source *source = source_for(bridge, server, kind);
	if (!source || !may_read(bridge, server, kind, pid) ||
		client_queued_descriptors(source->client) >= QUEUED_MAX) {
		return false;
	}
	client_charge_queued_descriptor(source->client);
	source->impl->send(source, type, fd);
	return true;
}

static void changed(struct x_bridge *bridge, enum x_selection_kind kind)
{
	const struct server *server = bridge->protocols->server;
	if (!server->x_servers || !bridge->host.wm) {
		return;
	}
	struct x_server *x_server;
	wl_list_for_each (x_server, x_servers_list(server->x_servers), link) {
		if (x_server->wm) {
			bridge->host.wm->changed(x_server->wm, kind);
		}
	}
}

static void handle_clipboard_changed(struct wl_listener *listener, void *data)
{
	struct x_bridge *bridge = wl_container_of(listener, bridge, changed[X_SELECTION_CLIPBOARD]);
	changed(bridge, X_SELECTION_CLIPBOARD);
}

static void handle_primary_changed(struct wl_listener *listener, void *data)
{
	struct x_bridge *bridge = wl_container_of(listener, bridge, changed[X_SELECTION_PRIMARY]);
	changed(bridge, X_SELECTION_PRIMARY);
}

static void handle_destroy(struct wl_listener *listener, void *data)
{
	struct x_bridge *bridge = wl_container_of(listener, bridge, destroy);
	for (int kind = 0; kind < KEPT; kind++) {
		wl_list_remove(&bridge->changed[kind].link);
	}
	wl_list_remove(&bridge->destroy.link);
	bridge->protocols->x_selections = NULL;
	free(bridge);
}

void x_selection_create(struct protocols *protocols)
{
	struct x_bridge *bridge = xcalloc(1, sizeof(*bridge));
	bridge->protocols = protocols;
	bridge->host = (struct x_selection_host){
		.data = bridge,
		.offer = offer,
		.withdraw = withdraw,
		.types = types,
		.receive = receive,
	};
	protocols->x_selections = &bridge->host;
	bridge->changed[X_SELECTION_CLIPBOARD].notify = handle_clipboard_changed;
	bridge->changed[X_SELECTION_PRIMARY].notify = handle_primary_changed;
	for (int kind = 0; kind < KEPT; kind++) {
		wl_signal_add(&selection_of(bridge, (enum x_selection_kind)kind)->events.changed,
			&bridge->changed[kind]);
	}
	signal_add(&protocols->events.destroy, &bridge->destroy, handle_destroy);
}

struct x_selection_host *protocols_x_selections(const struct protocols *protocols)
{
	protocols->x_selections->drags = &protocols->x_drag->host;
	return protocols->x_selections;
}
