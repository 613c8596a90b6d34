/* SPDX-License-Identifier: MIT */
/*
 * Popup grabs: pointer events go to the popups' client only, and the topmost popup has the
 * keyboard.
 */

#include "protocol/input/wl_seat.h"
#include "scene/scene.h"
#include "seat/seat.h"
#include "shell/shell.h"
#include "util/xalloc.h"
#include "xdg.h"
#include <stdlib.h>

struct popup_grab {
	struct xdg_shell *xdg_shell;
	struct shell *shell;
	struct seat *seat;
	struct client *client;
	struct pointer_grab pointer;
	struct touch_grab touch;
	/** popup.grab_link, topmost first; empty: waits for buttons to be released */
	struct wl_list popups;
	bool held; /* buttons pressed in the client were held when the last popup was added */
	void (*dismiss)(struct popup *popup);
	struct wl_listener focus;
};

/* Ends the grab: no popup is left, and all buttons pressed in one are released. */
static void finish(struct popup_grab *grab)
{
	struct seat *seat = grab->seat;
	wl_list_remove(&grab->focus.link);
	grab->xdg_shell->grab = NULL;
	if (seat->pointer.grab == &grab->pointer) {
		pointer_end_grab(seat);
	}
	if (seat->touch.grab == &grab->touch) {
		touch_end_grab(seat);
	}
	free(grab);
}

static void finish_if_done(struct popup_grab *grab)
{
	if (wl_list_empty(&grab->popups) && grab->seat->pointer.n_buttons == 0) {
		finish(grab);
	}
}

/* May end the grab and free it. */
static void dismiss_all(struct xdg_shell *xdg_shell)
{
	while (xdg_shell->grab && !wl_list_empty(&xdg_shell->grab->popups)) {
		struct popup *top = wl_container_of(xdg_shell->grab->popups.next, top, grab_link);
		xdg_shell->grab->dismiss(top);
	}
}

/* An input method's popup beside the text counts as part of the client's popups. */
static bool is_ours(const struct popup_grab *grab, struct surface *surface)
{
	return surface && (surface->client == grab->client || surface_is_input_popup(surface));
}

static bool is_popup(const struct popup_grab *grab, struct surface *surface)
{
	const struct surface *root = surface ? surface_root(surface) : NULL;
	const struct popup *popup;
	wl_list_for_each (popup, &grab->popups, grab_link) {
		if (popup->xdg->surface == root) {
			return true;
		}
	}
	return false;
}

/*
 * Gives the pointer to the client's surface under it, also while buttons are pressed: a press may
 * open a menu, and its release choose an item there. Of a press that has opened none, such as on a
 * slider in a popup, only other popups get the pointer.
 */
static void follow(struct popup_grab *grab)
{
	struct scene_hit hit = scene_at(grab->shell->scene, grab->seat->pointer.at);
	const bool pressed = grab->seat->pointer.n_buttons > 0;
	if (pressed && !grab->held &&
		!(is_popup(grab, hit.surface) && is_ours(grab, grab->seat->pointer.focus))) {
		return;
	}
	if (is_ours(grab, hit.surface)) {
		pointer_follow(grab->seat, hit.surface, hit.at);
	} else {
		pointer_follow(grab->seat, NULL, (struct coord_surface){0});
	}
}

static void handle_motion(struct pointer_grab *pointer, int64_t time)
{
	struct popup_grab *grab = wl_container_of(pointer, grab, pointer);
	follow(grab);
	pointer_send_motion(grab->seat, time);
}

/*
 * Handles a press outside of the popups: dismisses them and focuses the window there, without
 * sending it the press.
 */
static void press_outside(struct popup_grab *grab)
{
	struct shell *shell = grab->shell;
	struct coord_global at = grab->seat->pointer.at;
	dismiss_all(grab->xdg_shell);
	shell_focus_at(shell, at);
}

static void handle_button(struct pointer_grab *pointer, const struct input_button_event *event)
{
	struct popup_grab *grab = wl_container_of(pointer, grab, pointer);
	const struct xdg_shell *xdg_shell = grab->xdg_shell;
	struct seat *seat = grab->seat;
	if (event->pressed && !wl_list_empty(&grab->popups)) {
		struct scene_hit hit = scene_at(grab->shell->scene, seat->pointer.at);
		if (!is_ours(grab, hit.surface)) {
			press_outside(grab);
			return;
		}
		grab->held = grab->held && seat->pointer.n_buttons > 1;
	}
	pointer_send_button(seat, event);
	if (event->pressed || seat->pointer.n_buttons > 0) {
		return;
	}
	if (grab->held && !seat->pointer.focus) {
		dismiss_all(grab->xdg_shell); /* the press that opened them has chosen nothing */
	} else {
		follow(grab);
	}
	if (xdg_shell->grab == grab) {
		finish_if_done(grab);
	}
}

static void handle_axis(struct pointer_grab *pointer, const struct input_axis_event *event)
{
	pointer_send_axis(pointer->seat, event);
}

static void handle_refocus(struct pointer_grab *pointer)
{
	struct popup_grab *grab = wl_container_of(pointer, grab, pointer);
	follow(grab);
}

/* Another grab replaced this one. */
static void handle_pointer_end(struct pointer_grab *pointer)
{
	struct popup_grab *grab = wl_container_of(pointer, grab, pointer);
	struct xdg_shell *xdg_shell = grab->xdg_shell;
	dismiss_all(xdg_shell);
	if (xdg_shell->grab == grab) {
		finish(grab);
	}
}

static const struct pointer_grab_impl pointer_impl = {
	.motion = handle_motion,
	.button = handle_button,
	.axis = handle_axis,
	.refocus = handle_refocus,
	.end = handle_pointer_end,
};

static void handle_touch_down(
	struct touch_grab *touch, int64_t time, int32_t id, struct coord_global at)
{
	struct popup_grab *grab = wl_container_of(touch, grab, touch);
	struct scene_hit hit = scene_at(grab->shell->scene, at);
	if (is_ours(grab, hit.surface)) {
		touch_send_down(grab->seat, touch_find(grab->seat, id), hit.surface, time);
		return;
	}
	struct shell *shell = grab->shell;
	dismiss_all(grab->xdg_shell);
	shell_focus_at(shell, at);
}

static void handle_touch_up(struct touch_grab *touch, int64_t time, int32_t id)
{
	struct popup_grab *grab = wl_container_of(touch, grab, touch);
	touch_send_up(grab->seat, touch_find(grab->seat, id), time);
}

static void handle_touch_motion(
	struct touch_grab *touch, int64_t time, int32_t id, struct coord_global at)
{
	struct popup_grab *grab = wl_container_of(touch, grab, touch);
	touch_send_motion(grab->seat, touch_find(grab->seat, id), time);
}

static void handle_touch_end(struct touch_grab *touch)
{
	struct popup_grab *grab = wl_container_of(touch, grab, touch);
	dismiss_all(grab->xdg_shell);
}

static const struct touch_grab_impl touch_impl = {
	.down = handle_touch_down,
	.up = handle_touch_up,
	.motion = handle_touch_motion,
	.end = handle_touch_end,
};

/* The user focused another window. */
static void handle_focus(struct wl_listener *listener, void *data)
{
	struct popup_grab *grab = wl_container_of(listener, grab, focus);
	dismiss_all(grab->xdg_shell);
}

void popup_grab_end(struct xdg_shell *xdg_shell)
{
	if (xdg_shell->grab) {
		finish(xdg_shell->grab);
	}
}

/* Returns the topmost popup of the grab, or NULL. */
static struct popup *popup_grab_top(struct xdg_shell *xdg_shell)
{
	struct popup *top;
	if (!xdg_shell->grab || wl_list_empty(&xdg_shell->grab->popups)) {
		return NULL;
	}
	return wl_container_of(xdg_shell->grab->popups.next, top, grab_link);
}

static struct popup_grab *create(
	struct popup *popup, struct seat *seat, void (*dismiss)(struct popup *popup))
{
	struct popup_grab *grab = xcalloc(1, sizeof(*grab));
	grab->xdg_shell = popup->xdg->shell;
	grab->shell = grab->xdg_shell->protocols->server->shell;
	grab->seat = seat;
	grab->client = popup->xdg->surface->client;
	grab->pointer.impl = &pointer_impl;
	grab->touch.impl = &touch_impl;
	wl_list_init(&grab->popups);
	grab->dismiss = dismiss;
	signal_add(&grab->shell->events.focus, &grab->focus, handle_focus);
	grab->xdg_shell->grab = grab;
	pointer_start_grab(seat, &grab->pointer);
	touch_start_grab(seat, &grab->touch);
	return grab;
}

/*
 * A new grab needs the serial of a press or key by the user. A grab that exists may extend to
 * submenus that open by themselves, e.g. under a resting pointer: any serial sent to the client is
 * accepted then.
 */
static bool may_grab(const struct popup_grab *grab, const struct popup *parent, struct seat *seat,
	struct client *client, uint32_t serial)
{
	if (!seat_has_focus(seat, client)) {
		return false;
	}
	if (parent && parent->grabs && grab && grab->client == client && grab->seat == seat) {
		struct wl_client *wl_client = wl_resource_get_client(parent->resource);
		const struct seat_client *seat_client = seat_client_find(seat, wl_client);
		return seat_client && seat_client_knows_serial(seat_client, serial);
	}
	return seat_validate_serial(seat, serial);
}

bool popup_grab_start(struct popup *popup, struct seat *seat, uint32_t serial,
	void (*dismiss)(struct popup *popup))
{
	struct xdg_shell *xdg_shell = popup->xdg->shell;
	struct client *client = popup->xdg->surface->client;
	struct popup *top = popup_grab_top(xdg_shell);
	if (xdg_shell->protocols->server->shell->locked) {
		return false;
	}
	const struct popup *parent =
		popup->parent && popup->parent->is_popup ? popup->parent->popup : NULL;

	if (parent && parent->dismissed) {
		return false;
	}
	if (top && xdg_shell->grab->client == client && top != parent) {
		wl_resource_post_error(popup->xdg->base->resource,
			XDG_WM_BASE_ERROR_NOT_THE_TOPMOST_POPUP,
			"the parent is not the topmost popup");
		return true;
	}
	if (!may_grab(xdg_shell->grab, parent, seat, client, serial)) {
		return false;
	}
	if (xdg_shell->grab && xdg_shell->grab->client != client) {
		dismiss_all(xdg_shell);
		popup_grab_end(xdg_shell);
	}
	if (!xdg_shell->grab && (seat->pointer.grab || seat->touch.grab)) {
		return false; /* a drag or a window move is in progress */
	}
	struct popup_grab *grab = xdg_shell->grab ? xdg_shell->grab : create(popup, seat, dismiss);
	popup->grabs = true;
	grab->held = seat->pointer.n_buttons > 0 && is_ours(grab, seat->pointer.focus);
	wl_list_insert(&grab->popups, &popup->grab_link);
	return true;
}

static void update_keyboard(struct popup_grab *grab)
{
	struct popup *popup;
	wl_list_for_each (popup, &grab->popups, grab_link) {
		if (popup->xdg->surface->mapped) {
			shell_set_popup_focus(grab->shell, popup->xdg->surface);
			return;
		}
	}
	shell_set_popup_focus(grab->shell, NULL);
}

void popup_grab_mapped(struct popup *popup)
{
	struct popup_grab *grab = popup->xdg->shell->grab;
	if (grab && !wl_list_empty(&popup->grab_link)) {
		update_keyboard(grab);
	}
}

void popup_grab_remove(struct popup *popup)
{
	struct popup_grab *grab = popup->xdg->shell->grab;
	if (wl_list_empty(&popup->grab_link)) {
		return;
	}
	wl_list_remove(&popup->grab_link);
	wl_list_init(&popup->grab_link);
	update_keyboard(grab);
	finish_if_done(grab);
}
