/* SPDX-License-Identifier: MIT */
/* ext_foreign_toplevel_list_v1: lists of windows for task bars and similar clients. */

#include "ext-foreign-toplevel-list-v1-protocol.h"
#include "protocol/protocol.h"
#include "shell/shell.h"
#include "util/xalloc.h"
#include <stdlib.h>

struct foreign_toplevels {
	struct shell *shell;
	struct wl_list lists; /* list.link */
	struct wl_listener new_window, destroy;
};

/** A client's list. */
struct list {
	struct wl_list link; /* empty once stopped */
	struct wl_resource *resource;
};

/** A window's handle in one list. */
struct handle {
	struct wl_resource *resource;
	struct window *window; /* NULL once it is closed */
	struct wl_listener title, app_id, unmap;
};

/* ext_foreign_toplevel_handle_v1 */

struct window *window_from_foreign_handle(struct wl_resource *resource)
{
	struct handle *handle = wl_resource_get_user_data(resource);
	return handle->window;
}

static void forget_window(struct handle *handle)
{
	if (handle->window) {
		wl_list_remove(&handle->title.link);
		wl_list_remove(&handle->app_id.link);
		wl_list_remove(&handle->unmap.link);
		handle->window = NULL;
	}
}

static void handle_title(struct wl_listener *listener, void *data)
{
	struct handle *handle = wl_container_of(listener, handle, title);
	ext_foreign_toplevel_handle_v1_send_title(handle->resource, handle->window->title);
	ext_foreign_toplevel_handle_v1_send_done(handle->resource);
}

static void handle_app_id(struct wl_listener *listener, void *data)
{
	struct handle *handle = wl_container_of(listener, handle, app_id);
	ext_foreign_toplevel_handle_v1_send_app_id(handle->resource, handle->window->app_id);
	ext_foreign_toplevel_handle_v1_send_done(handle->resource);
}

static void handle_unmap(struct wl_listener *listener, void *data)
{
	struct handle *handle = wl_container_of(listener, handle, unmap);
	forget_window(handle);
	ext_foreign_toplevel_handle_v1_send_closed(handle->resource);
}

static const struct ext_foreign_toplevel_handle_v1_interface handle_impl = {
	.destroy = resource_handle_destroy,
};

static void handle_handle_destroy(struct wl_resource *resource)
{
	struct handle *handle = wl_resource_get_user_data(resource);
	forget_window(handle);
	free(handle);
}

static void send_window(struct list *list, struct window *window)
{
	struct handle *handle = xcalloc(1, sizeof(*handle));
	struct wl_resource *resource =
		resource_create_child(list->resource, &ext_foreign_toplevel_handle_v1_interface, 0,
			&handle_impl, handle, handle_handle_destroy);
	if (!resource) {
		return;
	}
	handle->resource = resource;
	handle->window = window;
	signal_add(&window->events.title, &handle->title, handle_title);
	signal_add(&window->events.app_id, &handle->app_id, handle_app_id);
	signal_add(&window->events.unmap, &handle->unmap, handle_unmap);

	ext_foreign_toplevel_list_v1_send_toplevel(list->resource, resource);
	ext_foreign_toplevel_handle_v1_send_identifier(resource, window->identifier);
	if (window->title) {
		ext_foreign_toplevel_handle_v1_send_title(resource, window->title);
	}
	if (window->app_id) {
		ext_foreign_toplevel_handle_v1_send_app_id(resource, window->app_id);
	}
	ext_foreign_toplevel_handle_v1_send_done(resource);
}

/* ext_foreign_toplevel_list_v1 */

static void handle_new_window(struct wl_listener *listener, void *data)
{
	struct foreign_toplevels *self = wl_container_of(listener, self, new_window);
	struct list *list;
	wl_list_for_each (list, &self->lists, link) {
		send_window(list, data);
	}
}

static void handle_stop(struct wl_client *client, struct wl_resource *resource)
{
	struct list *list = wl_resource_get_user_data(resource);
	if (!wl_list_empty(&list->link)) {
		wl_list_remove(&list->link);
		wl_list_init(&list->link);
		ext_foreign_toplevel_list_v1_send_finished(resource);
	}
}

static const struct ext_foreign_toplevel_list_v1_interface impl = {
	.stop = handle_stop,
	.destroy = resource_handle_destroy,
};

static void handle_list_destroy(struct wl_resource *resource)
{
	struct list *list = wl_resource_get_user_data(resource);
	wl_list_remove(&list->link);
	free(list);
}

static void bind(struct wl_resource *resource, void *data)
{
	struct foreign_toplevels *self = data;
	struct list *list = xcalloc(1, sizeof(*list));
	list->resource = resource;
	client_charge_receiver(resource);
	client_expect_windows(wl_resource_get_client(resource), self->shell);
	wl_list_insert(&self->lists, &list->link);
	wl_resource_set_implementation(resource, &impl, list, handle_list_destroy);
	struct window *window;
	wl_list_for_each_reverse (window, &self->shell->windows, link) {
		send_window(list, window);
	}
}

static void handle_protocols_destroy(struct wl_listener *listener, void *data)
{
	struct foreign_toplevels *self = wl_container_of(listener, self, destroy);
	wl_list_remove(&self->new_window.link);
	wl_list_remove(&self->destroy.link);
	free(self);
}

void foreign_toplevel_list_create(struct protocols *protocols)
{
	struct foreign_toplevels *self = xcalloc(1, sizeof(*self));
	self->shell = protocols->server->shell;
	wl_list_init(&self->lists);
	signal_add(&self->shell->events.new_window, &self->new_window, handle_new_window);
	signal_add(&protocols->events.destroy, &self->destroy, handle_protocols_destroy);
	protocols_add_custom_global(protocols, &ext_foreign_toplevel_list_v1_interface, 1, bind,
		self, GLOBAL_PRIVILEGED);
}
