/* SPDX-License-Identifier: MIT */
/*
 * ext_workspace_manager_v1: bars that show workspaces and switch them. Each output is a group.
 * Changes are sent once per turn of the event loop.
 */

#include "ext-workspace-v1-protocol.h"
#include "protocol/protocol.h"
#include "shell/shell.h"
#include "util/event_source.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

struct ext_workspaces {
	struct protocols *protocols;
	struct shell *shell;
	struct wl_list managers; /* manager.link */
	struct wl_event_source *idle; /* sends changes; NULL: none are due */
	struct wl_listener workspaces, output_added, output_removed, output_bound, destroy;
};

/** A client's manager. */
struct manager {
	struct wl_list link;
	struct ext_workspaces *self;
	struct wl_resource *resource;
	struct wl_list groups; /* group.link */
	struct wl_list handles; /* handle.link */
	/** Requests until the next commit. */
	char *created[WORKSPACES_MAX]; /* names */
	struct group *created_on[WORKSPACES_MAX]; /* NULL: destroyed since */
	int n_created;
	uint64_t n_activated;
};

/** An output as seen by one client. */
struct group {
	struct wl_list link; /* manager.groups */
	struct manager *manager;
	struct wl_resource *resource; /* NULL once the client destroyed it */
	struct scene_output *output; /* NULL once it is gone */
};

/** A workspace as seen by one client. */
struct handle {
	struct wl_list link; /* manager.handles */
	struct manager *manager;
	struct wl_resource *resource; /* NULL once the client destroyed it */
	struct workspace *workspace; /* NULL once it is gone */
	struct group *group; /* from the latest workspace_enter; NULL: none */
	uint32_t sent; /* states sent last */
	uint64_t activated; /* order of its activate request since the last commit; 0: none */
	struct group *assigned; /* by a request since the last commit; NULL: none */
	struct wl_listener destroy; /* of the workspace */
};

static void schedule(struct ext_workspaces *self);

/* Groups */

static void free_group(struct group *group)
{
	struct manager *manager = group->manager;
	struct handle *handle;
	wl_list_for_each (handle, &manager->handles, link) {
		handle->group = handle->group == group ? NULL : handle->group;
		handle->assigned = handle->assigned == group ? NULL : handle->assigned;
	}
	for (int i = 0; i < manager->n_created; i++) {
		if (manager->created_on[i] == group) {
			manager->created_on[i] = NULL;
		}
	}
	wl_list_remove(&group->link);
	free(group);
}

static void handle_group_create(
	struct wl_client *client, struct wl_resource *resource, const char *name)
{
	struct group *group = wl_resource_get_user_data(resource);
	struct manager *manager = group ? group->manager : NULL; /* NULL: the output is gone */
	if (manager && manager->n_created < WORKSPACES_MAX && strlen(name) <= WORKSPACE_NAME_MAX) {
		manager->created_on[manager->n_created] = group;
		manager->created[manager->n_created++] = xstrdup(name);
	}
}

static const struct ext_workspace_group_handle_v1_interface group_impl = {
	.create_workspace = handle_group_create,
	.destroy = resource_handle_destroy,
};

/* The group stays in the list, so that it is not sent again. */
static void handle_group_destroy(struct wl_resource *resource)
{
	struct group *group = wl_resource_get_user_data(resource);
	if (group) {
		group->resource = NULL;
	}
}

static void send_enter(struct wl_resource *output, void *data)
{
	ext_workspace_group_handle_v1_send_output_enter(data, output);
}

static bool add_group(struct manager *manager, struct scene_output *output)
{
	struct wl_client *client = wl_resource_get_client(manager->resource);
	struct group *group = xcalloc(1, sizeof(*group));
	struct wl_resource *resource =
		resource_create_child(manager->resource, &ext_workspace_group_handle_v1_interface,
			0, &group_impl, group, handle_group_destroy);
	if (!resource) {
		return false;
	}
	group->manager = manager;
	group->resource = resource;
	group->output = output;
	wl_list_insert(manager->groups.prev, &group->link);
	ext_workspace_manager_v1_send_workspace_group(manager->resource, resource);
	ext_workspace_group_handle_v1_send_capabilities(
		resource, EXT_WORKSPACE_GROUP_HANDLE_V1_GROUP_CAPABILITIES_CREATE_WORKSPACE);
	output_for_each_resource(output, client, send_enter, resource);
	return true;
}

static enum wl_iterator_result enter_group(struct wl_resource *resource, void *data)
{
	struct wl_resource *bound = data;
	if (wl_resource_instance_of(
		    resource, &ext_workspace_group_handle_v1_interface, &group_impl)) {
		const struct group *group = wl_resource_get_user_data(resource);
		if (group && group->output == output_from_resource(bound)) {
			send_enter(bound, resource);
			ext_workspace_manager_v1_send_done(group->manager->resource);
		}
	}
	return WL_ITERATOR_CONTINUE;
}

/* A client binds a new output after its group was announced. */
static void handle_output_bound(struct wl_listener *listener, void *data)
{
	wl_client_for_each_resource(wl_resource_get_client(data), enter_group, data);
}

static struct group *find_group(const struct manager *manager, const struct scene_output *output)
{
	struct group *group;
	wl_list_for_each (group, &manager->groups, link) {
		if (output && group->output == output) {
			return group;
		}
	}
	return NULL;
}

/* Workspaces */

static void handle_activate(struct wl_client *client, struct wl_resource *resource)
{
	struct handle *handle = wl_resource_get_user_data(resource);
	if (handle) {
		handle->activated = ++handle->manager->n_activated;
	}
}

static void handle_unsupported(struct wl_client *client, struct wl_resource *resource)
{
}

static void handle_assign(
	struct wl_client *client, struct wl_resource *resource, struct wl_resource *to)
{
	struct handle *handle = wl_resource_get_user_data(resource);
	struct group *group = wl_resource_get_user_data(to);
	if (handle && group && handle->manager == group->manager) {
		handle->assigned = group;
	}
}

static const struct ext_workspace_handle_v1_interface workspace_impl = {
	.destroy = resource_handle_destroy,
	.activate = handle_activate,
	.deactivate = handle_unsupported,
	.assign = handle_assign,
	.remove = handle_unsupported,
};

static void free_handle(struct handle *handle)
{
	wl_list_remove(&handle->destroy.link);
	wl_list_remove(&handle->link);
	free(handle);
}

/* The handle stays in the list, so that it is not sent again. */
static void handle_handle_destroy(struct wl_resource *resource)
{
	struct handle *handle = wl_resource_get_user_data(resource);
	if (handle) {
		handle->resource = NULL;
	}
}

static void handle_workspace_destroy(struct wl_listener *listener, void *data)
{
	struct handle *handle = wl_container_of(listener, handle, destroy);
	wl_list_remove(&handle->destroy.link);
	wl_list_init(&handle->destroy.link);
	handle->workspace = NULL;
	schedule(handle->manager->self);
}

static void send_position(struct wl_resource *resource, const struct workspace *workspace)
{
	if (workspace->number > 0) {
		uint32_t position = (uint32_t)workspace->number - 1;
		struct wl_array array = {.size = sizeof(position), .data = &position};
		ext_workspace_handle_v1_send_coordinates(resource, &array);
	}
}

static bool add_handle(struct manager *manager, struct workspace *workspace)
{
	struct handle *handle = xcalloc(1, sizeof(*handle));
	struct wl_resource *resource =
		resource_create_child(manager->resource, &ext_workspace_handle_v1_interface, 0,
			&workspace_impl, handle, handle_handle_destroy);
	if (!resource) {
		return false;
	}
	handle->manager = manager;
	handle->resource = resource;
	handle->workspace = workspace;
	handle->sent = UINT32_MAX;
	signal_add(&workspace->events.destroy, &handle->destroy, handle_workspace_destroy);
	wl_list_insert(manager->handles.prev, &handle->link);
	ext_workspace_manager_v1_send_workspace(manager->resource, resource);
	ext_workspace_handle_v1_send_id(resource, workspace->name);
	ext_workspace_handle_v1_send_name(resource, workspace->name);
	send_position(resource, workspace);
	ext_workspace_handle_v1_send_capabilities(
		resource, EXT_WORKSPACE_HANDLE_V1_WORKSPACE_CAPABILITIES_ACTIVATE |
				  EXT_WORKSPACE_HANDLE_V1_WORKSPACE_CAPABILITIES_ASSIGN);
	return true;
}

static bool knows(const struct manager *manager, const struct workspace *workspace)
{
	const struct handle *handle;
	wl_list_for_each (handle, &manager->handles, link) {
		if (handle->workspace == workspace) {
			return true;
		}
	}
	return false;
}

static uint32_t states_of(const struct workspace *workspace)
{
	return (workspace->shown ? EXT_WORKSPACE_HANDLE_V1_STATE_ACTIVE : 0) |
	       (workspace_is_urgent(workspace) ? EXT_WORKSPACE_HANDLE_V1_STATE_URGENT : 0);
}

static void move_to_group(struct handle *handle, struct group *group)
{
	if (handle->group && handle->group->resource) {
		ext_workspace_group_handle_v1_send_workspace_leave(
			handle->group->resource, handle->resource);
	}
	if (group && group->resource) {
		ext_workspace_group_handle_v1_send_workspace_enter(
			group->resource, handle->resource);
	}
	handle->group = group;
}

/* Sends the changes of a workspace. Returns false if there is none. May free the handle. */
static bool update_handle(struct handle *handle)
{
	const struct workspace *workspace = handle->workspace;
	if (!handle->resource) {
		if (!workspace) {
			free_handle(handle);
		}
		return false;
	}
	struct group *group = workspace ? find_group(handle->manager, workspace->output) : NULL;
	bool moved = group != handle->group;
	if (moved) {
		move_to_group(handle, group);
	}
	if (!workspace) {
		ext_workspace_handle_v1_send_removed(handle->resource);
		wl_resource_set_user_data(handle->resource, NULL);
		free_handle(handle);
		return true;
	}
	uint32_t states = states_of(workspace);
	if (states == handle->sent) {
		return moved;
	}
	handle->sent = states;
	ext_workspace_handle_v1_send_state(handle->resource, states);
	return true;
}

/* Ends the groups of outputs that are gone. Returns true if there was one. */
static bool remove_groups(struct manager *manager)
{
	struct group *group, *next;
	bool any = false;
	wl_list_for_each_safe (group, next, &manager->groups, link) {
		if (group->output) {
			continue;
		}
		if (group->resource) {
			ext_workspace_group_handle_v1_send_removed(group->resource);
			wl_resource_set_user_data(group->resource, NULL);
			any = true;
		}
		free_group(group);
	}
	return any;
}

/* The manager */

static void update(struct manager *manager)
{
	struct shell *shell = manager->self->shell;
	bool any = false;
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		struct scene_output *output = shell->scene->outputs[i];
		if (output && !find_group(manager, output)) {
			any = add_group(manager, output) || any;
		}
	}
	struct workspace *workspace;
	wl_list_for_each (workspace, &shell->workspaces, link) {
		if (!knows(manager, workspace)) {
			any = add_handle(manager, workspace) || any;
		}
	}
	struct handle *handle, *next;
	wl_list_for_each_safe (handle, next, &manager->handles, link) {
		any = update_handle(handle) || any;
	}
	any = remove_groups(manager) || any;
	if (any) {
		ext_workspace_manager_v1_send_done(manager->resource);
	}
}

static void handle_idle(void *data)
{
	struct ext_workspaces *self = data;
	self->idle = NULL;
	struct manager *manager;
	wl_list_for_each (manager, &self->managers, link) {
		update(manager);
	}
}

static void schedule(struct ext_workspaces *self)
{
	if (!self->idle && !wl_list_empty(&self->managers)) {
		self->idle = wl_event_loop_add_idle(
			wl_display_get_event_loop(self->protocols->display), handle_idle, self);
	}
}

/* Returns the handle whose activation was requested first, or NULL. */
static struct handle *first_activated(const struct manager *manager)
{
	struct handle *handle, *first = NULL;
	wl_list_for_each (handle, &manager->handles, link) {
		if (handle->activated && (!first || handle->activated < first->activated)) {
			first = handle;
		}
	}
	return first;
}

static void handle_commit(struct wl_client *client, struct wl_resource *resource)
{
	struct manager *manager = wl_resource_get_user_data(resource);
	struct shell *shell = manager->self->shell;
	struct handle *handle;
	wl_list_for_each (handle, &manager->handles, link) {
		struct group *group = handle->assigned;
		handle->assigned = NULL;
		if (group && group->output && handle->workspace) {
			workspace_move_to_output(handle->workspace, group->output);
		}
	}
	for (int i = 0; i < manager->n_created; i++) {
		struct group *group = manager->created_on[i];
		bool exists = shell_find_workspace(shell, manager->created[i]);
		if (group && group->output && !exists) {
			struct workspace *created = shell_get_workspace(shell, manager->created[i]);
			if (created) {
				workspace_move_to_output(created, group->output);
				shell_show_workspace(shell, created);
			}
		}
		free(manager->created[i]);
	}
	manager->n_created = 0;
	while ((handle = first_activated(manager))) {
		handle->activated = 0;
		if (handle->workspace) {
			shell_show_workspace(shell, handle->workspace);
		}
	}
	manager->n_activated = 0;
}

static void handle_stop(struct wl_client *client, struct wl_resource *resource)
{
	ext_workspace_manager_v1_send_finished(resource);
	wl_resource_destroy(resource);
}

static const struct ext_workspace_manager_v1_interface impl = {
	.commit = handle_commit,
	.stop = handle_stop,
};

/* Frees all groups and handles; the client's objects become inert. */
static void leave_objects(struct manager *manager)
{
	struct handle *handle, *next_handle;
	wl_list_for_each_safe (handle, next_handle, &manager->handles, link) {
		if (handle->resource) {
			wl_resource_set_user_data(handle->resource, NULL);
		}
		free_handle(handle);
	}
	struct group *group, *next_group;
	wl_list_for_each_safe (group, next_group, &manager->groups, link) {
		if (group->resource) {
			wl_resource_set_user_data(group->resource, NULL);
		}
		free_group(group);
	}
}

static void handle_manager_destroy(struct wl_resource *resource)
{
	struct manager *manager = wl_resource_get_user_data(resource);
	leave_objects(manager);
	for (int i = 0; i < manager->n_created; i++) {
		free(manager->created[i]);
	}
	wl_list_remove(&manager->link);
	free(manager);
}

static void bind(struct wl_resource *resource, void *data)
{
	struct ext_workspaces *self = data;
	struct manager *manager = xcalloc(1, sizeof(*manager));
	manager->self = self;
	manager->resource = resource;
	wl_list_init(&manager->groups);
	wl_list_init(&manager->handles);
	wl_list_insert(&self->managers, &manager->link);
	wl_resource_set_implementation(resource, &impl, manager, handle_manager_destroy);
	client_charge_receiver(resource);
	update(manager);
}

static void handle_workspaces(struct wl_listener *listener, void *data)
{
	struct ext_workspaces *self = wl_container_of(listener, self, workspaces);
	schedule(self);
}

static void handle_output_added(struct wl_listener *listener, void *data)
{
	struct ext_workspaces *self = wl_container_of(listener, self, output_added);
	schedule(self);
}

static void handle_output_removed(struct wl_listener *listener, void *data)
{
	struct ext_workspaces *self = wl_container_of(listener, self, output_removed);
	struct manager *manager;
	wl_list_for_each (manager, &self->managers, link) {
		struct group *group = find_group(manager, data);
		if (group) {
			group->output = NULL;
		}
	}
	schedule(self);
}

static void handle_protocols_destroy(struct wl_listener *listener, void *data)
{
	struct ext_workspaces *self = wl_container_of(listener, self, destroy);
	event_source_remove(&self->idle);
	wl_list_remove(&self->workspaces.link);
	wl_list_remove(&self->output_added.link);
	wl_list_remove(&self->output_removed.link);
	wl_list_remove(&self->output_bound.link);
	wl_list_remove(&self->destroy.link);
	free(self);
}

void ext_workspace_create(struct protocols *protocols)
{
	struct ext_workspaces *self = xcalloc(1, sizeof(*self));
	self->protocols = protocols;
	self->shell = protocols->server->shell;
	wl_list_init(&self->managers);
	signal_add(&self->shell->events.workspaces, &self->workspaces, handle_workspaces);
	signal_add(
		&self->shell->scene->events.output_added, &self->output_added, handle_output_added);
	signal_add(&self->shell->scene->events.output_removed, &self->output_removed,
		handle_output_removed);
	signal_add(&protocols->events.output_bound, &self->output_bound, handle_output_bound);
	signal_add(&protocols->events.destroy, &self->destroy, handle_protocols_destroy);
	protocols_add_custom_global(
		protocols, &ext_workspace_manager_v1_interface, 1, bind, self, GLOBAL_PRIVILEGED);
}
