/* SPDX-License-Identifier: MIT */
/*
 * zwlr_layer_shell_v1: surfaces that belong to the desktop, such as panels, wallpapers and
 * launchers.
 */

#include "protocol/xdg/xdg.h"
#include "shell/shell.h"
#include "surface/surface.h"
#include "util/xalloc.h"
#include "wlr-layer-shell-unstable-v1-protocol.h"
#include <stdlib.h>

#define CONFIGURES_MAX 256

enum layer_field {
	FIELD_SIZE = 1 << 0,
	FIELD_ANCHOR = 1 << 1,
	FIELD_ZONE = 1 << 2,
	FIELD_MARGIN = 1 << 3,
	FIELD_KEYBOARD = 1 << 4,
	FIELD_LAYER = 1 << 5,
	FIELD_EDGE = 1 << 6,
};

/** State that is part of content updates. */
struct layer_state {
	uint32_t fields;
	int32_t width, height;
	uint32_t anchor, edge, keyboard, layer;
	int32_t zone;
	int32_t top, right, bottom, left;
	int drawn; /* epoch in which content was last committed; 0: never */
};

struct sent {
	struct wl_list link;
	uint32_t serial;
	int epoch;
};

struct layer_surface {
	struct wl_resource *resource;
	struct protocols *protocols;
	struct surface *surface; /* NULL once destroyed or closed by the compositor */
	struct layer *layer; /* NULL together with `surface` */
	struct surface_extension extension;
	struct wl_list configures; /* sent.link, oldest first */
	bool held; /* a configure waits until the client acknowledges earlier ones */
	int32_t held_width, held_height;
	int epoch; /* number of times it was unmapped, plus 1 */
	bool configured; /* a configure of this epoch was acknowledged */
};

static struct layer_surface *from_resource(struct wl_resource *resource)
{
	return wl_resource_get_user_data(resource);
}

static void merge_state(void *to_data, void *from_data)
{
	struct layer_state *to = to_data, *from = from_data;
	if (from->fields & FIELD_SIZE) {
		to->width = from->width;
		to->height = from->height;
	}
	if (from->fields & FIELD_ANCHOR) {
		to->anchor = from->anchor;
	}
	if (from->fields & FIELD_ZONE) {
		to->zone = from->zone;
	}
	if (from->fields & FIELD_MARGIN) {
		to->top = from->top;
		to->right = from->right;
		to->bottom = from->bottom;
		to->left = from->left;
	}
	if (from->fields & FIELD_KEYBOARD) {
		to->keyboard = from->keyboard;
	}
	if (from->fields & FIELD_LAYER) {
		to->layer = from->layer;
	}
	if (from->fields & FIELD_EDGE) {
		to->edge = from->edge;
	}
	to->drawn = from->drawn; /* always the latest */
	to->fields |= from->fields;
	from->fields = 0;
}

static const struct surface_extension_impl extension_impl = {
	.state_size = sizeof(struct layer_state),
	.merge = merge_state,
};

/* Returns NULL for an inert object. */
static struct layer_state *pending_state(struct wl_resource *resource)
{
	struct layer_surface *self = from_resource(resource);
	return self->surface ? surface_extension_pending(&self->extension) : NULL;
}

static enum shell_layer shell_layer(uint32_t layer)
{
	switch (layer) {
	case ZWLR_LAYER_SHELL_V1_LAYER_BACKGROUND: return SHELL_BACKGROUND;
	case ZWLR_LAYER_SHELL_V1_LAYER_BOTTOM: return SHELL_BOTTOM;
	case ZWLR_LAYER_SHELL_V1_LAYER_TOP: return SHELL_TOP;
	default: return SHELL_OVERLAY;
	}
}

/* Events from the shell to the client */

static void configure(struct layer *layer, int32_t width, int32_t height)
{
	struct layer_surface *self = layer->data;
	if (wl_list_length(&self->configures) >= CONFIGURES_MAX) {
		self->held = true;
		self->held_width = width;
		self->held_height = height;
		return;
	}
	struct sent *sent = xcalloc(1, sizeof(*sent));
	sent->serial = wl_display_next_serial(self->protocols->display);
	sent->epoch = self->epoch;
	wl_list_insert(self->configures.prev, &sent->link);
	zwlr_layer_surface_v1_send_configure(
		self->resource, sent->serial, (uint32_t)width, (uint32_t)height);
}

/* Detaches the layer surface from its wl_surface, which keeps the role. */
static void forget_surface(struct layer_surface *self)
{
	if (!self->surface) {
		return;
	}
	popups_orphan(&self->layer->popups);
	surface_unmap(self->surface);
	layer_destroy(self->layer);
	struct sent *sent, *next;
	wl_list_for_each_safe (sent, next, &self->configures, link) {
		wl_list_remove(&sent->link);
		free(sent);
	}
	surface_extension_finish(&self->extension);
	surface_clear_role_data(self->surface);
	self->layer = NULL;
	self->surface = NULL;
}

static void closed(struct layer *layer)
{
	struct layer_surface *self = layer->data;
	zwlr_layer_surface_v1_send_closed(self->resource);
	forget_surface(self);
}

static void dismiss_popups(struct layer *layer)
{
	popups_dismiss(&layer->popups);
}

static void placed(struct layer *layer)
{
	popups_react(&layer->popups);
}

static const struct layer_impl layer_impl = {
	.configure = configure,
	.closed = closed,
	.dismiss_popups = dismiss_popups,
	.placed = placed,
};

/* Surface callbacks */

static bool is_edge(uint32_t edge)
{
	return edge == ZWLR_LAYER_SURFACE_V1_ANCHOR_TOP ||
	       edge == ZWLR_LAYER_SURFACE_V1_ANCHOR_BOTTOM ||
	       edge == ZWLR_LAYER_SURFACE_V1_ANCHOR_LEFT ||
	       edge == ZWLR_LAYER_SURFACE_V1_ANCHOR_RIGHT;
}

static bool stretches(uint32_t anchor, uint32_t both)
{
	return (anchor & both) == both;
}

static bool handle_commit(struct surface *surface)
{
	struct layer_surface *self = surface->role_data;
	struct layer_state *state = surface_extension_pending(&self->extension);
	const uint32_t across =
		ZWLR_LAYER_SURFACE_V1_ANCHOR_LEFT | ZWLR_LAYER_SURFACE_V1_ANCHOR_RIGHT;
	const uint32_t down =
		ZWLR_LAYER_SURFACE_V1_ANCHOR_TOP | ZWLR_LAYER_SURFACE_V1_ANCHOR_BOTTOM;
	if ((state->width == 0 && !stretches(state->anchor, across)) ||
		(state->height == 0 && !stretches(state->anchor, down))) {
		wl_resource_post_error(self->resource, ZWLR_LAYER_SURFACE_V1_ERROR_INVALID_SIZE,
			"a width or height of zero requires anchors on both opposite edges");
		return false;
	}
	if (state->edge & ~state->anchor) {
		wl_resource_post_error(self->resource,
			ZWLR_LAYER_SURFACE_V1_ERROR_INVALID_EXCLUSIVE_EDGE,
			"the exclusive edge must be one of the anchors");
		return false;
	}
	if (surface->pending.buffer && !self->configured &&
		!self->protocols->server->options->unconfigured_buffers) {
		wl_resource_post_error(self->resource,
			ZWLR_LAYER_SURFACE_V1_ERROR_INVALID_SURFACE_STATE,
			"buffer attached before the first configure was acknowledged");
		return false;
	}
	if (surface->pending.buffer) {
		state->drawn = self->epoch;
	}
	return true;
}

static void take_state(struct layer *layer, const struct layer_state *state)
{
	layer->width = state->width;
	layer->height = state->height;
	layer->anchor = state->anchor;
	layer->exclusive_edge = state->edge;
	layer->exclusive_zone = state->zone;
	layer->margin_top = state->top;
	layer->margin_right = state->right;
	layer->margin_bottom = state->bottom;
	layer->margin_left = state->left;
	layer->layer = shell_layer(state->layer);
	layer->keyboard =
		state->keyboard == ZWLR_LAYER_SURFACE_V1_KEYBOARD_INTERACTIVITY_EXCLUSIVE
			? LAYER_KEYBOARD_EXCLUSIVE
		: state->keyboard == ZWLR_LAYER_SURFACE_V1_KEYBOARD_INTERACTIVITY_ON_DEMAND
			? LAYER_KEYBOARD_ON_DEMAND
			: LAYER_KEYBOARD_NONE;
}

static void unmap(struct layer_surface *self)
{
	popups_dismiss(&self->layer->popups);
	surface_unmap(self->surface);
	layer_unmap(self->layer);
	self->configured = false;
	self->held = false;
	self->epoch++;
}

/*
 * Returns true if the update unmaps the surface from its client's view, although its content may
 * never have been applied.
 */
static bool hides(const struct layer_surface *self, const struct layer_state *state)
{
	const struct surface *surface = self->surface;
	bool drawn = state->drawn == self->epoch && surface->current.fields & SURFACE_BUFFER;
	return !surface_has_content(surface) && (surface->mapped || drawn);
}

static void handle_applied(struct surface *surface)
{
	struct layer_surface *self = surface->role_data;
	struct layer_state *state = surface_extension_current(&self->extension);
	struct layer *layer = self->layer;
	bool content = surface_has_content(surface), changed = state->fields != 0;
	take_state(layer, state);
	state->fields = 0;
	if (hides(self, state)) {
		unmap(self);
		return;
	}
	if (!layer->configured) {
		layer->configured = true;
		changed = true;
	}
	if (changed) {
		shell_arrange_layers(layer->shell, layer->output);
	}
	if (content && !surface->mapped) {
		surface_map(surface);
		layer_map(layer);
		popups_map(&layer->popups);
	}
}

static void handle_surface_destroy(struct surface *surface)
{
	forget_surface(surface->role_data);
}

static const struct surface_role role = {
	.name = "zwlr_layer_surface_v1",
	.commit = handle_commit,
	.applied = handle_applied,
	.destroy = handle_surface_destroy,
};

/* Requests */

static void handle_set_size(
	struct wl_client *client, struct wl_resource *resource, uint32_t width, uint32_t height)
{
	struct layer_state *state = pending_state(resource);
	if (width > INT32_MAX || height > INT32_MAX) {
		wl_resource_post_error(resource, ZWLR_LAYER_SURFACE_V1_ERROR_INVALID_SIZE,
			"invalid size %ux%u", width, height);
		return;
	}
	if (state) {
		state->fields |= FIELD_SIZE;
		state->width = coord_clamp(width);
		state->height = coord_clamp(height);
	}
}

static void handle_set_anchor(
	struct wl_client *client, struct wl_resource *resource, uint32_t anchor)
{
	struct layer_state *state = pending_state(resource);
	if (anchor > 15) {
		wl_resource_post_error(resource, ZWLR_LAYER_SURFACE_V1_ERROR_INVALID_ANCHOR,
			"invalid anchor %#x", anchor);
		return;
	}
	if (state) {
		state->fields |= FIELD_ANCHOR;
		state->anchor = anchor;
	}
}

static void handle_set_exclusive_zone(
	struct wl_client *client, struct wl_resource *resource, int32_t zone)
{
	struct layer_state *state = pending_state(resource);
	if (state) {
		state->fields |= FIELD_ZONE;
		state->zone = zone < -1 ? -1 : coord_clamp(zone);
	}
}

static void handle_set_margin(struct wl_client *client, struct wl_resource *resource, int32_t top,
	int32_t right, int32_t bottom, int32_t left)
{
	struct layer_state *state = pending_state(resource);
	if (state) {
		state->fields |= FIELD_MARGIN;
		state->top = coord_clamp(top);
		state->right = coord_clamp(right);
		state->bottom = coord_clamp(bottom);
		state->left = coord_clamp(left);
	}
}

static void handle_set_keyboard_interactivity(
	struct wl_client *client, struct wl_resource *resource, uint32_t keyboard)
{
	struct layer_state *state = pending_state(resource);
	if (wl_resource_get_version(resource) <
		ZWLR_LAYER_SURFACE_V1_KEYBOARD_INTERACTIVITY_ON_DEMAND_SINCE_VERSION) {
		keyboard = keyboard ? ZWLR_LAYER_SURFACE_V1_KEYBOARD_INTERACTIVITY_EXCLUSIVE
				    : ZWLR_LAYER_SURFACE_V1_KEYBOARD_INTERACTIVITY_NONE;
	} else if (keyboard > ZWLR_LAYER_SURFACE_V1_KEYBOARD_INTERACTIVITY_ON_DEMAND) {
		wl_resource_post_error(resource,
			ZWLR_LAYER_SURFACE_V1_ERROR_INVALID_KEYBOARD_INTERACTIVITY,
			"invalid keyboard interactivity %u", keyboard);
		return;
	}
	if (state) {
		state->fields |= FIELD_KEYBOARD;
		state->keyboard = keyboard;
	}
}

static void handle_get_popup(
	struct wl_client *client, struct wl_resource *resource, struct wl_resource *popup)
{
	struct layer_surface *self = from_resource(resource);
	if (!popup_set_layer_parent(popup, self->layer)) {
		wl_resource_post_error(resource, ZWLR_LAYER_SURFACE_V1_ERROR_INVALID_SURFACE_STATE,
			"the popup already has a parent or was already committed");
	}
}

static void handle_ack_configure(
	struct wl_client *client, struct wl_resource *resource, uint32_t serial)
{
	struct layer_surface *self = from_resource(resource);
	struct sent *sent, *next;
	if (!self->surface) {
		return;
	}
	bool found = false;
	wl_list_for_each (sent, &self->configures, link) {
		found = found || sent->serial == serial;
	}
	if (!found) {
		wl_resource_post_error(resource, ZWLR_LAYER_SURFACE_V1_ERROR_INVALID_SURFACE_STATE,
			"%u is not the serial of a pending configure", serial);
		return;
	}
	wl_list_for_each_safe (sent, next, &self->configures, link) {
		bool last = sent->serial == serial;
		self->configured = self->configured || sent->epoch == self->epoch;
		wl_list_remove(&sent->link);
		free(sent);
		if (last) {
			break;
		}
	}
	if (self->held) {
		self->held = false;
		configure(self->layer, self->held_width, self->held_height);
	}
}

static void handle_set_layer(struct wl_client *client, struct wl_resource *resource, uint32_t layer)
{
	struct layer_state *state = pending_state(resource);
	if (layer > ZWLR_LAYER_SHELL_V1_LAYER_OVERLAY) {
		wl_resource_post_error(resource, ZWLR_LAYER_SURFACE_V1_ERROR_INVALID_SURFACE_STATE,
			"invalid layer %u", layer);
		return;
	}
	if (state) {
		state->fields |= FIELD_LAYER;
		state->layer = layer;
	}
}

static void handle_set_exclusive_edge(
	struct wl_client *client, struct wl_resource *resource, uint32_t edge)
{
	struct layer_state *state = pending_state(resource);
	if (edge != 0 && !is_edge(edge)) {
		wl_resource_post_error(resource, ZWLR_LAYER_SURFACE_V1_ERROR_INVALID_EXCLUSIVE_EDGE,
			"invalid exclusive edge %#x: it must be a single edge", edge);
		return;
	}
	if (state) {
		state->fields |= FIELD_EDGE;
		state->edge = edge;
	}
}

static const struct zwlr_layer_surface_v1_interface impl = {
	.set_size = handle_set_size,
	.set_anchor = handle_set_anchor,
	.set_exclusive_zone = handle_set_exclusive_zone,
	.set_margin = handle_set_margin,
	.set_keyboard_interactivity = handle_set_keyboard_interactivity,
	.get_popup = handle_get_popup,
	.ack_configure = handle_ack_configure,
	.destroy = resource_handle_destroy,
	.set_layer = handle_set_layer,
	.set_exclusive_edge = handle_set_exclusive_edge,
};

static void handle_resource_destroy(struct wl_resource *resource)
{
	struct layer_surface *self = from_resource(resource);
	forget_surface(self);
	free(self);
}

static void attach_surface(struct layer_surface *self, struct surface *surface,
	struct scene_output *output, uint32_t layer)
{
	struct shell *shell = self->protocols->server->shell;
	self->surface = surface;
	surface_extension_init(&self->extension, surface, &extension_impl);
	struct layer_state *state = surface_extension_pending(&self->extension);
	state->fields = FIELD_LAYER;
	state->layer = layer;
	self->layer = layer_create(shell, surface, &layer_impl, self, output, shell_layer(layer));
}

static void handle_get_layer_surface(struct wl_client *client, struct wl_resource *shell_resource,
	uint32_t id, struct wl_resource *surface_resource, struct wl_resource *output_resource,
	uint32_t layer, const char *namespace)
{
	struct protocols *protocols = wl_resource_get_user_data(shell_resource);
	struct surface *surface = surface_from_resource(surface_resource);
	if (layer > ZWLR_LAYER_SHELL_V1_LAYER_OVERLAY) {
		wl_resource_post_error(shell_resource, ZWLR_LAYER_SHELL_V1_ERROR_INVALID_LAYER,
			"invalid layer %u", layer);
		return;
	}
	if (surface && surface_has_buffer(surface)) {
		bool roled = surface->role && surface->role != &role;
		wl_resource_post_error(shell_resource,
			roled ? ZWLR_LAYER_SHELL_V1_ERROR_ROLE
			      : ZWLR_LAYER_SHELL_V1_ERROR_ALREADY_CONSTRUCTED,
			"the surface already has a %s", roled ? "role" : "buffer");
		return;
	}
	struct layer_surface *self = xcalloc(1, sizeof(*self));
	struct wl_resource *resource = resource_create_child(shell_resource,
		&zwlr_layer_surface_v1_interface, id, &impl, self, handle_resource_destroy);
	if (!resource) {
		return;
	}
	self->resource = resource;
	self->protocols = protocols;
	self->epoch = 1;
	wl_list_init(&self->configures);
	struct scene_output *output = output_resource
					      ? output_from_resource(output_resource)
					      : shell_active_output(protocols->server->shell);
	if (!surface || !surface_set_role(surface, &role, self)) {
		if (surface) {
			wl_resource_post_error(shell_resource, ZWLR_LAYER_SHELL_V1_ERROR_ROLE,
				"the surface already has a role");
		}
		return;
	}
	if (!output) {
		surface_clear_role_data(surface);
		zwlr_layer_surface_v1_send_closed(resource);
		return;
	}
	attach_surface(self, surface, output, layer);
}

static const struct zwlr_layer_shell_v1_interface shell_impl = {
	.get_layer_surface = handle_get_layer_surface,
	.destroy = resource_handle_destroy,
};

void wlr_layer_shell_create(struct protocols *protocols)
{
	protocols_add_global(protocols, &zwlr_layer_shell_v1_interface, 5, &shell_impl, protocols,
		GLOBAL_PRIVILEGED);
}
