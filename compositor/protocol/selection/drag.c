/* SPDX-License-Identifier: MIT */
/* Drags: data that follows the pointer or a touch point until it is dropped. */

#include "data_device.h"
#include "protocol/input/wl_seat.h"
#include "shell/shell.h"
#include "util/xalloc.h"
#include <math.h>
#include <stdlib.h>

const struct surface_role drag_icon_role = {.name = "wl_data_device-icon", .no_input = true};

struct drag {
	struct data_manager *manager;
	struct seat *seat;
	struct wl_client *client; /* that started the drag */
	struct data_source *source; /* NULL: the client transfers its data internally */
	struct surface *focus; /* surface under the drag; NULL: none that could take it */
	struct wl_list offers; /* selection_offer.link; of the focused client */
	struct pointer_grab pointer_grab;
	struct keyboard_grab keyboard_grab;
	struct touch_grab touch_grab;
	bool touch;
	int32_t touch_id;
	struct coord_global at;
	bool ended;

	struct surface *icon; /* NULL: none, or destroyed */
	struct scene_tree *icon_tree; /* at the drag's position; contains the surface's tree */
	int icon_x, icon_y; /* offset of the icon from the pointer */

	struct wl_listener source_destroy, client_destroy, icon_applied, icon_destroy,
		focus_destroy, focus_unmap;
};

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

static void add_icon(struct drag *drag, struct surface *icon)
{
	struct shell *shell = drag->manager->protocols->server->shell;
	surface_set_role(icon, &drag_icon_role, NULL);
	drag->icon = icon;
	drag->icon_tree = scene_tree_create(shell->layers[SHELL_DRAG]);
	scene_surface_tree_create(drag->icon_tree, icon);
	drag->icon_applied.notify = handle_icon_applied;
	wl_signal_add(&icon->events.applied, &drag->icon_applied);
	drag->icon_destroy.notify = handle_icon_destroy;
	wl_signal_add(&icon->events.destroy, &drag->icon_destroy);
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
	if (!drag->touch) {
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
	wl_data_device_send_drop(device);
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

static void leave(struct drag *drag)
{
	struct selection_offer *base, *next;
	if (!drag->focus) {
		return;
	}
	for_each_device(drag, drag->focus, send_leave, NULL);
	forget_focus(drag);
	wl_list_for_each_safe (base, next, &drag->offers, link) {
		struct data_offer *offer = wl_container_of(base, offer, base);
		data_offer_abandon(offer);
	}
}

static void handle_focus_destroy(struct wl_listener *listener, void *data)
{
	struct drag *drag = wl_container_of(listener, drag, focus_destroy);
	leave(drag);
}

static void handle_focus_unmap(struct wl_listener *listener, void *data)
{
	struct drag *drag = wl_container_of(listener, drag, focus_unmap);
	leave(drag);
}

static void enter(struct drag *drag, struct surface *surface, struct coord_surface at)
{
	struct seat_client *client = seat_client_of(drag->seat, surface);
	struct entry entry = {.at = at};
	entry.serial = client ? seat_client_serial(client)
			      : wl_display_next_serial(drag->manager->protocols->display);
	drag->focus = surface;
	wl_signal_add(&surface->events.destroy, &drag->focus_destroy);
	wl_signal_add(&surface->events.unmap, &drag->focus_unmap);
	for_each_device(drag, surface, send_enter, &entry);
}

static void move(struct drag *drag, struct coord_global at, int64_t time, bool moved)
{
	struct scene_hit hit = scene_at(drag->seat->scene, at);
	struct surface *surface = hit.surface;
	drag->at = at;
	place_icon(drag);
	if (surface && !drag->source &&
		wl_resource_get_client(surface_resource(surface)) != drag->client) {
		surface = NULL;
	}
	if (surface != drag->focus) {
		leave(drag);
		if (surface) {
			enter(drag, surface, hit.at);
		}
	} else if (surface && moved) {
		struct motion motion = {clock_ms(time), hit.at};
		for_each_device(drag, surface, send_motion, &motion);
	}
	update_cursor(drag);
}

/* The end */

static void end(struct drag *drag)
{
	struct seat *seat = drag->seat;
	drag->ended = true;
	drag->manager->drag = NULL;
	if (drag->source) {
		wl_list_remove(&drag->source_destroy.link);
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
	if (seat->pointer.grab == &drag->pointer_grab) {
		cursor_set_shape(&seat->cursor, "default");
		pointer_end_grab(seat);
	}
	free(drag);
}

void drag_cancel(struct drag *drag)
{
	if (!drag || drag->ended) {
		return;
	}
	leave(drag);
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

static void drop(struct drag *drag)
{
	struct data_source *source = drag->source;
	if (!drag->focus || !is_wanted(drag)) {
		drag_cancel(drag);
		return;
	}
	if (source) {
		struct selection_offer *base;
		wl_list_for_each (base, &drag->offers, link) {
			struct data_offer *offer = wl_container_of(base, offer, base);
			offer->dropped = true;
		}
		if (wl_resource_get_version(source->resource) >=
			WL_DATA_SOURCE_DND_DROP_PERFORMED_SINCE_VERSION) {
			wl_data_source_send_dnd_drop_performed(source->resource);
		}
	}
	for_each_device(drag, drag->focus, send_drop, NULL);
	/* Clients expect leave, too; the offer stays valid for the transfer. */
	for_each_device(drag, drag->focus, send_leave, NULL);
	end(drag);
}

static void handle_source_destroy(struct wl_listener *listener, void *data)
{
	struct drag *drag = wl_container_of(listener, drag, source_destroy);
	leave(drag);
	wl_list_remove(&drag->source_destroy.link);
	drag->source = NULL;
	drag_cancel(drag);
}

static void handle_client_destroy(struct wl_listener *listener, void *data)
{
	struct drag *drag = wl_container_of(listener, drag, client_destroy);
	drag_cancel(drag);
}

/* Grabs */

static void handle_pointer_motion(struct pointer_grab *grab, int64_t time)
{
	struct drag *drag = wl_container_of(grab, drag, pointer_grab);
	move(drag, grab->seat->pointer.at, time, true);
}

static void handle_pointer_refocus(struct pointer_grab *grab)
{
	struct drag *drag = wl_container_of(grab, drag, pointer_grab);
	move(drag, grab->seat->pointer.at, clock_now(grab->seat->clock), false);
}

static void handle_pointer_button(struct pointer_grab *grab, const struct input_button_event *event)
{
	struct drag *drag = wl_container_of(grab, drag, pointer_grab);
	if (grab->seat->pointer.n_buttons == 0) {
		drop(drag);
	}
}

static void handle_pointer_end(struct pointer_grab *grab)
{
	struct drag *drag = wl_container_of(grab, drag, pointer_grab);
	drag_cancel(drag);
}

static const struct pointer_grab_impl pointer_grab_impl = {
	.motion = handle_pointer_motion,
	.button = handle_pointer_button,
	.refocus = handle_pointer_refocus,
	.end = handle_pointer_end,
};

static void handle_touch_down(
	struct touch_grab *grab, int64_t time, int32_t id, struct coord_global at)
{
	/* Other touch points are ignored during the drag. */
}

static void handle_touch_up(struct touch_grab *grab, int64_t time, int32_t id)
{
	struct drag *drag = wl_container_of(grab, drag, touch_grab);
	struct seat *seat = grab->seat;
	struct seat_touch_point *point = touch_find(seat, id);
	if (point) {
		/* Sends up to the surface that got the touch's down event. */
		touch_send_up(seat, point, time);
	}
	if (id == drag->touch_id) {
		drop(drag);
	}
}

static void handle_touch_motion(
	struct touch_grab *grab, int64_t time, int32_t id, struct coord_global at)
{
	struct drag *drag = wl_container_of(grab, drag, touch_grab);
	if (id == drag->touch_id) {
		move(drag, at, time, true);
	}
}

static void handle_touch_end(struct touch_grab *grab)
{
	struct drag *drag = wl_container_of(grab, drag, touch_grab);
	drag_cancel(drag);
}

static void handle_touch_cancel(struct touch_grab *grab)
{
	struct drag *drag = wl_container_of(grab, drag, touch_grab);
	drag_cancel(drag);
}

static const struct touch_grab_impl touch_grab_impl = {
	.down = handle_touch_down,
	.up = handle_touch_up,
	.motion = handle_touch_motion,
	.end = handle_touch_end,
	.cancel = handle_touch_cancel,
};

static void handle_key(struct keyboard_grab *grab, const struct input_key_event *event)
{
	struct drag *drag = wl_container_of(grab, drag, keyboard_grab);
	struct seat_keyboard *keyboard = &grab->seat->keyboard;
	if (event->pressed && keyboard->state &&
		xkb_state_key_get_one_sym(keyboard->state, event->key + 8) == XKB_KEY_Escape) {
		drag_cancel(drag);
		return;
	}
	keyboard_send_key(grab->seat, event);
}

static void handle_modifiers(struct keyboard_grab *grab)
{
	struct drag *drag = wl_container_of(grab, drag, keyboard_grab);
	struct selection_offer *base, *next;
	keyboard_send_modifiers(grab->seat);
	wl_list_for_each_safe (base, next, &drag->offers, link) {
		struct data_offer *offer = wl_container_of(base, offer, base);
		data_offer_update_action(offer);
	}
	update_cursor(drag);
}

static void handle_keyboard_end(struct keyboard_grab *grab)
{
	/* A popup grab took over the keyboard: the drag continues without modifiers. */
}

static const struct keyboard_grab_impl keyboard_grab_impl = {
	.key = handle_key,
	.modifiers = handle_modifiers,
	.end = handle_keyboard_end,
};

/* The start */

static struct seat_touch_point *find_touch(struct seat *seat, uint32_t serial)
{
	for (int i = 0; i < seat->touch.n_points; i++) {
		struct seat_touch_point *point = &seat->touch.points[i];
		if (point->surface && !point->ended && point->serial == serial) {
			return point;
		}
	}
	return NULL;
}

static void start_grabs(struct drag *drag, struct seat_touch_point *point)
{
	struct seat *seat = drag->seat;
	drag->keyboard_grab.impl = &keyboard_grab_impl;
	keyboard_start_grab(seat, &drag->keyboard_grab);
	if (point) {
		drag->touch = true;
		drag->touch_id = point->id;
		drag->at = point->at;
		drag->touch_grab.impl = &touch_grab_impl;
		touch_start_grab(seat, &drag->touch_grab);
	} else {
		drag->at = seat->pointer.at;
		drag->pointer_grab.impl = &pointer_grab_impl;
		pointer_start_grab(seat, &drag->pointer_grab);
		pointer_set_focus(seat, NULL, (struct coord_surface){0});
	}
}

void drag_start(struct data_manager *manager, struct wl_client *client, struct data_source *source,
	struct surface *origin, struct surface *icon, uint32_t serial)
{
	struct seat *seat = manager->protocols->server->seat;
	if (source) {
		source->base.used = true;
		source->dragged = true;
	}
	if (manager->drag || !seat_claim_press(seat, serial, origin)) {
		if (source) {
			data_source_cancel_drag(source);
		}
		return;
	}
	struct drag *drag = xcalloc(1, sizeof(*drag));
	drag->manager = manager;
	drag->seat = seat;
	drag->client = client;
	drag->source = source;
	wl_list_init(&drag->offers);
	drag->focus_destroy.notify = handle_focus_destroy;
	drag->focus_unmap.notify = handle_focus_unmap;
	if (source) {
		drag->source_destroy.notify = handle_source_destroy;
		wl_signal_add(&source->base.events.destroy, &drag->source_destroy);
	}
	drag->client_destroy.notify = handle_client_destroy;
	wl_client_add_destroy_listener(client, &drag->client_destroy);
	manager->drag = drag;
	start_grabs(drag, find_touch(seat, serial));
	if (icon) {
		add_icon(drag, icon);
	}
	move(drag, drag->at, clock_now(seat->clock), false);
}
