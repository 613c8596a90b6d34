/* SPDX-License-Identifier: MIT */
/* zwlr_foreign_toplevel_manager_v1: task bars that list windows and act on them. */

#include "protocol/protocol.h"
#include "shell/shell.h"
#include "util/xalloc.h"
#include "wlr-foreign-toplevel-management-unstable-v1-protocol.h"
#include <stdlib.h>

struct taskbars {
	struct shell *shell;
	struct wl_list bars; /* bar.link */
	struct wl_listener new_window, output_bound, destroy;
};

/** A client's manager. */
struct bar {
	struct wl_list link;
	struct wl_resource *resource;
	struct wl_list entries; /* entry.link */
};

/** A window's handle of one client. */
struct entry {
	struct wl_list link; /* empty once the manager is gone */
	struct bar *bar; /* NULL once it is gone */
	struct wl_resource *resource;
	struct window *window; /* NULL once it is closed */
	struct scene_output *output; /* from the latest output_enter; NULL: none */
	int output_index; /* of `output`, which may be gone */
	uint32_t sent; /* states sent last: 1 << enum zwlr_foreign_toplevel_handle_v1_state */
	struct wl_listener title, app_id, states, applied, parent, unmap;
};

/* Events */

static void send_enter(struct wl_resource *output, void *data)
{
	zwlr_foreign_toplevel_handle_v1_send_output_enter(data, output);
}

static void send_leave(struct wl_resource *output, void *data)
{
	zwlr_foreign_toplevel_handle_v1_send_output_leave(data, output);
}

/* Sends a change of the window's output, also while it is hidden. Returns true if it changed. */
static bool update_output(struct entry *entry)
{
	struct scene_output *now = window_output(entry->window);
	if (now == entry->output) {
		return false;
	}
	struct wl_client *client = wl_resource_get_client(entry->resource);
	const struct scene *scene = entry->window->shell->scene;
	/* For an output that is gone, the removal of its wl_output suffices. */
	if (entry->output && scene->outputs[entry->output_index] == entry->output) {
		output_for_each_resource(entry->output, client, send_leave, entry->resource);
	}
	entry->output = now;
	if (now) {
		entry->output_index = now->index;
		output_for_each_resource(now, client, send_enter, entry->resource);
	}
	return true;
}

static uint32_t states_of(const struct entry *entry)
{
	const struct window *window = entry->window;
	bool knows_fullscreen = wl_resource_get_version(entry->resource) >=
				ZWLR_FOREIGN_TOPLEVEL_HANDLE_V1_STATE_FULLSCREEN_SINCE_VERSION;
	uint32_t states = 0;
	if (window->states & WINDOW_MAXIMIZED) {
		states |= 1u << ZWLR_FOREIGN_TOPLEVEL_HANDLE_V1_STATE_MAXIMIZED;
	}
	if (window->minimized) {
		states |= 1u << ZWLR_FOREIGN_TOPLEVEL_HANDLE_V1_STATE_MINIMIZED;
	}
	if (window->states & WINDOW_ACTIVATED) {
		states |= 1u << ZWLR_FOREIGN_TOPLEVEL_HANDLE_V1_STATE_ACTIVATED;
	}
	if (knows_fullscreen && (window->states & WINDOW_FULLSCREEN)) {
		states |= 1u << ZWLR_FOREIGN_TOPLEVEL_HANDLE_V1_STATE_FULLSCREEN;
	}
	return states;
}

static void send_states(struct entry *entry)
{
	uint32_t list[4];
	size_t n = 0;
	entry->sent = states_of(entry);
	for (uint32_t state = 0; state < 4; state++) {
		if (entry->sent & (1u << state)) {
			list[n++] = state;
		}
	}
	struct wl_array array = {.size = n * sizeof(list[0]), .data = list};
	zwlr_foreign_toplevel_handle_v1_send_state(entry->resource, &array);
}

static void handle_unmap(struct wl_listener *listener, void *data);

/*
 * Returns the window's handle of the manager, or NULL. Searches the window's listeners, which are
 * as many as managers: a manager may have thousands of handles.
 */
static struct entry *find_entry(const struct bar *bar, const struct window *window)
{
	struct wl_listener *listener;
	wl_list_for_each (listener, &window->events.unmap.listener_list, link) {
		if (listener->notify == handle_unmap) {
			struct entry *entry = wl_container_of(listener, entry, unmap);
			if (entry->bar == bar) {
				return entry;
			}
		}
	}
	return NULL;
}

static bool send_parent(struct entry *entry)
{
	const struct window *parent = entry->window->parent;
	if (!entry->bar || wl_resource_get_version(entry->resource) <
				   ZWLR_FOREIGN_TOPLEVEL_HANDLE_V1_PARENT_SINCE_VERSION) {
		return false;
	}
	const struct entry *other = parent ? find_entry(entry->bar, parent) : NULL;
	zwlr_foreign_toplevel_handle_v1_send_parent(
		entry->resource, other ? other->resource : NULL);
	return true;
}

static void send_done(const struct entry *entry)
{
	zwlr_foreign_toplevel_handle_v1_send_done(entry->resource);
}

static void handle_title(struct wl_listener *listener, void *data)
{
	struct entry *entry = wl_container_of(listener, entry, title);
	zwlr_foreign_toplevel_handle_v1_send_title(entry->resource, entry->window->title);
	send_done(entry);
}

static void handle_app_id(struct wl_listener *listener, void *data)
{
	struct entry *entry = wl_container_of(listener, entry, app_id);
	zwlr_foreign_toplevel_handle_v1_send_app_id(entry->resource, entry->window->app_id);
	send_done(entry);
}

static void handle_states(struct wl_listener *listener, void *data)
{
	struct entry *entry = wl_container_of(listener, entry, states);
	bool news = update_output(entry);
	if (states_of(entry) != entry->sent) {
		send_states(entry);
		news = true;
	}
	if (news) {
		send_done(entry);
	}
}

static void handle_applied(struct wl_listener *listener, void *data)
{
	struct entry *entry = wl_container_of(listener, entry, applied);
	if (update_output(entry)) {
		send_done(entry);
	}
}

static void handle_parent(struct wl_listener *listener, void *data)
{
	struct entry *entry = wl_container_of(listener, entry, parent);
	if (send_parent(entry)) {
		send_done(entry);
	}
}

static void forget_window(struct entry *entry)
{
	if (entry->window) {
		wl_list_remove(&entry->title.link);
		wl_list_remove(&entry->app_id.link);
		wl_list_remove(&entry->states.link);
		wl_list_remove(&entry->applied.link);
		wl_list_remove(&entry->parent.link);
		wl_list_remove(&entry->unmap.link);
		entry->window = NULL;
	}
}

static void handle_unmap(struct wl_listener *listener, void *data)
{
	struct entry *entry = wl_container_of(listener, entry, unmap);
	forget_window(entry);
	zwlr_foreign_toplevel_handle_v1_send_closed(entry->resource);
}

/* Requests */

/* Returns NULL once the window is closed. */
static struct window *window_of(struct wl_resource *resource)
{
	const struct entry *entry = wl_resource_get_user_data(resource);
	return entry->window;
}

/* Restores a minimized window for use: where it was, and with the keyboard focus. */
static void bring_back(struct window *window)
{
	if (window->minimized) {
		window_focus(window);
	}
}

/* Maximizing also restores the window. */
static void handle_set_maximized(struct wl_client *client, struct wl_resource *resource)
{
	if (window_of(resource)) {
		window_request_maximize(window_of(resource), true);
		bring_back(window_of(resource));
	}
}

static void handle_unset_maximized(struct wl_client *client, struct wl_resource *resource)
{
	if (window_of(resource)) {
		window_request_maximize(window_of(resource), false);
	}
}

static void handle_set_minimized(struct wl_client *client, struct wl_resource *resource)
{
	if (window_of(resource)) {
		window_set_minimized(window_of(resource), true);
	}
}

static void handle_unset_minimized(struct wl_client *client, struct wl_resource *resource)
{
	if (window_of(resource)) {
		bring_back(window_of(resource));
	}
}

static void handle_activate(
	struct wl_client *client, struct wl_resource *resource, struct wl_resource *seat)
{
	if (window_of(resource) && seat_from_resource(seat)) {
		window_focus(window_of(resource));
	}
}

static void handle_close(struct wl_client *client, struct wl_resource *resource)
{
	if (window_of(resource)) {
		window_close(window_of(resource));
	}
}

/* Ignored: minimizing is not animated. */
static void handle_set_rectangle(struct wl_client *client, struct wl_resource *resource,
	struct wl_resource *surface, int32_t x, int32_t y, int32_t width, int32_t height)
{
	if (width < 0 || height < 0) {
		wl_resource_post_error(resource,
			ZWLR_FOREIGN_TOPLEVEL_HANDLE_V1_ERROR_INVALID_RECTANGLE,
			"invalid rectangle size %dx%d", width, height);
	}
}

static void handle_set_fullscreen(
	struct wl_client *client, struct wl_resource *resource, struct wl_resource *output)
{
	if (window_of(resource)) {
		window_request_fullscreen(
			window_of(resource), true, output ? output_from_resource(output) : NULL);
		bring_back(window_of(resource));
	}
}

static void handle_unset_fullscreen(struct wl_client *client, struct wl_resource *resource)
{
	if (window_of(resource)) {
		window_request_fullscreen(window_of(resource), false, NULL);
	}
}

static const struct zwlr_foreign_toplevel_handle_v1_interface entry_impl = {
	.set_maximized = handle_set_maximized,
	.unset_maximized = handle_unset_maximized,
	.set_minimized = handle_set_minimized,
	.unset_minimized = handle_unset_minimized,
	.activate = handle_activate,
	.close = handle_close,
	.set_rectangle = handle_set_rectangle,
	.destroy = resource_handle_destroy,
	.set_fullscreen = handle_set_fullscreen,
	.unset_fullscreen = handle_unset_fullscreen,
};

static void handle_entry_destroy(struct wl_resource *resource)
{
	struct entry *entry = wl_resource_get_user_data(resource);
	forget_window(entry);
	wl_list_remove(&entry->link);
	free(entry);
}

static enum wl_iterator_result enter_output(struct wl_resource *resource, void *data)
{
	struct wl_resource *bound = data;
	if (wl_resource_instance_of(
		    resource, &zwlr_foreign_toplevel_handle_v1_interface, &entry_impl)) {
		const struct entry *entry = wl_resource_get_user_data(resource);
		if (entry->window && entry->output == output_from_resource(bound)) {
			send_enter(bound, resource);
			send_done(entry);
		}
	}
	return WL_ITERATOR_CONTINUE;
}

static void handle_output_bound(struct wl_listener *listener, void *data)
{
	wl_client_for_each_resource(wl_resource_get_client(data), enter_output, data);
}

static void listen(struct entry *entry)
{
	struct window *window = entry->window;
	signal_add(&window->events.title, &entry->title, handle_title);
	signal_add(&window->events.app_id, &entry->app_id, handle_app_id);
	signal_add(&window->events.states, &entry->states, handle_states);
	signal_add(&window->events.applied, &entry->applied, handle_applied);
	signal_add(&window->events.parent, &entry->parent, handle_parent);
	signal_add(&window->events.unmap, &entry->unmap, handle_unmap);
}

/* Returns NULL when out of memory, after posting no_memory. The parent is sent later. */
static struct entry *add_window(struct bar *bar, struct window *window)
{
	struct entry *entry = xcalloc(1, sizeof(*entry));
	struct wl_resource *resource =
		resource_create_child(bar->resource, &zwlr_foreign_toplevel_handle_v1_interface, 0,
			&entry_impl, entry, handle_entry_destroy);
	if (!resource) {
		return NULL;
	}
	entry->bar = bar;
	entry->resource = resource;
	entry->window = window;
	wl_list_insert(&bar->entries, &entry->link);
	listen(entry);
	zwlr_foreign_toplevel_manager_v1_send_toplevel(bar->resource, resource);
	if (window->title) {
		zwlr_foreign_toplevel_handle_v1_send_title(resource, window->title);
	}
	if (window->app_id) {
		zwlr_foreign_toplevel_handle_v1_send_app_id(resource, window->app_id);
	}
	update_output(entry);
	send_states(entry);
	return entry;
}

/* The manager */

/* Sends the parent to handles of child windows that were announced before their parent. */
static void send_parent_to_children(struct bar *bar, const struct window *window)
{
	const struct window *child;
	wl_list_for_each (child, &window->children, sibling_link) {
		struct entry *entry = find_entry(bar, child);
		if (entry && send_parent(entry)) {
			send_done(entry);
		}
	}
}

static void handle_new_window(struct wl_listener *listener, void *data)
{
	struct taskbars *self = wl_container_of(listener, self, new_window);
	struct bar *bar;
	wl_list_for_each (bar, &self->bars, link) {
		struct entry *entry = add_window(bar, data);
		if (entry) {
			send_parent(entry);
			send_done(entry);
		}
		send_parent_to_children(bar, data);
	}
}

static void handle_stop(struct wl_client *client, struct wl_resource *resource)
{
	zwlr_foreign_toplevel_manager_v1_send_finished(resource);
	wl_resource_destroy(resource);
}

static const struct zwlr_foreign_toplevel_manager_v1_interface impl = {
	.stop = handle_stop,
};

static void handle_bar_destroy(struct wl_resource *resource)
{
	struct bar *bar = wl_resource_get_user_data(resource);
	struct entry *entry, *next;
	wl_list_for_each_safe (entry, next, &bar->entries, link) {
		entry->bar = NULL;
		wl_list_remove(&entry->link);
		wl_list_init(&entry->link);
	}
	wl_list_remove(&bar->link);
	free(bar);
}

static void bind(struct wl_resource *resource, void *data)
{
	struct taskbars *self = data;
	struct bar *bar = xcalloc(1, sizeof(*bar));
	bar->resource = resource;
	client_charge_receiver(resource);
	client_expect_windows(wl_resource_get_client(resource), self->shell);
	wl_list_init(&bar->entries);
	wl_list_insert(&self->bars, &bar->link);
	wl_resource_set_implementation(resource, &impl, bar, handle_bar_destroy);
	struct window *window;
	wl_list_for_each_reverse (window, &self->shell->windows, link) {
		add_window(bar, window);
	}
	/* Parents are sent once all windows are announced. */
	struct entry *entry;
	wl_list_for_each_reverse (entry, &bar->entries, link) {
		if (entry->window->parent) {
			send_parent(entry);
		}
		send_done(entry);
	}
}

static void handle_protocols_destroy(struct wl_listener *listener, void *data)
{
	struct taskbars *self = wl_container_of(listener, self, destroy);
	wl_list_remove(&self->new_window.link);
	wl_list_remove(&self->output_bound.link);
	wl_list_remove(&self->destroy.link);
	free(self);
}

void wlr_foreign_toplevel_create(struct protocols *protocols)
{
	struct taskbars *self = xcalloc(1, sizeof(*self));
	self->shell = protocols->server->shell;
	wl_list_init(&self->bars);
	signal_add(&self->shell->events.new_window, &self->new_window, handle_new_window);
	signal_add(&protocols->events.output_bound, &self->output_bound, handle_output_bound);
	signal_add(&protocols->events.destroy, &self->destroy, handle_protocols_destroy);
	protocols_add_custom_global(protocols, &zwlr_foreign_toplevel_manager_v1_interface, 3, bind,
		self, GLOBAL_PRIVILEGED);
}
