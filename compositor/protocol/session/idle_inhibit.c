/* SPDX-License-Identifier: MIT */
/*
 * zwp_idle_inhibit: surfaces that prevent the user from counting as idle while they are visible,
 * and windows that do so by a rule.
 */

#include "idle-inhibit-unstable-v1-protocol.h"
#include "idle.h"
#include "scene/scene.h"
#include "shell/shell.h"
#include "shell/window.h"
#include "surface/surface.h"
#include "util/xalloc.h"
#include <stdlib.h>

struct inhibitor {
	struct idle *idle;
	struct surface *surface; /* NULL: destroyed */
	bool counts; /* included in idle.n_inhibiting */
	struct wl_listener updated, surface_destroy;
	struct wl_listener unmap, surface_changed; /* of a window with a rule */
};

/* Returns true if the surface is neither occluded nor hidden by the session lock. */
static bool is_seen(const struct surface *surface)
{
	const struct scene_surface *content = scene_surface_find(surface);
	return content && surface->mapped && content->primary_output >= 0;
}

static void update(struct inhibitor *inhibitor)
{
	struct idle *idle = inhibitor->idle;
	bool counts = inhibitor->surface && is_seen(inhibitor->surface);
	if (counts == inhibitor->counts) {
		return;
	}
	inhibitor->counts = counts;
	idle->n_inhibiting += counts ? 1 : -1;
	if (idle->n_inhibiting == (counts ? 1 : 0)) {
		idle_update_inhibited(idle);
	}
}

static void forget_surface(struct inhibitor *inhibitor)
{
	if (inhibitor->surface) {
		wl_list_remove(&inhibitor->updated.link);
		wl_list_remove(&inhibitor->surface_destroy.link);
		inhibitor->surface = NULL;
		update(inhibitor);
	}
}

static void handle_updated(struct wl_listener *listener, void *data)
{
	struct inhibitor *inhibitor = wl_container_of(listener, inhibitor, updated);
	update(inhibitor);
}

static void handle_surface_destroy(struct wl_listener *listener, void *data)
{
	struct inhibitor *inhibitor = wl_container_of(listener, inhibitor, surface_destroy);
	forget_surface(inhibitor);
}

static void start(struct inhibitor *inhibitor, struct idle *idle, struct surface *surface)
{
	inhibitor->idle = idle;
	inhibitor->surface = surface;
	signal_add(&idle->protocols->server->scene->events.updated, &inhibitor->updated,
		handle_updated);
	signal_add(&surface->events.destroy, &inhibitor->surface_destroy, handle_surface_destroy);
}

static void handle_unmap(struct wl_listener *listener, void *data)
{
	struct inhibitor *inhibitor = wl_container_of(listener, inhibitor, unmap);
	wl_list_remove(&inhibitor->unmap.link);
	wl_list_remove(&inhibitor->surface_changed.link);
	forget_surface(inhibitor);
	free(inhibitor);
}

static void handle_surface_changed(struct wl_listener *listener, void *data)
{
	struct inhibitor *inhibitor = wl_container_of(listener, inhibitor, surface_changed);
	const struct window *window = data;
	forget_surface(inhibitor);
	start(inhibitor, inhibitor->idle, window->surface);
}

static void handle_new_window(struct wl_listener *listener, void *data)
{
	struct idle *idle = wl_container_of(listener, idle, new_window);
	struct window *window = data;
	if (!window_inhibits_idle(window)) {
		return;
	}
	struct inhibitor *inhibitor = xcalloc(1, sizeof(*inhibitor));
	start(inhibitor, idle, window->surface);
	signal_add(&window->events.unmap, &inhibitor->unmap, handle_unmap);
	signal_add(&window->events.surface, &inhibitor->surface_changed, handle_surface_changed);
}

static const struct zwp_idle_inhibitor_v1_interface inhibitor_implementation = {
	.destroy = resource_handle_destroy,
};

static void handle_resource_destroy(struct wl_resource *resource)
{
	struct inhibitor *inhibitor = wl_resource_get_user_data(resource);
	forget_surface(inhibitor);
	free(inhibitor);
}

static void handle_create_inhibitor(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, struct wl_resource *surface_resource)
{
	struct inhibitor *inhibitor = xcalloc(1, sizeof(*inhibitor));
	struct wl_resource *created =
		resource_create_child(resource, &zwp_idle_inhibitor_v1_interface, id,
			&inhibitor_implementation, inhibitor, handle_resource_destroy);
	if (!created) {
		return;
	}
	start(inhibitor, wl_resource_get_user_data(resource),
		surface_from_resource(surface_resource));
	client_charge_receiver(created); /* of each update of the scene */
	update(inhibitor);
}

static const struct zwp_idle_inhibit_manager_v1_interface implementation = {
	.destroy = resource_handle_destroy,
	.create_inhibitor = handle_create_inhibitor,
};

void idle_inhibit_create(struct protocols *protocols)
{
	signal_add(&protocols->server->shell->events.new_window, &protocols->idle->new_window,
		handle_new_window);
	protocols_add_global(protocols, &zwp_idle_inhibit_manager_v1_interface, 1, &implementation,
		protocols->idle, GLOBAL_PUBLIC);
}
