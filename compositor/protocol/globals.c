/* SPDX-License-Identifier: MIT */
/* Globals and their visibility per client. */

#include "causeway-control-v1-protocol.h"
#include "linux-dmabuf-v1-protocol.h"
#include "protocol.h"
#include "table.h"
#include "util/clock.h"
#include "util/xalloc.h"
#include "wl-drm-protocol.h"
#include "xwayland-keyboard-grab-unstable-v1-protocol.h"
#include "xwayland-shell-v1-protocol.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char *const privileged[] = {
#define NAME(interface) #interface,
	PRIVILEGED_GLOBALS(NAME)
#undef NAME
};

/** First version of linux-dmabuf that names a device. */
#define LINUX_DMABUF_FEEDBACK_VERSION 4

/** Time (ns) for clients to receive the removal of a global. */
#define REMOVAL_GRACE INT64_C(5000000000)

struct global {
	struct wl_list link; /* protocols.globals */
	struct wl_global *global;
	const void *requests; /* NULL: set by bind() */
	global_bind_func_t bind; /* NULL: the resources have `requests` */
	void *data; /* NULL after removal */
	struct timer removal;
};

static bool is_privileged(const struct wl_interface *interface)
{
	for (size_t i = 0; i < sizeof(privileged) / sizeof(privileged[0]); i++) {
		if (strcmp(privileged[i], interface->name) == 0) {
			return true;
		}
	}
	return false;
}

/**
 * Some globals name a GPU. They are shown to clients that have one; other clients see the
 * counterpart.
 */
static bool suits_gpu(const struct client *client, const struct wl_global *global,
	const struct wl_interface *interface)
{
	if (interface == &zwp_linux_dmabuf_v1_interface) {
		bool feedback = wl_global_get_version(global) >= LINUX_DMABUF_FEEDBACK_VERSION;
		return feedback == client->sees_feedback;
	}
	return interface != &wl_drm_interface || client->sees_node;
}

static bool is_for_x_servers(const struct wl_interface *interface)
{
	return interface == &xwayland_shell_v1_interface ||
	       interface == &zwp_xwayland_keyboard_grab_manager_v1_interface;
}

/* Called for each global when a client connects. */
static bool filter_global(
	const struct wl_client *wl_client, const struct wl_global *global, void *data)
{
	const struct wl_interface *interface = wl_global_get_interface(global);
	const struct client *client = client_from_wl((struct wl_client *)wl_client);
	/* causeway-control has a socket of its own, on which it is the only protocol. */
	bool control = interface == &causeway_control_v1_interface;
	if (client->control || control) {
		return client->control && control;
	}
	if (is_for_x_servers(interface) && !client->x_server) {
		return false;
	}
	return (!client->sandboxed || !is_privileged(interface)) &&
	       suits_gpu(client, global, interface);
}

static void destroy_global(struct global *entry)
{
	timer_finish(&entry->removal);
	wl_list_remove(&entry->link);
	wl_global_destroy(entry->global);
	free(entry);
}

static void handle_removal(struct timer *timer, int64_t now)
{
	struct global *entry = wl_container_of(timer, entry, removal);
	destroy_global(entry);
}

static void handle_bind(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	const struct global *entry = data;
	struct wl_resource *resource =
		resource_create(client, wl_global_get_interface(entry->global), (int)version, id,
			entry->requests, entry->data, NULL);
	if (resource && entry->bind) {
		entry->bind(resource, entry->data);
	}
}

static struct global *add_global(struct protocols *protocols, const struct wl_interface *interface,
	int version, void *data, enum global_privilege privilege)
{
	assert((privilege == GLOBAL_PRIVILEGED) == is_privileged(interface));
	struct global *entry = xcalloc(1, sizeof(*entry));
	entry->data = data;
	timer_init(&entry->removal, protocols->server->clock, handle_removal);
	wl_list_insert(protocols->globals.prev, &entry->link);
	entry->global =
		wl_global_create(protocols->display, interface, version, entry, handle_bind);
	if (!entry->global) {
		abort(); /* out of memory, or a version that the interface does not have */
	}
	return entry;
}

struct wl_global *protocols_add_global(struct protocols *protocols,
	const struct wl_interface *interface, int version, const void *requests, void *data,
	enum global_privilege privilege)
{
	struct global *entry = add_global(protocols, interface, version, data, privilege);
	entry->requests = requests;
	return entry->global;
}

struct wl_global *protocols_add_custom_global(struct protocols *protocols,
	const struct wl_interface *interface, int version, global_bind_func_t bind, void *data,
	enum global_privilege privilege)
{
	struct global *entry = add_global(protocols, interface, version, data, privilege);
	entry->bind = bind;
	return entry->global;
}

void protocols_remove_global(struct protocols *protocols, struct wl_global *global)
{
	struct global *entry;
	wl_list_for_each (entry, &protocols->globals, link) {
		if (entry->global == global) {
			wl_global_remove(global);
			entry->data = NULL;
			timer_arm(&entry->removal,
				clock_now(protocols->server->clock) + REMOVAL_GRACE);
			return;
		}
	}
	assert(!"a global of this list");
}

void globals_init(struct protocols *protocols)
{
	wl_list_init(&protocols->globals);
	wl_display_set_global_filter(protocols->display, filter_global, protocols);
}

void globals_finish(struct protocols *protocols)
{
	struct global *entry, *next;
	wl_list_for_each_safe (entry, next, &protocols->globals, link) {
		destroy_global(entry);
	}
}
