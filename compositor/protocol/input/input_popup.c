/* SPDX-License-Identifier: MIT */
/*
 * zwp_input_popup_surface_v2: popups of an input method, shown beside the text. A popup is part of
 * the scene tree of the window, popup or panel with the text field, above its other content, and
 * moves with it.
 */

#include "input-method-unstable-v2-protocol.h"
#include "input_method.h"
#include "scene/scene.h"
#include "seat/seat.h"
#include "shell/positioner.h"
#include "util/xalloc.h"
#include "xdg-shell-protocol.h"
#include <stdlib.h>

struct input_popup {
	struct wl_list link; /* input_agent.popups; removed with `agent` */
	struct wl_resource *resource;
	struct input_agent *agent; /* NULL: gone, or created inert */
	struct surface *surface; /* NULL: destroyed */
	struct scene_tree *tree; /* NULL while hidden */
	/** the text rectangle sent last, in this surface's coordinates; width -1: none sent */
	struct box sent;
	struct wl_listener tree_destroy, scene_updated;
};

static struct scene *scene_of(const struct input_popup *popup)
{
	return popup->agent->protocols->server->scene;
}

static void forget_tree(struct input_popup *popup)
{
	popup->tree = NULL;
	popup->sent.width = -1;
	wl_list_remove(&popup->tree_destroy.link);
	wl_list_remove(&popup->scene_updated.link);
}

static void hide(struct input_popup *popup)
{
	struct scene_tree *tree = popup->tree;
	if (tree) {
		forget_tree(popup);
		scene_node_destroy(&tree->node);
	}
}

/*
 * Returns the rectangle to place the popup by: the text cursor, or the whole surface if the client
 * sets no cursor rectangle.
 */
static struct box find_anchor(const struct text_field *field)
{
	const struct surface_state *state = &field->surface->current;
	return field->current.facts & TEXT_RECTANGLE
		       ? field->current.rectangle
		       : (struct box){0, 0, state->width, state->height};
}

/*
 * Places the popup below the text, or above it if there is no room below, within the output.
 * Coordinates of the text field's surface.
 */
static struct box find_box(const struct input_popup *popup, const struct box *anchor, int x, int y)
{
	const struct surface_state *state = &popup->surface->current;
	struct positioner positioner = {
		.width = state->width,
		.height = state->height,
		.has_anchor_rect = true,
		.anchor_rect = *anchor,
		.anchor = XDG_POSITIONER_ANCHOR_BOTTOM_LEFT,
		.gravity = XDG_POSITIONER_GRAVITY_BOTTOM_RIGHT,
		.adjustment = XDG_POSITIONER_CONSTRAINT_ADJUSTMENT_FLIP_Y |
			      XDG_POSITIONER_CONSTRAINT_ADJUSTMENT_SLIDE_X |
			      XDG_POSITIONER_CONSTRAINT_ADJUSTMENT_SLIDE_Y,
	};
	struct scene_output *output = scene_output_nearest(
		scene_of(popup), (struct coord_global){(double)x + anchor->x + anchor->width / 2.0,
					 (double)y + anchor->y + anchor->height / 2.0});
	struct box room = output ? scene_output_box(output) : (struct box){0};
	room.x -= x;
	room.y -= y;
	return positioner_constrain(&positioner, &room);
}

static void place(struct input_popup *popup)
{
	const struct text_field *field = popup->agent->method.seat->text.active;
	const struct scene_surface *content = scene_surface_find(field->surface);
	int x, y, parent_x, parent_y;
	if (!content) {
		return; /* about to lose the keyboard focus */
	}
	scene_node_coords(&content->node, &x, &y);
	scene_node_coords(&popup->tree->node.parent->node, &parent_x, &parent_y);
	struct box anchor = find_anchor(field);
	struct box box = find_box(popup, &anchor, x, y);
	scene_node_set_position(&popup->tree->node, box.x + x - parent_x, box.y + y - parent_y);
	struct box text = {coord_sum(anchor.x, -box.x), coord_sum(anchor.y, -box.y), anchor.width,
		anchor.height};
	if (!box_equal(&text, &popup->sent)) {
		popup->sent = text;
		zwp_input_popup_surface_v2_send_text_input_rectangle(
			popup->resource, text.x, text.y, text.width, text.height);
	}
}

static void handle_tree_destroy(struct wl_listener *listener, void *data)
{
	struct input_popup *popup = wl_container_of(listener, popup, tree_destroy);
	forget_tree(popup);
}

/* The window may have moved to a position without room below the text. */
static void handle_scene_updated(struct wl_listener *listener, void *data)
{
	struct input_popup *popup = wl_container_of(listener, popup, scene_updated);
	place(popup);
}

/* Returns the scene tree that contains the text field's surface, or NULL. */
static struct scene_tree *find_parent(const struct input_popup *popup)
{
	const struct text_field *field = popup->agent->method.seat->text.active;
	const struct scene_surface *content = scene_surface_find(field->surface);
	return content ? content->node.parent->node.parent : NULL;
}

static void show(struct input_popup *popup)
{
	struct scene_tree *parent = find_parent(popup);
	if (popup->tree && popup->tree->node.parent != parent) {
		hide(popup);
	}
	if (!popup->tree && parent) {
		popup->tree = scene_tree_create(parent);
		scene_surface_tree_create(popup->tree, popup->surface);
		signal_add(&popup->tree->node.events.destroy, &popup->tree_destroy,
			handle_tree_destroy);
		signal_add(&scene_of(popup)->events.updated, &popup->scene_updated,
			handle_scene_updated);
	}
	if (popup->tree) {
		place(popup);
	}
}

static void update(struct input_popup *popup)
{
	if (popup->agent && popup->agent->method.active && popup->surface &&
		popup->surface->mapped) {
		show(popup);
	} else {
		hide(popup);
	}
}

void input_popups_update(struct input_agent *agent)
{
	struct input_popup *popup;
	wl_list_for_each (popup, &agent->popups, link) {
		update(popup);
	}
}

static void orphan(struct input_popup *popup)
{
	hide(popup);
	popup->agent = NULL;
	wl_list_remove(&popup->link);
	wl_list_init(&popup->link);
}

void input_popups_orphan(struct input_agent *agent)
{
	struct input_popup *popup, *next;
	wl_list_for_each_safe (popup, next, &agent->popups, link) {
		orphan(popup);
	}
}

/* Role */

static void handle_applied(struct surface *surface)
{
	struct input_popup *popup = surface->role_data;
	bool shown = surface_has_content(surface);
	if (shown && !surface->mapped) {
		surface_map(surface);
	} else if (!shown && surface->mapped) {
		surface_unmap(surface);
	}
	update(popup);
}

static void forget_surface(struct input_popup *popup)
{
	struct surface *surface = popup->surface;
	if (surface) {
		hide(popup);
		popup->surface = NULL;
		surface_unmap(surface);
		surface_clear_role_data(surface);
	}
}

static void handle_surface_destroy(struct surface *surface)
{
	forget_surface(surface->role_data);
}

static const struct surface_role role = {
	.name = "zwp_input_popup_surface_v2",
	.applied = handle_applied,
	.destroy = handle_surface_destroy,
};

bool surface_is_input_popup(struct surface *surface)
{
	return surface_root(surface)->role == &role;
}

/* Resource */

static const struct zwp_input_popup_surface_v2_interface resource_impl = {
	.destroy = resource_handle_destroy,
};

static void destroy(struct wl_resource *resource)
{
	struct input_popup *popup = wl_resource_get_user_data(resource);
	forget_surface(popup);
	orphan(popup);
	free(popup);
}

void input_popup_create(struct input_agent *agent, struct wl_resource *method_resource, uint32_t id,
	struct surface *surface)
{
	struct wl_client *client = wl_resource_get_client(method_resource);
	struct wl_resource *resource =
		wl_resource_create(client, &zwp_input_popup_surface_v2_interface,
			wl_resource_get_version(method_resource), id);
	if (!resource) {
		wl_client_post_no_memory(client);
		return;
	}
	struct input_popup *popup = xcalloc(1, sizeof(*popup));
	if (!surface_set_role(surface, &role, popup)) {
		free(popup);
		wl_resource_destroy(resource);
		wl_resource_post_error(method_resource, ZWP_INPUT_METHOD_V2_ERROR_ROLE,
			"the surface already has a role");
		return;
	}
	popup->resource = resource;
	popup->agent = agent;
	popup->surface = surface;
	popup->sent.width = -1;
	wl_list_init(&popup->link);
	wl_resource_set_implementation(resource, &resource_impl, popup, destroy);
	if (agent) {
		wl_list_insert(agent->popups.prev, &popup->link);
	}
	handle_applied(surface);
}
