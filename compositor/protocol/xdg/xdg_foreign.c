/* SPDX-License-Identifier: MIT */
/*
 * Exported and imported toplevels: handles, and parents of other clients. Events of both versions
 * of the protocol are sent as those of version 2 (xdg_foreign_unstable.c).
 */

#include "xdg_foreign.h"
#include "util/account.h"
#include "util/xalloc.h"
#include "xdg-foreign-unstable-v2-protocol.h"
#include <stdlib.h>
#include <string.h>

/** Lists of exports by the first hexadecimal digits of the handle, which are random. */
#define N_BUCKETS 256

struct foreign_exports {
	struct wl_list buckets[N_BUCKETS]; /* foreign_export.link */
	struct wl_listener destroy;
};

struct foreign_export {
	struct wl_list link; /* foreign_exports.buckets */
	char handle[RANDOM_NAME_SIZE];
	struct wl_resource *resource;
	struct window *window;
	struct wl_list imports; /* foreign_import.link */
	struct wl_listener window_destroy;
};

/** A window whose parent was set by an import. Freed when the parent changes. */
struct foreign_child {
	struct wl_list link; /* foreign_import.children */
	struct window *window;
	struct wl_listener parent;
};

static struct foreign_exports *exports_of(struct wl_resource *resource)
{
	return client_protocols(wl_resource_get_client(resource))->exports;
}

static struct wl_list *bucket_of(struct foreign_exports *exports, const char *handle)
{
	char digits[] = {handle[0], handle[0] ? handle[1] : '\0', '\0'};
	return &exports->buckets[strtoul(digits, NULL, 16) % N_BUCKETS];
}

/* Parents */

/* Also called when the child is unmapped or destroyed, which removes its parent. */
static void handle_parent(struct wl_listener *listener, void *data)
{
	struct foreign_child *child = wl_container_of(listener, child, parent);
	wl_list_remove(&child->link);
	wl_list_remove(&child->parent.link);
	free(child);
}

static struct foreign_child *child_find(struct window *window)
{
	struct wl_listener *listener = wl_signal_get(&window->events.parent, handle_parent);
	struct foreign_child *child = NULL;
	return listener ? wl_container_of(listener, child, parent) : NULL;
}

static void orphan_children(struct foreign_import *import)
{
	struct foreign_child *child, *next;
	wl_list_for_each_safe (child, next, &import->children, link) {
		window_set_parent(child->window, NULL); /* frees it */
	}
}

static void adopt(struct foreign_import *import, struct window *window)
{
	struct foreign_child *child = child_find(window);
	if (child) {
		wl_list_remove(&child->link);
	} else {
		child = xcalloc(1, sizeof(*child));
		child->window = window;
		signal_add(&window->events.parent, &child->parent, handle_parent);
	}
	wl_list_insert(&import->children, &child->link);
}

void foreign_import_set_parent_of(struct foreign_import *import, struct toplevel *toplevel)
{
	struct window *window = toplevel->window;
	struct window *parent = import->export ? import->export->window : NULL;
	if (!parent) {
		return;
	}
	enum parent_check check = toplevel_check_parent(window, parent);
	if (check == PARENT_UNMAPPED) {
		window_set_parent(window, NULL);
	} else if (check == PARENT_VALID) {
		window_set_parent(window, parent);
		adopt(import, window);
	}
}

/* Families are limited in size and depth (WINDOW_FAMILY_MAX, WINDOW_LEVELS_MAX). */
static bool has_foreign_child(struct window *window)
{
	if (child_find(window)) {
		return true;
	}
	struct window *child;
	wl_list_for_each (child, &window->children, sibling_link) {
		if (has_foreign_child(child)) {
			return true;
		}
	}
	return false;
}

bool foreign_family(struct window *member)
{
	while (member->parent) {
		member = member->parent;
	}
	return has_foreign_child(member);
}

/* Exports */

static void export_destroy(struct foreign_export *export)
{
	struct foreign_import *import, *next;
	wl_list_for_each_safe (import, next, &export->imports, link) {
		orphan_children(import);
		wl_list_remove(&import->link);
		import->export = NULL;
		zxdg_imported_v2_send_destroyed(import->resource);
	}
	wl_list_remove(&export->link);
	wl_list_remove(&export->window_destroy.link);
	wl_resource_set_user_data(export->resource, NULL);
	free(export);
}

static void handle_window_destroy(struct wl_listener *listener, void *data)
{
	struct foreign_export *export = wl_container_of(listener, export, window_destroy);
	export_destroy(export);
}

const char *foreign_export_create(struct wl_resource *resource, struct toplevel *toplevel)
{
	struct foreign_export *export = xcalloc(1, sizeof(*export));
	random_name(export->handle);
	export->resource = resource;
	export->window = toplevel->window;
	wl_list_init(&export->imports);
	signal_add(&export->window->events.destroy, &export->window_destroy, handle_window_destroy);
	wl_list_insert(bucket_of(exports_of(resource), export->handle), &export->link);
	wl_resource_set_user_data(resource, export);
	return export->handle;
}

void foreign_export_handle_resource_destroy(struct wl_resource *resource)
{
	struct foreign_export *export = wl_resource_get_user_data(resource);
	if (export) {
		export_destroy(export);
	}
}

/* Imports */

static struct foreign_export *export_find(struct foreign_exports *exports, const char *handle)
{
	struct foreign_export *export;
	wl_list_for_each (export, bucket_of(exports, handle), link) {
		if (strcmp(export->handle, handle) == 0) {
			return export;
		}
	}
	return NULL;
}

void foreign_import_create(struct wl_resource *resource, const char *handle)
{
	struct foreign_import *import = xcalloc(1, sizeof(*import));
	import->resource = resource;
	wl_list_init(&import->children);
	wl_resource_set_user_data(resource, import);
	import->export = export_find(exports_of(resource), handle);
	if (import->export) {
		wl_list_insert(&import->export->imports, &import->link);
	} else {
		zxdg_imported_v2_send_destroyed(resource);
	}
}

void foreign_import_handle_resource_destroy(struct wl_resource *resource)
{
	struct foreign_import *import = wl_resource_get_user_data(resource);
	orphan_children(import);
	if (import->export) {
		wl_list_remove(&import->link);
	}
	free(import);
}

static void handle_destroy(struct wl_listener *listener, void *data)
{
	struct foreign_exports *exports = wl_container_of(listener, exports, destroy);
	struct protocols *protocols = data;
	wl_list_remove(&exports->destroy.link);
	protocols->exports = NULL;
	free(exports);
}

void xdg_foreign_create(struct protocols *protocols)
{
	struct foreign_exports *exports = xcalloc(1, sizeof(*exports));
	for (int i = 0; i < N_BUCKETS; i++) {
		wl_list_init(&exports->buckets[i]);
	}
	signal_add(&protocols->events.destroy, &exports->destroy, handle_destroy);
	protocols->exports = exports;
}
