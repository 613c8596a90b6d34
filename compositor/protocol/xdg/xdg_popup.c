/* SPDX-License-Identifier: MIT */
/* xdg_popup: menus and similar surfaces, positioned relative to their parent. */

#include "scene/scene.h"
#include "seat/seat.h"
#include "shell/shell.h"
#include "shell/window.h"
#include "util/xalloc.h"
#include "xdg.h"
#include <stdlib.h>

static struct popup *popup_from_resource(struct wl_resource *resource)
{
	const struct xdg_surface *xdg = wl_resource_get_user_data(resource);
	return xdg ? xdg->popup : NULL;
}

/* Position */

/* Returns the tree at the origin of the parent's geometry, or NULL without a parent. */
static struct scene_tree *parent_tree(const struct popup *popup)
{
	if (popup->layer) {
		return popup->layer->popup_tree;
	}
	if (!popup->parent || !popup->parent->role) {
		return NULL;
	}
	return popup->parent->is_popup ? popup->parent->popup->tree
				       : popup->parent->toplevel->window->popup_tree;
}

/* Returns the tree of all popups of the toplevel or layer surface, in the order of creation. */
static struct scene_tree *stack_tree(const struct popup *popup)
{
	while (popup->parent && popup->parent->is_popup) {
		popup = popup->parent->popup;
	}
	return parent_tree(popup);
}

static bool parent_mapped(const struct popup *popup)
{
	if (popup->layer) {
		return popup->layer->mapped;
	}
	return popup->parent && popup->parent->surface && popup->parent->surface->mapped;
}

/* Returns true if the parent's content was committed and still waits to be applied. */
static bool parent_comes(const struct popup *popup)
{
	/* A dismissed popup keeps its content, but will not be mapped again. */
	if (popup->parent && popup->parent->is_popup && popup->parent->popup->dismissed) {
		return false;
	}
	const struct surface *surface = popup->layer    ? popup->layer->surface
					: popup->parent ? popup->parent->surface
							: NULL;
	return surface && surface->pending.has_content;
}

static void make_trees(struct popup *popup)
{
	popup->tree = scene_tree_create(stack_tree(popup));
	popup->surface_tree = scene_surface_tree_create(popup->tree, popup->xdg->surface);
}

static void destroy_trees(struct popup *popup)
{
	if (popup->tree) {
		scene_node_destroy(&popup->tree->node);
		popup->tree = popup->surface_tree = NULL;
	}
}

/*
 * Returns the box of the output that contains the anchor, in the parent's coordinates; empty if
 * there is none.
 */
static struct box find_room(const struct popup *popup)
{
	struct scene *scene = popup->xdg->shell->protocols->server->scene;
	const struct box *anchor = &popup->positioner.anchor_rect;
	int x, y;
	scene_node_coords(&parent_tree(popup)->node, &x, &y);
	struct scene_output *output = scene_output_nearest(
		scene, (struct coord_global){(double)x + anchor->x + anchor->width / 2.0,
			       (double)y + anchor->y + anchor->height / 2.0});
	if (!output) {
		return (struct box){0};
	}
	struct box room = scene_output_box(output);
	room.x -= x;
	room.y -= y;
	return room;
}

static struct box find_box(const struct popup *popup)
{
	struct box room = find_room(popup);
	return positioner_constrain(&popup->positioner, &room);
}

/* Role */

static bool check_commit(struct xdg_surface *xdg, const struct xdg_state *pending)
{
	struct popup *popup = xdg->popup;
	if (!parent_tree(popup) && !popup->dismissed) {
		if (xdg->base) {
			wl_resource_post_error(xdg->base->resource,
				XDG_WM_BASE_ERROR_INVALID_POPUP_PARENT,
				"xdg_popup without a parent");
		}
		return false;
	}
	return true;
}

static void initial(struct xdg_surface *xdg)
{
	struct popup *popup = xdg->popup;
	if (popup->dismissed) {
		return;
	}
	popup->box = find_box(popup);
	xdg_surface_schedule_configure(xdg);
}

static void configure(struct xdg_surface *xdg, struct xdg_configure *configure)
{
	struct popup *popup = xdg->popup;
	configure->popup = popup->box;
	if (popup->has_token) {
		xdg_popup_send_repositioned(popup->resource, popup->token);
		popup->has_token = false;
	}
	xdg_popup_send_configure(
		popup->resource, popup->box.x, popup->box.y, popup->box.width, popup->box.height);
}

static bool same_size(const struct box *a, const struct box *b)
{
	return a->width == b->width && a->height == b->height;
}

/* Moves the popup to its place, with the popups above it. */
static void move_tree(const struct popup *popup)
{
	struct scene_node *node = &popup->tree->node;
	const struct scene_node *from = &parent_tree(popup)->node;
	const bool nested = popup->parent && popup->parent->is_popup;
	const int x = nested ? coord_sum(from->x, popup->place.x) : popup->place.x;
	const int y = nested ? coord_sum(from->y, popup->place.y) : popup->place.y;
	if (node->x == x && node->y == y) {
		return;
	}
	scene_node_set_position(node, x, y);
	const struct popup *above;
	wl_list_for_each (above, &popup->xdg->popups, link) {
		move_tree(above);
	}
}

/*
 * Updates the position. A new size takes effect together with content of that size. A new position
 * of the same size takes effect when acknowledged: the client has nothing to redraw for it and may
 * never commit.
 */
static void place(struct popup *popup)
{
	const struct xdg_state *state = surface_extension_current(&popup->xdg->extension);
	const struct xdg_state *pending = surface_extension_pending(&popup->xdg->extension);
	bool early = pending->fields & XDG_POPUP && same_size(&pending->popup, &state->popup);
	if (early) {
		state = pending;
	}
	if (!state->acked) {
		/* not acknowledged, which is an error or tolerated: use the box sent last */
		popup->place = popup->box;
	} else if (popup->place_serial == 0 || (int32_t)(state->acked - popup->place_serial) >= 0) {
		popup->place = state->popup;
		popup->place_serial = state->acked;
	}
	move_tree(popup);
}

static void acknowledged(struct xdg_surface *xdg)
{
	struct popup *popup = xdg->popup;
	const struct server *server = xdg->shell->protocols->server;
	if (popup->tree && xdg->surface->mapped) {
		place(popup);
		popups_react(&xdg->popups);
		/*
		 * As after a commit, the pointer focus is updated without waiting for the next
		 * frame.
		 */
		if (scene_is_dirty(server->scene)) {
			seat_refocus(server->seat);
		}
	}
}

static void applied(struct xdg_surface *xdg, const struct xdg_state *state)
{
	struct popup *popup = xdg->popup;
	if (!popup->tree) {
		return;
	}
	place(popup);
	scene_node_set_position(&popup->surface_tree->node, -xdg->geometry.x, -xdg->geometry.y);
	popups_react(&xdg->popups);
}

static void map(struct xdg_surface *xdg)
{
	struct popup *popup = xdg->popup;
	if (popup->dismissed) {
		return;
	}
	if (!parent_mapped(popup)) {
		if (!parent_comes(popup)) {
			popup_dismiss(popup);
		}
		return;
	}
	surface_map(xdg->surface);
	if (popup->grabs) {
		popup_grab_mapped(popup);
	}
	popups_map(&xdg->popups);
}

static void unmap(struct xdg_surface *xdg)
{
	popups_dismiss(&xdg->popups);
	popup_grab_remove(xdg->popup);
	xdg->popup->grabs = false;
}

static void destroy(struct xdg_surface *xdg)
{
	struct popup *popup = xdg->popup;
	popups_orphan(&xdg->popups);
	popup_grab_remove(popup);
	xdg_surface_clear_role(xdg);
	destroy_trees(popup);
	wl_list_remove(&popup->link);
	free(popup);
}

/* Operations on popups by other objects */

void popup_dismiss(struct popup *popup)
{
	popups_dismiss(&popup->xdg->popups);
	popup_grab_remove(popup);
	if (popup->dismissed) {
		return;
	}
	popup->dismissed = true;
	surface_unmap(popup->xdg->surface);
	xdg_popup_send_popup_done(popup->resource);
}

void popups_dismiss(struct wl_list *popups)
{
	struct popup *popup, *next;
	wl_list_for_each_reverse_safe (popup, next, popups, link) {
		popup_dismiss(popup);
	}
}

/* Detaches popups that were all dismissed. */
static void detach(struct wl_list *popups)
{
	struct popup *popup, *next;
	wl_list_for_each_reverse_safe (popup, next, popups, link) {
		detach(&popup->xdg->popups);
		destroy_trees(popup);
		popup->parent = NULL;
		popup->layer = NULL;
		wl_list_remove(&popup->link);
		wl_list_init(&popup->link);
	}
}

void popups_orphan(struct wl_list *popups)
{
	popups_dismiss(popups);
	detach(popups);
}

void popups_map(struct wl_list *popups)
{
	struct popup *popup;
	wl_list_for_each (popup, popups, link) {
		if (xdg_surface_is_drawn(popup->xdg) && !popup->xdg->surface->mapped) {
			map(popup->xdg);
		}
	}
}

void popups_react(struct wl_list *popups)
{
	struct popup *popup;
	wl_list_for_each (popup, popups, link) {
		if (!popup->positioner.reactive || !popup->xdg->surface->mapped) {
			continue;
		}
		struct box box = find_box(popup);
		if (!box_equal(&box, &popup->box)) {
			popup->box = box;
			xdg_surface_schedule_configure(popup->xdg);
		}
	}
}

bool popup_set_layer_parent(struct wl_resource *resource, struct layer *layer)
{
	struct popup *popup = popup_from_resource(resource);
	if (!popup) {
		return true;
	}
	if (popup->parent || popup->layer || popup->xdg->initial) {
		return false;
	}
	if (!layer) {
		popup_dismiss(popup);
		return true;
	}
	popup->layer = layer;
	wl_list_remove(&popup->link);
	wl_list_insert(layer->popups.prev, &popup->link);
	make_trees(popup);
	return true;
}

/* Requests */

static void handle_destroy(struct wl_client *client, struct wl_resource *resource)
{
	struct popup *popup = popup_from_resource(resource);
	if (popup && !wl_list_empty(&popup->xdg->popups)) {
		if (popup->xdg->base) {
			wl_resource_post_error(popup->xdg->base->resource,
				XDG_WM_BASE_ERROR_NOT_THE_TOPMOST_POPUP,
				"xdg_popup destroyed before the popups above it");
		}
		return;
	}
	wl_resource_destroy(resource);
}

static void handle_grab(struct wl_client *client, struct wl_resource *resource,
	struct wl_resource *seat_resource, uint32_t serial)
{
	struct popup *popup = popup_from_resource(resource);
	struct seat *seat = seat_from_resource(seat_resource);
	if (!popup || popup->dismissed || popup->grabs) {
		return;
	}
	if (popup->xdg->surface->mapped) {
		wl_resource_post_error(resource, XDG_POPUP_ERROR_INVALID_GRAB,
			"grab requested for a mapped popup");
		return;
	}
	if (popup->parent && popup->parent->is_popup) {
		const struct popup *parent = popup->parent->popup;
		if (!parent->grabs && !parent->dismissed) {
			wl_resource_post_error(resource, XDG_POPUP_ERROR_INVALID_GRAB,
				"the parent popup has no grab");
			return;
		}
	}
	if (!seat || !popup_grab_start(popup, seat, serial, popup_dismiss)) {
		popup_dismiss(popup);
	}
}

static void handle_reposition(struct wl_client *client, struct wl_resource *resource,
	struct wl_resource *positioner, uint32_t token)
{
	struct popup *popup = popup_from_resource(resource);
	const struct positioner *rules = positioner_from_resource(positioner);
	if (!popup) {
		return;
	}
	if (!positioner_complete(rules)) {
		if (popup->xdg->base) {
			wl_resource_post_error(popup->xdg->base->resource,
				XDG_WM_BASE_ERROR_INVALID_POSITIONER,
				"the positioner lacks a size or an anchor rectangle");
		}
		return;
	}
	popup->positioner = *rules;
	if (popup->dismissed || !popup->tree) {
		return;
	}
	popup->token = token;
	popup->has_token = true;
	if (popup->xdg->initial) {
		popup->box = find_box(popup);
		xdg_surface_schedule_configure(popup->xdg);
	}
}

static const struct xdg_popup_interface impl = {
	.destroy = handle_destroy,
	.grab = handle_grab,
	.reposition = handle_reposition,
};

static const struct xdg_role role = {
	.interface = &xdg_popup_interface,
	.is_popup = true,
	.commit = check_commit,
	.initial = initial,
	.configure = configure,
	.applied = applied,
	.map = map,
	.unmap = unmap,
	.acknowledged = acknowledged,
	.destroy = destroy,
};

static bool fits(const struct xdg_surface *parent)
{
	int levels = 1;
	while (parent && parent->is_popup) {
		parent = parent->popup->parent;
		levels++;
	}
	return levels <= POPUP_LEVELS_MAX;
}

void xdg_popup_create(struct xdg_surface *xdg, uint32_t id, struct xdg_surface *parent,
	const struct positioner *positioner)
{
	if (!fits(parent)) {
		if (xdg->base) {
			wl_resource_post_error(xdg->base->resource,
				XDG_WM_BASE_ERROR_INVALID_POPUP_PARENT,
				"popups are nested deeper than %d levels", POPUP_LEVELS_MAX);
		}
		return;
	}
	if (parent && (!parent->role || parent == xdg)) {
		if (xdg->base) {
			wl_resource_post_error(xdg->base->resource,
				XDG_WM_BASE_ERROR_INVALID_POPUP_PARENT,
				"the parent xdg_surface has no role");
		}
		return;
	}
	struct wl_resource *resource = xdg_surface_create_role(xdg, id, &role, &impl);
	if (!resource || !xdg->surface) {
		return; /* stays inert */
	}
	struct popup *popup = xcalloc(1, sizeof(*popup));
	popup->xdg = xdg;
	popup->resource = resource;
	popup->positioner = *positioner;
	wl_list_init(&popup->link);
	wl_list_init(&popup->grab_link);
	xdg->popup = popup;
	if (parent) {
		popup->parent = parent;
		wl_list_insert(parent->popups.prev, &popup->link);
		if (parent_tree(popup)) {
			make_trees(popup);
		} else {
			popup_dismiss(popup); /* its parent was a popup that lost its own parent */
		}
	}
}
