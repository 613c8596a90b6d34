/* SPDX-License-Identifier: MIT */
/*
 * zwp_keyboard_shortcuts_inhibit: windows, such as virtual machines, that want all keys while they
 * have the keyboard. The user can take the keys back by an action; shortcuts that leave the session
 * stay with the compositor.
 */

#include "keyboard-shortcuts-inhibit-unstable-v1-protocol.h"
#include "protocol/protocol.h"
#include "seat/seat.h"
#include "shell/shell.h"
#include "surface/surface.h"
#include "util/xalloc.h"
#include <stdlib.h>

struct inhibit_manager {
	struct protocols *protocols;
	struct wl_list inhibitors; /* inhibitor.link; those of clients come first */
	struct wl_listener focus, toggle, destroy;
};

struct inhibitor {
	struct wl_list link; /* empty once its surface or the seat is gone */
	struct wl_resource *resource; /* NULL: of shortcuts_inhibit() */
	struct client *client; /* of shortcuts_inhibit(): any surface of it; NULL: `surface` only */
	struct inhibit_manager *manager;
	struct surface *surface; /* NULL: destroyed */
	int n_uses; /* of shortcuts_inhibit() */
	bool refused; /* the user took the keys back */
	bool active; /* all keys go to its surface */
	struct wl_listener surface_destroy;
};

static bool covers(const struct inhibitor *inhibitor, const struct surface *focus)
{
	return focus && (inhibitor->client ? inhibitor->client == focus->client
					   : inhibitor->surface == focus);
}

static void update(struct inhibit_manager *manager)
{
	const struct server *server = manager->protocols->server;
	const struct surface *focus = server->seat->keyboard.focus;
	struct inhibitor *inhibitor;
	server->shell->shortcuts_inhibited = false;
	wl_list_for_each (inhibitor, &manager->inhibitors, link) {
		bool active = covers(inhibitor, focus) && !inhibitor->refused;
		/*
		 * Clients notice the loss of focus by wl_keyboard.leave, so no inactive event is
		 * needed.
		 */
		if (active && !inhibitor->active && inhibitor->resource) {
			zwp_keyboard_shortcuts_inhibitor_v1_send_active(inhibitor->resource);
		}
		inhibitor->active = active;
		server->shell->shortcuts_inhibited |= active;
	}
}

static void forget_surface(struct inhibitor *inhibitor)
{
	if (inhibitor->surface) {
		inhibitor->surface = NULL;
		wl_list_remove(&inhibitor->surface_destroy.link);
		wl_list_remove(&inhibitor->link);
		wl_list_init(&inhibitor->link);
		if (inhibitor->active) {
			update(inhibitor->manager);
		}
	}
}

static void handle_surface_destroy(struct wl_listener *listener, void *data)
{
	struct inhibitor *inhibitor = wl_container_of(listener, inhibitor, surface_destroy);
	forget_surface(inhibitor);
}

static const struct zwp_keyboard_shortcuts_inhibitor_v1_interface inhibitor_impl = {
	.destroy = resource_handle_destroy,
};

static void destroy_inhibitor(struct wl_resource *resource)
{
	struct inhibitor *inhibitor = wl_resource_get_user_data(resource);
	forget_surface(inhibitor);
	free(inhibitor);
}

/* A surface has few listeners, while all clients together may have many inhibitors. */
static bool is_inhibited(struct surface *surface)
{
	return wl_signal_get(&surface->events.destroy, handle_surface_destroy) != NULL;
}

static void handle_inhibit_shortcuts(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, struct wl_resource *surface_resource, struct wl_resource *seat)
{
	struct inhibit_manager *manager = wl_resource_get_user_data(resource);
	struct surface *surface = surface_from_resource(surface_resource);
	if (is_inhibited(surface)) {
		wl_resource_post_error(resource,
			ZWP_KEYBOARD_SHORTCUTS_INHIBIT_MANAGER_V1_ERROR_ALREADY_INHIBITED,
			"wl_surface@%u already inhibits shortcuts",
			wl_resource_get_id(surface_resource));
		return;
	}
	struct inhibitor *inhibitor = xcalloc(1, sizeof(*inhibitor));
	struct wl_resource *created =
		resource_create_child(resource, &zwp_keyboard_shortcuts_inhibitor_v1_interface, id,
			&inhibitor_impl, inhibitor, destroy_inhibitor);
	if (!created) {
		return;
	}
	inhibitor->resource = created;
	inhibitor->manager = manager;
	wl_list_init(&inhibitor->link);
	if (seat_from_resource(seat)) {
		inhibitor->surface = surface;
		signal_add(&surface->events.destroy, &inhibitor->surface_destroy,
			handle_surface_destroy);
		wl_list_insert(manager->inhibitors.prev, &inhibitor->link);
		if (manager->protocols->server->seat->keyboard.focus == surface) {
			update(manager);
		}
	}
}

static struct inhibitor *find_client(struct inhibit_manager *manager, const struct client *client)
{
	struct inhibitor *inhibitor;
	wl_list_for_each (inhibitor, &manager->inhibitors, link) {
		if (!inhibitor->client) {
			break;
		}
		if (inhibitor->client == client) {
			return inhibitor;
		}
	}
	return NULL;
}

struct inhibitor *shortcuts_inhibit(struct protocols *protocols, struct client *client)
{
	struct inhibitor *inhibitor = find_client(protocols->inhibit_manager, client);
	if (inhibitor) {
		inhibitor->n_uses++;
		return inhibitor;
	}
	inhibitor = xcalloc(1, sizeof(*inhibitor));
	inhibitor->manager = protocols->inhibit_manager;
	inhibitor->client = client;
	inhibitor->n_uses = 1;
	wl_list_insert(&inhibitor->manager->inhibitors, &inhibitor->link);
	update(inhibitor->manager);
	return inhibitor;
}

void shortcuts_release(struct inhibitor *inhibitor)
{
	if (--inhibitor->n_uses > 0) {
		return;
	}
	wl_list_remove(&inhibitor->link);
	update(inhibitor->manager);
	free(inhibitor);
}

static const struct zwp_keyboard_shortcuts_inhibit_manager_v1_interface manager_impl = {
	.destroy = resource_handle_destroy,
	.inhibit_shortcuts = handle_inhibit_shortcuts,
};

static void handle_focus(struct wl_listener *listener, void *data)
{
	struct inhibit_manager *manager = wl_container_of(listener, manager, focus);
	update(manager);
}

/* Takes the keys of the focused window back from it, or returns them. */
static void handle_toggle(struct wl_listener *listener, void *data)
{
	struct inhibit_manager *manager = wl_container_of(listener, manager, toggle);
	const struct server *server = manager->protocols->server;
	const struct surface *focus = server->seat->keyboard.focus;
	bool refused = server->shell->shortcuts_inhibited; /* for all that cover the window alike */
	struct inhibitor *inhibitor;
	wl_list_for_each (inhibitor, &manager->inhibitors, link) {
		if (!covers(inhibitor, focus)) {
			continue;
		}
		inhibitor->refused = refused;
		if (inhibitor->active && inhibitor->resource) {
			zwp_keyboard_shortcuts_inhibitor_v1_send_inactive(inhibitor->resource);
		}
	}
	update(manager);
}

static void handle_protocols_destroy(struct wl_listener *listener, void *data)
{
	struct inhibit_manager *manager = wl_container_of(listener, manager, destroy);
	wl_list_remove(&manager->focus.link);
	wl_list_remove(&manager->toggle.link);
	wl_list_remove(&manager->destroy.link);
	free(manager);
}

void keyboard_shortcuts_inhibit_create(struct protocols *protocols)
{
	struct inhibit_manager *manager = xcalloc(1, sizeof(*manager));
	manager->protocols = protocols;
	protocols->inhibit_manager = manager;
	wl_list_init(&manager->inhibitors);
	signal_add(&protocols->server->seat->keyboard.events.focus, &manager->focus, handle_focus);
	signal_add(&protocols->server->shell->events.toggle_shortcuts, &manager->toggle,
		handle_toggle);
	signal_add(&protocols->events.destroy, &manager->destroy, handle_protocols_destroy);
	protocols_add_global(protocols, &zwp_keyboard_shortcuts_inhibit_manager_v1_interface, 1,
		&manager_impl, manager, GLOBAL_PUBLIC);
}
