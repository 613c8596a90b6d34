/* SPDX-License-Identifier: MIT */
/*
 * xdg_surface: the common part of toplevels and popups: window geometry, configure events and
 * acknowledgements.
 */

#include "shell/icon.h"
#include "surface/subsurface.h"
#include "util/event_source.h"
#include "util/xalloc.h"
#include "xdg.h"
#include <assert.h>
#include <stdlib.h>

static struct xdg_surface *xdg_surface_from_resource(struct wl_resource *resource)
{
	return wl_resource_get_user_data(resource);
}

/* State that is part of content updates */

static void merge_state(void *to_data, void *from_data)
{
	struct xdg_state *to = to_data, *from = from_data;
	if (from->fields & XDG_GEOMETRY) {
		to->geometry = from->geometry;
	}
	if (from->fields & XDG_MIN_SIZE) {
		to->limits.min_width = from->limits.min_width;
		to->limits.min_height = from->limits.min_height;
	}
	if (from->fields & XDG_MAX_SIZE) {
		to->limits.max_width = from->limits.max_width;
		to->limits.max_height = from->limits.max_height;
	}
	if (from->fields & XDG_ACKED) {
		to->acked = from->acked;
	}
	if (from->fields & XDG_POPUP) {
		to->popup = from->popup;
	}
	if (from->fields & XDG_DECORATION) {
		to->decorated = from->decorated;
	}
	if (from->fields & XDG_ICON) {
		icon_unref(to->icon);
		to->icon = from->icon;
		from->icon = NULL;
	}
	to->drawn = from->drawn; /* always the latest */
	to->fields |= from->fields;
	from->fields = 0;
}

static void finish_state(void *data)
{
	struct xdg_state *state = data;
	icon_unref(state->icon);
}

static const struct surface_extension_impl extension_impl = {
	.state_size = sizeof(struct xdg_state),
	.finish = finish_state,
	.merge = merge_state,
};

static struct xdg_state *pending_state(struct xdg_surface *xdg)
{
	return surface_extension_pending(&xdg->extension);
}

/* Configures */

static void free_configure(struct xdg_configure *configure)
{
	wl_list_remove(&configure->link);
	free(configure);
}

static void cancel_configure(struct xdg_surface *xdg)
{
	event_source_remove(&xdg->idle);
	xdg->next_serial = 0;
	xdg->held = false;
}

static void send_configure(struct xdg_surface *xdg)
{
	if (wl_list_length(&xdg->configures) >= XDG_CONFIGURES_MAX) {
		xdg->held = true;
		return;
	}
	struct xdg_configure *configure = xcalloc(1, sizeof(*configure));
	configure->serial = xdg->next_serial;
	configure->epoch = xdg->epoch;
	xdg->next_serial = 0;
	wl_list_insert(xdg->configures.prev, &configure->link);
	xdg->role->configure(xdg, configure);
	xdg_surface_send_configure(xdg->resource, configure->serial);
}

static void handle_idle(void *data)
{
	struct xdg_surface *xdg = data;
	xdg->idle = NULL;
	send_configure(xdg);
}

uint32_t xdg_surface_schedule_configure(struct xdg_surface *xdg)
{
	struct wl_display *display = xdg->shell->protocols->display;
	if (xdg->next_serial == 0) {
		xdg->next_serial = wl_display_next_serial(display);
		xdg->idle = wl_event_loop_add_idle(
			wl_display_get_event_loop(display), handle_idle, xdg);
	}
	return xdg->next_serial;
}

static void acknowledge(struct xdg_surface *xdg, const struct xdg_configure *configure)
{
	struct xdg_state *pending = pending_state(xdg);
	pending->fields |= XDG_ACKED;
	pending->acked = configure->serial;
	pending->fields |= XDG_POPUP;
	pending->popup = configure->popup;
	if (configure->has_decoration) {
		pending->fields |= XDG_DECORATION;
		pending->decorated = configure->decorated;
	}
	if (configure->epoch == xdg->epoch) {
		xdg->configured = true;
	}
	if (xdg->role->acknowledged) {
		xdg->role->acknowledged(xdg);
	}
}

static void handle_ack_configure(
	struct wl_client *client, struct wl_resource *resource, uint32_t serial)
{
	struct xdg_surface *xdg = xdg_surface_from_resource(resource);
	if (!xdg->surface) {
		return;
	}
	if (!xdg->role) {
		wl_resource_post_error(resource, XDG_SURFACE_ERROR_NOT_CONSTRUCTED,
			"ack_configure before a role object was created");
		return;
	}
	struct xdg_configure *configure, *next, *found = NULL;
	wl_list_for_each (configure, &xdg->configures, link) {
		if (configure->serial == serial) {
			found = configure;
			break;
		}
	}
	if (!found) {
		wl_resource_post_error(resource, XDG_SURFACE_ERROR_INVALID_SERIAL,
			"%u is not the serial of a pending configure", serial);
		return;
	}
	acknowledge(xdg, found);
	wl_list_for_each_safe (configure, next, &xdg->configures, link) {
		bool last = configure == found;
		free_configure(configure);
		if (last) {
			break;
		}
	}
	if (xdg->held) {
		xdg->held = false;
		send_configure(xdg);
	}
}

/* Geometry */

static void unite(struct box *to, const struct box *box)
{
	if (box_empty(to)) {
		*to = *box;
		return;
	}
	int right = coord_sum(to->x, to->width), bottom = coord_sum(to->y, to->height);
	int box_right = coord_sum(box->x, box->width), box_bottom = coord_sum(box->y, box->height);
	right = right > box_right ? right : box_right;
	bottom = bottom > box_bottom ? bottom : box_bottom;
	to->x = to->x < box->x ? to->x : box->x;
	to->y = to->y < box->y ? to->y : box->y;
	to->width = right - to->x;
	to->height = bottom - to->y;
}

/* Adds the bounds of the surface and its subsurfaces. */
static void add_bounds(const struct surface *surface, int x, int y, struct box *bounds)
{
	const struct surface_state *state = &surface->current;
	if (!state->has_content) {
		return;
	}
	unite(bounds, &(struct box){x, y, state->width, state->height});
	for (int i = 0; i < state->n_children; i++) {
		const struct child *child = &state->children[i];
		if (child->subsurface) {
			add_bounds(child->subsurface->surface, coord_sum(x, child->x),
				coord_sum(y, child->y), bounds);
		}
	}
}

static void update_geometry(struct xdg_surface *xdg, struct xdg_state *state)
{
	struct box bounds = {0};
	bool ever_set = state->geometry.width > 0;
	bool known = ever_set ? !(state->fields & XDG_GEOMETRY) : xdg->shape == xdg->surface->shape;
	if (!surface_has_content(xdg->surface) || known) {
		return;
	}
	add_bounds(xdg->surface, 0, 0, &bounds);
	xdg->shape = xdg->surface->shape;
	if (!ever_set || !box_intersect(&xdg->geometry, &state->geometry, &bounds)) {
		xdg->geometry = bounds;
	}
	state->fields &= ~(uint32_t)XDG_GEOMETRY;
}

static void handle_set_window_geometry(struct wl_client *client, struct wl_resource *resource,
	int32_t x, int32_t y, int32_t width, int32_t height)
{
	struct xdg_surface *xdg = xdg_surface_from_resource(resource);
	if (!xdg->surface) {
		return;
	}
	if (!xdg->role) {
		wl_resource_post_error(resource, XDG_SURFACE_ERROR_NOT_CONSTRUCTED,
			"set_window_geometry before a role object was created");
		return;
	}
	if (width <= 0 || height <= 0) {
		wl_resource_post_error(resource, XDG_SURFACE_ERROR_INVALID_SIZE,
			"invalid window geometry %dx%d: the size must be positive", width, height);
		return;
	}
	struct xdg_state *pending = pending_state(xdg);
	pending->fields |= XDG_GEOMETRY;
	pending->geometry = box_clamp(x, y, width, height);
}

/* The surface */

static bool tolerates_unconfigured(const struct xdg_surface *xdg)
{
	return xdg->shell->protocols->server->options->unconfigured_buffers;
}

static void post_unconfigured(struct xdg_surface *xdg)
{
	wl_resource_post_error(xdg->resource, XDG_SURFACE_ERROR_UNCONFIGURED_BUFFER,
		"buffer attached before the first configure was acknowledged");
}

static bool handle_role_commit(struct surface *surface)
{
	struct xdg_surface *xdg = surface->role_data;
	if (surface->pending.buffer && !xdg->configured && !tolerates_unconfigured(xdg)) {
		post_unconfigured(xdg);
		return false;
	}
	struct xdg_state *pending = pending_state(xdg);
	if (surface->pending.buffer) {
		pending->drawn = xdg->epoch;
	}
	return xdg->role->commit(xdg, pending);
}

static void start(struct xdg_surface *xdg)
{
	xdg->initial = true;
	xdg->role->initial(xdg);
	if (xdg->idle) {
		/* The client waits for the configure, so send it before the end of the dispatch. */
		event_source_remove(&xdg->idle);
		send_configure(xdg);
	}
}

void xdg_surface_start_early(struct xdg_surface *xdg)
{
	if (tolerates_unconfigured(xdg)) {
		xdg->initial = true;
		xdg->role->initial(xdg);
	}
}

static void forget_limits(struct xdg_state *state)
{
	state->fields &= ~(uint32_t)(XDG_MIN_SIZE | XDG_MAX_SIZE);
	state->limits = (struct window_limits){0};
}

static void forget_icon(struct xdg_state *state)
{
	icon_unref(state->icon);
	state->icon = NULL;
}

/* Resets the xdg_surface as if the role object were new. */
static void start_anew(struct xdg_surface *xdg)
{
	/* A surface that was never mapped may have waiting popups, too. */
	xdg->role->unmap(xdg);
	surface_unmap(xdg->surface);
	forget_limits(pending_state(xdg));
	forget_limits(surface_extension_current(&xdg->extension));
	forget_icon(surface_extension_current(&xdg->extension));
	cancel_configure(xdg);
	xdg->initial = false;
	xdg->configured = false;
	xdg->epoch++;
}

/*
 * Returns true if the update unmaps the surface from its client's view, although its content may
 * never have been applied.
 */
static bool hides(const struct xdg_surface *xdg, const struct xdg_state *state)
{
	const struct surface *surface = xdg->surface;
	bool drawn = state->drawn == xdg->epoch && surface->current.fields & SURFACE_BUFFER;
	return !surface_has_content(surface) && (surface->mapped || drawn);
}

bool xdg_surface_is_drawn(struct xdg_surface *xdg)
{
	const struct xdg_state *state = surface_extension_current(&xdg->extension);
	return surface_has_content(xdg->surface) && state->drawn == xdg->epoch;
}

static void handle_role_applied(struct surface *surface)
{
	struct xdg_surface *xdg = surface->role_data;
	struct xdg_state *state = surface_extension_current(&xdg->extension);
	if (hides(xdg, state)) {
		start_anew(xdg);
		return;
	}
	update_geometry(xdg, state);
	if (!xdg->initial) {
		start(xdg);
	}
	xdg->role->applied(xdg, state);
	if (xdg_surface_is_drawn(xdg) && !surface->mapped) {
		xdg->role->map(xdg);
	}
}

/* Detaches from the surface; either it or the xdg_surface is being destroyed. */
static void forget_surface(struct xdg_surface *xdg)
{
	if (!xdg->surface) {
		return;
	}
	if (xdg->role) {
		xdg->role->destroy(xdg);
	}
	cancel_configure(xdg);
	struct xdg_configure *configure, *next;
	wl_list_for_each_safe (configure, next, &xdg->configures, link) {
		free_configure(configure);
	}
	surface_extension_finish(&xdg->extension);
	wl_list_remove(&xdg->surface_commit.link);
	wl_list_remove(&xdg->surface_attach.link);
	wl_list_remove(&xdg->surface_destroy.link);
	xdg->surface = NULL;
}

static void handle_role_surface_destroy(struct surface *surface)
{
	forget_surface(surface->role_data);
}

static const struct surface_role toplevel_role = {
	.name = "xdg_toplevel",
	.commit = handle_role_commit,
	.applied = handle_role_applied,
	.destroy = handle_role_surface_destroy,
};

static const struct surface_role popup_role = {
	.name = "xdg_popup",
	.commit = handle_role_commit,
	.applied = handle_role_applied,
	.destroy = handle_role_surface_destroy,
};

struct toplevel *toplevel_from_surface(struct surface *surface)
{
	const struct xdg_surface *xdg =
		surface && surface->role == &toplevel_role ? surface->role_data : NULL;
	return xdg ? xdg->toplevel : NULL;
}

static void handle_surface_destroy(struct wl_listener *listener, void *data)
{
	struct xdg_surface *xdg = wl_container_of(listener, xdg, surface_destroy);
	forget_surface(xdg);
}

static void handle_surface_commit(struct wl_listener *listener, void *data)
{
	struct xdg_surface *xdg = wl_container_of(listener, xdg, surface_commit);
	if (!xdg->role) {
		wl_resource_post_error(xdg->resource, XDG_SURFACE_ERROR_NOT_CONSTRUCTED,
			"commit before a role object was created");
	}
}

/* Without a role, the surface cannot be configured, so a buffer is an error. */
static void handle_surface_attach(struct wl_listener *listener, void *data)
{
	struct xdg_surface *xdg = wl_container_of(listener, xdg, surface_attach);
	if (xdg->surface->pending.buffer && !xdg->role) {
		post_unconfigured(xdg);
	}
}

/* Requests */

static bool set_role(struct xdg_surface *xdg, const struct xdg_role *role)
{
	if (xdg->role) {
		wl_resource_post_error(xdg->resource, XDG_SURFACE_ERROR_ALREADY_CONSTRUCTED,
			"the xdg_surface already has a role object");
		return false;
	}
	if (!surface_set_role(xdg->surface, role->is_popup ? &popup_role : &toplevel_role, xdg)) {
		if (xdg->base) {
			wl_resource_post_error(xdg->base->resource, XDG_WM_BASE_ERROR_ROLE,
				"the surface already has another role");
		}
		return false;
	}
	xdg->role = role;
	xdg->is_popup = role->is_popup;
	return true;
}

static void abandon_role(struct xdg_surface *xdg)
{
	xdg->role = NULL;
	xdg->is_popup = false;
	xdg->toplevel = NULL;
	surface_clear_role_data(xdg->surface);
}

static void handle_role_resource_destroy(struct wl_resource *resource)
{
	struct xdg_surface *xdg = xdg_surface_from_resource(resource);
	if (xdg) {
		xdg->role->destroy(xdg);
	}
}

struct wl_resource *xdg_surface_create_role(
	struct xdg_surface *xdg, uint32_t id, const struct xdg_role *role, const void *requests)
{
	if (xdg->surface && !set_role(xdg, role)) {
		return NULL;
	}
	struct wl_client *client = wl_resource_get_client(xdg->resource);
	struct wl_resource *resource =
		resource_create(client, role->interface, wl_resource_get_version(xdg->resource), id,
			requests, xdg->surface ? xdg : NULL, handle_role_resource_destroy);
	if (!xdg->surface) {
		return resource;
	}
	xdg->role_resource = resource;
	if (!resource) {
		abandon_role(xdg);
	}
	return resource;
}

void xdg_surface_clear_role(struct xdg_surface *xdg)
{
	start_anew(xdg);
	wl_resource_set_user_data(xdg->role_resource, NULL);
	abandon_role(xdg);
	xdg->geometry = (struct box){0};
	xdg->shape = 0;
	/* A geometry that the client has set applies to the next role object. */
	struct xdg_state *state = surface_extension_current(&xdg->extension);
	state->fields |= state->geometry.width > 0 ? XDG_GEOMETRY : 0;
}

static void handle_get_toplevel(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	struct xdg_surface *xdg = xdg_surface_from_resource(resource);
	xdg->shell->create_toplevel(xdg, id);
}

static void handle_get_popup(struct wl_client *client, struct wl_resource *resource, uint32_t id,
	struct wl_resource *parent, struct wl_resource *positioner)
{
	struct xdg_surface *xdg = xdg_surface_from_resource(resource);
	const struct positioner *rules = positioner_from_resource(positioner);
	if (!positioner_complete(rules)) {
		if (xdg->base) {
			wl_resource_post_error(xdg->base->resource,
				XDG_WM_BASE_ERROR_INVALID_POSITIONER,
				"the positioner lacks a size or an anchor rectangle");
		}
		return;
	}
	xdg->shell->create_popup(xdg, id, parent ? xdg_surface_from_resource(parent) : NULL, rules);
}

static void handle_destroy(struct wl_client *client, struct wl_resource *resource)
{
	struct xdg_surface *xdg = xdg_surface_from_resource(resource);
	if (xdg->role) {
		wl_resource_post_error(resource, XDG_SURFACE_ERROR_DEFUNCT_ROLE_OBJECT,
			"xdg_surface destroyed before its role object");
		return;
	}
	wl_resource_destroy(resource);
}

static const struct xdg_surface_interface impl = {
	.destroy = handle_destroy,
	.get_toplevel = handle_get_toplevel,
	.get_popup = handle_get_popup,
	.set_window_geometry = handle_set_window_geometry,
	.ack_configure = handle_ack_configure,
};

static void handle_resource_destroy(struct wl_resource *resource)
{
	struct xdg_surface *xdg = xdg_surface_from_resource(resource);
	forget_surface(xdg);
	assert(wl_list_empty(&xdg->popups));
	wl_list_remove(&xdg->base_link);
	free(xdg);
}

/* Returns true if the surface already has another role, a role object, or an xdg_surface. */
static bool is_taken(struct surface *surface)
{
	if (surface->role_data) {
		return true;
	}
	const struct surface_extension *extension;
	wl_list_for_each (extension, &surface->extensions, link) {
		if (extension->impl == &extension_impl) {
			return true;
		}
	}
	return surface->role && surface->role != &toplevel_role && surface->role != &popup_role;
}

void xdg_surface_create(
	struct xdg_wm_base *base, struct wl_client *client, uint32_t id, struct surface *surface)
{
	if (surface && is_taken(surface)) {
		wl_resource_post_error(
			base->resource, XDG_WM_BASE_ERROR_ROLE, "the surface already has a role");
		return;
	}
	if (surface && surface_has_buffer(surface)) {
		wl_resource_post_error(base->resource, XDG_WM_BASE_ERROR_INVALID_SURFACE_STATE,
			"the surface already has a buffer attached");
		return;
	}
	struct xdg_surface *xdg = xcalloc(1, sizeof(*xdg));
	struct wl_resource *resource = resource_create_child(
		base->resource, &xdg_surface_interface, id, &impl, xdg, handle_resource_destroy);
	if (!resource) {
		return;
	}
	xdg->resource = resource;
	xdg->shell = base->shell;
	xdg->base = base;
	xdg->epoch = 1;
	wl_list_insert(&base->surfaces, &xdg->base_link);
	wl_list_init(&xdg->configures);
	wl_list_init(&xdg->popups);
	if (!surface) {
		return; /* stays inert */
	}
	xdg->surface = surface;
	surface_extension_init(&xdg->extension, surface, &extension_impl);
	signal_add(&surface->events.commit, &xdg->surface_commit, handle_surface_commit);
	signal_add(&surface->events.attach, &xdg->surface_attach, handle_surface_attach);
	signal_add(&surface->events.destroy, &xdg->surface_destroy, handle_surface_destroy);
}
