/* SPDX-License-Identifier: MIT */
/* ext_session_lock_surface_v1: surfaces of a lock client on the outputs. */

#include "ext-session-lock-v1-protocol.h"
#include "scene/output.h"
#include "scene/scene.h"
#include "session_lock.h"
#include "shell/shell.h"
#include "util/xalloc.h"
#include <stdlib.h>

#define CONFIGURES_MAX 256

struct sent {
	uint32_t serial;
	int32_t width, height; /* logical */
};

struct lock_surface {
	struct wl_list link; /* session_lock_manager.surfaces; removed with `surface` */
	struct wl_resource *resource;
	struct protocols *protocols;
	struct session_lock *lock; /* NULL: hidden */
	struct surface *surface; /* NULL: destroyed */
	struct scene_output *output; /* NULL: gone */
	struct scene_tree *tree, *surface_tree;
	struct sent sent[CONFIGURES_MAX]; /* not acknowledged, oldest first */
	int n_sent;
	struct sent acked;
	bool is_acked; /* a configure was acknowledged */
	int32_t width, height; /* of the latest configure */
};

static struct shell *shell_of(const struct lock_surface *self)
{
	return self->protocols->server->shell;
}

static void send_size(struct lock_surface *self, const struct box *box)
{
	if (self->n_sent == CONFIGURES_MAX) {
		return; /* the client acknowledges none: the size is sent when it does */
	}
	self->width = box->width;
	self->height = box->height;
	struct sent sent = {
		wl_display_next_serial(self->protocols->display), box->width, box->height};
	self->sent[self->n_sent++] = sent;
	ext_session_lock_surface_v1_send_configure(
		self->resource, sent.serial, (uint32_t)box->width, (uint32_t)box->height);
}

static void configure(struct lock_surface *self)
{
	struct box box = scene_output_box(self->output);
	scene_node_set_position(&self->tree->node, box.x, box.y);
	if (box.width != self->width || box.height != self->height) {
		send_size(self, &box);
	}
}

static bool is_shown(const struct lock_surface *self)
{
	return self->lock && self->lock->manager->holder == self->lock && self->output &&
	       self->surface && self->surface->mapped;
}

/* Keeps the keyboard on a visible lock surface: the oldest one if none has it. */
static void update_focus(struct protocols *protocols, struct wl_list *surfaces)
{
	struct shell *shell = protocols->server->shell;
	struct surface *first = NULL;
	const struct lock_surface *self;
	wl_list_for_each (self, surfaces, link) {
		if (is_shown(self)) {
			if (self->surface == shell->lock_focus) {
				return;
			}
			first = first ? first : self->surface;
		}
	}
	if (shell->lock_focus != first) {
		shell_set_lock_focus(shell, first);
	}
}

/* Hides the surface and takes the keyboard from it. */
static void hide(struct lock_surface *self)
{
	if (self->surface && shell_of(self)->lock_focus == self->surface) {
		shell_set_lock_focus(shell_of(self), NULL);
	}
	if (self->tree) {
		scene_node_set_enabled(&self->tree->node, false);
	}
	if (self->lock) {
		struct session_lock_manager *manager = self->lock->manager;
		self->lock = NULL;
		update_focus(manager->protocols, &manager->surfaces);
	}
}

static void forget_surface(struct lock_surface *self)
{
	struct surface *surface = self->surface;
	if (!surface) {
		return;
	}
	hide(self);
	self->surface = NULL;
	wl_list_remove(&self->link);
	wl_list_init(&self->link);
	surface_unmap(surface);
	scene_node_destroy(&self->tree->node);
	self->tree = NULL;
	surface_clear_role_data(surface);
}

static bool handle_commit(struct surface *surface)
{
	struct lock_surface *self = surface->role_data;
	const struct surface_state *pending = &surface->pending;
	if (!self->is_acked) {
		wl_resource_post_error(self->resource,
			EXT_SESSION_LOCK_SURFACE_V1_ERROR_COMMIT_BEFORE_FIRST_ACK,
			"commit before the first configure was acknowledged");
		return false;
	}
	if (!pending->has_content) {
		wl_resource_post_error(self->resource,
			EXT_SESSION_LOCK_SURFACE_V1_ERROR_NULL_BUFFER, "commit without a buffer");
		return false;
	}
	if (pending->width != self->acked.width || pending->height != self->acked.height) {
		wl_resource_post_error(self->resource,
			EXT_SESSION_LOCK_SURFACE_V1_ERROR_DIMENSIONS_MISMATCH,
			"the surface size %dx%d differs from the acknowledged size %dx%d",
			pending->width, pending->height, self->acked.width, self->acked.height);
		return false;
	}
	return true;
}

static void handle_applied(struct surface *surface)
{
	struct lock_surface *self = surface->role_data;
	if (!surface->mapped && surface_has_content(surface)) {
		surface_map(surface);
		if (self->lock) {
			update_focus(self->protocols, &self->lock->manager->surfaces);
		}
	}
}

static void handle_surface_destroy(struct surface *surface)
{
	forget_surface(surface->role_data);
}

static const struct surface_role role = {
	.name = "ext_session_lock_surface_v1",
	.commit = handle_commit,
	.applied = handle_applied,
	.destroy = handle_surface_destroy,
};

static void handle_ack_configure(
	struct wl_client *client, struct wl_resource *resource, uint32_t serial)
{
	struct lock_surface *self = wl_resource_get_user_data(resource);
	for (int i = 0; i < self->n_sent; i++) {
		if (self->sent[i].serial != serial) {
			continue;
		}
		self->acked = self->sent[i];
		self->is_acked = true;
		int n = 0;
		for (int j = i + 1; j < self->n_sent; j++) {
			self->sent[n++] = self->sent[j];
		}
		self->n_sent = n;
		if (self->surface && self->output) {
			configure(self);
		}
		return;
	}
	wl_resource_post_error(resource, EXT_SESSION_LOCK_SURFACE_V1_ERROR_INVALID_SERIAL,
		"%u is not the serial of a pending configure", serial);
}

static const struct ext_session_lock_surface_v1_interface implementation = {
	.destroy = resource_handle_destroy,
	.ack_configure = handle_ack_configure,
};

static void handle_resource_destroy(struct wl_resource *resource)
{
	struct lock_surface *self = wl_resource_get_user_data(resource);
	forget_surface(self);
	free(self);
}

static bool is_taken(const struct session_lock *lock, const struct scene_output *output)
{
	const struct lock_surface *other;
	wl_list_for_each (other, &lock->manager->surfaces, link) {
		if (other->lock == lock && other->output == output) {
			return true;
		}
	}
	return false;
}

static bool check(const struct session_lock *lock, const struct surface *surface,
	const struct scene_output *output)
{
	if (surface->role && (surface->role != &role || surface->role_data)) {
		wl_resource_post_error(lock->resource, EXT_SESSION_LOCK_V1_ERROR_ROLE,
			"the surface already has a role");
		return false;
	}
	if (surface_has_buffer(surface)) {
		wl_resource_post_error(lock->resource,
			EXT_SESSION_LOCK_V1_ERROR_ALREADY_CONSTRUCTED,
			"the surface already has a buffer attached");
		return false;
	}
	if (output && is_taken(lock, output)) {
		wl_resource_post_error(lock->resource, EXT_SESSION_LOCK_V1_ERROR_DUPLICATE_OUTPUT,
			"output %s already has a lock surface", output->output->name);
		return false;
	}
	return true;
}

void lock_surface_create(struct session_lock *lock, uint32_t id,
	struct wl_resource *surface_resource, struct wl_resource *output_resource)
{
	struct surface *surface = surface_from_resource(surface_resource);
	struct scene_output *output = output_from_resource(output_resource);
	if (!check(lock, surface, output)) {
		return;
	}
	struct lock_surface *self = xcalloc(1, sizeof(*self));
	struct wl_resource *resource =
		resource_create_child(lock->resource, &ext_session_lock_surface_v1_interface, id,
			&implementation, self, handle_resource_destroy);
	if (!resource) {
		return;
	}
	self->resource = resource;
	self->protocols = lock->manager->protocols;
	self->lock = lock;
	self->surface = surface;
	self->output = output;
	surface_set_role(surface, &role, self);
	wl_list_insert(lock->manager->surfaces.prev, &self->link);
	self->tree = scene_tree_create(shell_of(self)->layers[SHELL_LOCK]);
	self->surface_tree = scene_surface_tree_create(self->tree, surface);
	bool shows = output && lock->manager->holder == lock;
	scene_node_set_enabled(&self->tree->node, shows);
	if (output) {
		configure(self);
	}
}

void lock_surfaces_orphan(struct session_lock *lock)
{
	struct lock_surface *self;
	wl_list_for_each (self, &lock->manager->surfaces, link) {
		if (self->lock == lock) {
			hide(self);
		}
	}
}

void lock_surfaces_forget_output(
	struct session_lock_manager *manager, const struct scene_output *output)
{
	struct lock_surface *self;
	wl_list_for_each (self, &manager->surfaces, link) {
		if (self->output == output) {
			self->output = NULL;
			hide(self);
		}
	}
}

void lock_surfaces_arrange(struct session_lock_manager *manager)
{
	struct lock_surface *self;
	wl_list_for_each (self, &manager->surfaces, link) {
		if (self->output) {
			configure(self);
		}
	}
}

/* Until clients redraw, black is shown instead. */
void lock_surfaces_redraw(struct session_lock_manager *manager)
{
	struct lock_surface *self;
	wl_list_for_each (self, &manager->surfaces, link) {
		if (is_shown(self) && shell_lacks_pixels(self->surface_tree)) {
			struct box box = scene_output_box(self->output);
			send_size(self, &box);
		}
	}
}

void lock_surfaces_press(struct session_lock_manager *manager, struct surface *surface)
{
	struct surface *root = surface ? surface_root(surface) : NULL;
	const struct lock_surface *self;
	wl_list_for_each (self, &manager->surfaces, link) {
		if (root && self->surface == root && is_shown(self)) {
			shell_set_lock_focus(shell_of(self), root);
		}
	}
}
