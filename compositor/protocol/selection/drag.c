/* SPDX-License-Identifier: MIT */
/* Drags: data that follows the pointer or a touch point until it is dropped. */

#include "drag.h"
#include "protocol/input/wl_seat.h"
#include "shell/shell.h"
#include "toplevel_drag.h"
#include "util/xalloc.h"
#include <math.h>
#include <stdlib.h>

const struct surface_role drag_icon_role = {.name = "wl_data_device-icon", .no_input = true};

/* The icon */

static void place_icon(struct drag *drag)
{
	if (drag->icon_tree) {
		scene_node_set_position(&drag->icon_tree->node,
			(int)floor(drag->at.x) + drag->icon_x,
			(int)floor(drag->at.y) + drag->icon_y);
	}
}

static void show_icon(struct surface *icon)
{
	if (surface_has_content(icon) && !icon->mapped) {
		surface_map(icon);
	} else if (!surface_has_content(icon) && icon->mapped) {
		surface_unmap(icon);
	}
}

static void handle_icon_applied(struct wl_listener *listener, void *data)
{
	struct drag *drag = wl_container_of(listener, drag, icon_applied);
	drag->icon_x = coord_sum(drag->icon_x, drag->icon->current.dx);
	drag->icon_y = coord_sum(drag->icon_y, drag->icon->current.dy);
	show_icon(drag->icon);
	place_icon(drag);
}

static void forget_icon(struct drag *drag)
{
	if (drag->icon) {
		wl_list_remove(&drag->icon_applied.link);
		wl_list_remove(&drag->icon_destroy.link);
		drag->icon = NULL;
	}
}

static void handle_icon_destroy(struct wl_listener *listener, void *data)
{
	struct drag *drag = wl_container_of(listener, drag, icon_destroy);
	forget_icon(drag);
}

void drag_add_icon(struct drag *drag, struct surface *icon)
{
	struct shell *shell = drag->manager->protocols->server->shell;
	surface_set_role(icon, &drag_icon_role, NULL);
	drag->icon = icon;
	drag->icon_tree = scene_tree_create(shell->layers[SHELL_DRAG]);
	scene_surface_tree_create(drag->icon_tree, icon);
	signal_add(&icon->events.applied, &drag->icon_applied, handle_icon_applied);
	signal_add(&icon->events.destroy, &drag->icon_destroy, handle_icon_destroy);
	show_icon(icon);
	place_icon(drag);
}

static void remove_icon(struct drag *drag)
{
	struct surface *icon = drag->icon;
	forget_icon(drag);
	if (drag->icon_tree) {
		scene_node_destroy(&drag->icon_tree->node);
		drag->icon_tree = NULL;
	}
	if (icon && icon->mapped) {
		surface_unmap(icon);
	}
}

/* The surface under the drag */

static const char *shape_of(const struct drag *drag)
{
	if (!drag->source) {
		return "grabbing";
	}
	switch (drag->source->action) {
	case WL_DATA_DEVICE_MANAGER_DND_ACTION_COPY: return "copy";
	case WL_DATA_DEVICE_MANAGER_DND_ACTION_MOVE: return "move";
	case WL_DATA_DEVICE_MANAGER_DND_ACTION_ASK: return "dnd-ask";
	default: return drag->focus ? "no-drop" : "grabbing";
	}
}

static void update_cursor(struct drag *drag)
{
	if (!drag->touch && !drag->x_source) {
		cursor_set_shape(&drag->seat->cursor, shape_of(drag));
	}
}

static void for_each_device(struct drag *drag, struct surface *surface,
	void (*each)(struct drag *drag, struct wl_resource *device, void *data), void *data)
{
	struct wl_client *client = wl_resource_get_client(surface_resource(surface));
	struct wl_resource *device, *next;
	wl_resource_for_each_safe (device, next, &drag->manager->feed.devices) {
		if (wl_resource_get_client(device) == client) {
			each(drag, device, data);
		}
	}
}

struct entry {
	uint32_t serial;
	struct coord_surface at;
};

static void send_enter(struct drag *drag, struct wl_resource *device, void *data)
{
	const struct entry *entry = data;
	struct data_offer *offer = NULL;
	if (drag->source) {
		offer = data_offer_create(
			device, drag->manager->protocols, &drag->source->base, &drag->offers, true);
		if (!offer) {
			return;
		}
		drag->source->target = offer;
		drag->source->accepted = false;
	}
	wl_data_device_send_enter(device, entry->serial, surface_resource(drag->focus),
		wl_fixed_from_double(entry->at.x), wl_fixed_from_double(entry->at.y),
		offer ? offer->resource : NULL);
	if (offer) {
		data_offer_update_action(offer);
	}
}

static void send_leave(struct drag *drag, struct wl_resource *device, void *data)
{
	wl_data_device_send_leave(device);
}

static void send_drop(struct drag *drag, struct wl_resource *device, void *data)
{
	if (!drag->source || drag->source->target->device == device) {
		wl_data_device_send_drop(device);
	}
}

struct motion {
	uint32_t time;
	struct coord_surface at;
};

static void send_motion(struct drag *drag, struct wl_resource *device, void *data)
{
	const struct motion *motion = data;
	wl_data_device_send_motion(device, motion->time, wl_fixed_from_double(motion->at.x),
		wl_fixed_from_double(motion->at.y));
}

static void forget_focus(struct drag *drag)
{
	if (drag->focus) {
		wl_list_remove(&drag->focus_destroy.link);
		wl_list_remove(&drag->focus_unmap.link);
		drag->focus = NULL;
	}
}

/* Leaves the surface under the drag. */
static void drag_leave(struct drag *drag)
{
	struct selection_offer *base, *next;
	if (!drag->focus) {
		return;
	}
	if (drag->x_target) {
		drag->manager->x->leave(drag->manager->protocols->x_drag);
	} else {
		for_each_device(drag, drag->focus, send_leave, NULL);
	}
	forget_focus(drag);
	wl_list_for_each_safe (base, next, &drag->offers, link) {
		struct data_offer *offer = wl_container_of(base, offer, base);
		data_offer_abandon(offer);
	}
}

static void handle_focus_destroy(struct wl_listener *listener, void *data)
{
	struct drag *drag = wl_container_of(listener, drag, focus_destroy);
	drag_leave(drag);
}

static void handle_focus_unmap(struct wl_listener *listener, void *data)
{
	struct drag *drag = wl_container_of(listener, drag, focus_unmap);
	drag_leave(drag);
}

/* Returns the action that is suggested to X programs. */
static uint32_t suggestion(const struct drag *drag)
{
	return data_source_choose(drag->seat, data_source_actions(drag->source),
		WL_DATA_DEVICE_MANAGER_DND_ACTION_NONE);
}

static void enter(struct drag *drag, struct surface *surface, struct coord_surface at)
{
	struct seat_client *client = seat_client_of(drag->seat, surface);
	struct entry entry = {.at = at};
	entry.serial = client ? seat_client_serial(client)
			      : wl_display_next_serial(drag->manager->protocols->display);
	drag->focus = surface;
	signal_add(&surface->events.destroy, &drag->focus_destroy, handle_focus_destroy);
	signal_add(&surface->events.unmap, &drag->focus_unmap, handle_focus_unmap);
	drag->x_target = drag->source && drag->manager->x->enter(drag->manager->protocols->x_drag,
						 drag->source, surface, at, suggestion(drag));
	if (!drag->x_target) {
		for_each_device(drag, surface, send_enter, &entry);
	}
}

/* Returns the surface if it may be a target. */
static struct surface *find_target(struct drag *drag, struct surface *surface)
{
	if (drag->x_source) {
		return drag->manager->x->reaches(drag->x_source, surface) ? surface : NULL;
	}
	if (surface && !drag->source &&
		wl_resource_get_client(surface_resource(surface)) != drag->client) {
		return NULL;
	}
	return surface;
}

void drag_move(struct drag *drag, struct coord_global at, int64_t time, bool moved)
{
	if (drag->source) {
		toplevel_drag_move(drag->source->toplevel_drag, at);
	}
	struct scene_hit hit = scene_at(drag->seat->scene, at);
	struct surface *surface = find_target(drag, hit.surface);
	drag->at = at;
	place_icon(drag);
	if (surface != drag->focus) {
		drag_leave(drag);
		if (surface) {
			enter(drag, surface, hit.at);
		}
	} else if (surface && drag->x_target) {
		drag->manager->x->motion(
			drag->manager->protocols->x_drag, hit.at, suggestion(drag));
	} else if (surface && moved) {
		struct motion motion = {clock_ms(time), hit.at};
		for_each_device(drag, surface, send_motion, &motion);
	}
	update_cursor(drag);
}

void drag_update_action(struct drag *drag)
{
	struct selection_offer *base, *next;
	wl_list_for_each_safe (base, next, &drag->offers, link) {
		struct data_offer *offer = wl_container_of(base, offer, base);
		data_offer_update_action(offer);
	}
	drag_move(drag, drag->at, clock_now(drag->seat->clock), false);
}

/* The end */

static void end(struct drag *drag)
{
	struct seat *seat = drag->seat;
	drag->ended = true;
	drag->manager->drag = NULL;
	if (drag->source) {
		wl_list_remove(&drag->source_destroy.link);
		toplevel_drag_end(drag->source->toplevel_drag);
	}
	wl_list_remove(&drag->client_destroy.link);
	remove_icon(drag);
	forget_focus(drag);
	/* Dropped offers live on until their clients destroy them. */
	wl_list_remove(&drag->offers);
	wl_list_init(&drag->offers);
	if (seat->keyboard.grab == &drag->keyboard_grab) {
		keyboard_end_grab(seat);
	}
	if (seat->touch.grab == &drag->touch_grab) {
		touch_end_grab(seat);
	}
	/* Before the pointer looks for its focus: icons of X programs take input again. */
	if (drag->x_source) {
		drag->manager->x->end(drag->x_source);
	}
	if (seat->pointer.grab == &drag->pointer_grab) {
		if (!drag->x_source) {
			cursor_set_shape(&seat->cursor, "default");
		}
		pointer_end_grab(seat);
	}
	free(drag);
}

void drag_cancel(struct drag *drag)
{
	if (!drag || drag->ended) {
		return;
	}
	drag_leave(drag);
	if (drag->source) {
		data_source_cancel_drag(drag->source);
	}
	end(drag);
}

/* Returns true if both clients allow a drop here, as far as negotiated. */
static bool is_wanted(const struct drag *drag)
{
	const struct data_source *source = drag->source;
	if (!source) {
		return true;
	}
	if (!source->target) {
		return false; /* the client has no device, or destroyed the offer */
	}
	/* Before version 3, accept was only informative. */
	bool binding = wl_resource_get_version(source->target->resource) >=
		       WL_DATA_OFFER_FINISH_SINCE_VERSION;
	return (source->accepted || !binding) &&
	       source->action != WL_DATA_DEVICE_MANAGER_DND_ACTION_NONE;
}

/* The drop is on the target; offers of the client's other devices end. */
static void keep_target(struct drag *drag)
{
	struct selection_offer *base, *next;
	wl_list_for_each_safe (base, next, &drag->offers, link) {
		struct data_offer *offer = wl_container_of(base, offer, base);
		if (offer == drag->source->target) {
			offer->dropped = true;
		} else {
			data_offer_abandon(offer);
		}
	}
}

void drag_drop(struct drag *drag)
{
	struct data_source *source = drag->source;
	if (drag->focus && drag->x_target) {
		drag->manager->x->drop(drag->manager->protocols->x_drag);
		end(drag);
		return;
	}
	if (!drag->focus || !is_wanted(drag)) {
		if (source && source->toplevel_drag) {
			/* Tells the client to keep the window, which Escape would undo. */
			source->impl->dropped(source);
			toplevel_drag_drop(source->toplevel_drag);
		}
		drag_cancel(drag);
		return;
	}
	if (source) {
		keep_target(drag);
		source->impl->dropped(source);
	}
	for_each_device(drag, drag->focus, send_drop, NULL);
	/* Clients expect leave, too; the offer stays valid for the transfer. */
	for_each_device(drag, drag->focus, send_leave, NULL);
	end(drag);
}

static void handle_source_destroy(struct wl_listener *listener, void *data)
{
	struct drag *drag = wl_container_of(listener, drag, source_destroy);
	drag_leave(drag);
	wl_list_remove(&drag->source_destroy.link);
	drag->source = NULL;
	drag_cancel(drag);
}

static void handle_client_destroy(struct wl_listener *listener, void *data)
{
	struct drag *drag = wl_container_of(listener, drag, client_destroy);
	drag_cancel(drag);
}

/* The start */

struct drag *drag_create(
	struct data_manager *manager, struct wl_client *client, struct data_source *source)
{
	struct drag *drag = xcalloc(1, sizeof(*drag));
	drag->manager = manager;
	drag->seat = manager->protocols->server->seat;
	drag->at = drag->seat->pointer.at;
	drag->client = client;
	drag->source = source;
	wl_list_init(&drag->offers);
	if (source) {
		signal_add(
			&source->base.events.destroy, &drag->source_destroy, handle_source_destroy);
	}
	drag->client_destroy.notify = handle_client_destroy;
	wl_client_add_destroy_listener(client, &drag->client_destroy);
	manager->drag = drag;
	return drag;
}
