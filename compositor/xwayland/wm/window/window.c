/* SPDX-License-Identifier: MIT */
/* X windows: their table, mapping, and association with surfaces. */

#include "window.h"
#include "focus.h"
#include "iconic.h"
#include "scale.h"
#include "shape.h"
#include "surface/surface.h"
#include "sync.h"
#include "util/account.h"
#include "util/log.h"
#include "util/xalloc.h"
#include "xwayland/wm/base/client_pid.h"
#include "xwayland/wm/base/reply.h"
#include "xwayland/wm/base/request.h"
#include "xwayland/wm/base/table.h"
#include "xwayland/wm/base/xwm.h"
#include "xwayland/wm/hints/hints.h"
#include "xwayland/wm/hints/icon.h"

#include <xcb/xcb_icccm.h>

static void handle_size(struct xwm *wm, void *data, uint32_t number, void *reply)
{
	struct xwin *window = data;
	const xcb_get_geometry_reply_t *geometry = reply;
	if (!geometry || number != window->sizes_asked) {
		return; /* gone, or asked again */
	}
	window->sizing = false;
	window->box.width = geometry->width;
	window->box.height = geometry->height;
	xwin_managed_try_map(window);
}

void xwin_add(struct xwm *wm, xcb_window_t id, bool override_redirect, const struct box *box)
{
	if (id == wm->root || id == wm->own || id == wm->cover || xwin_find(wm, id) ||
		wm->n_windows == XWM_WINDOWS_MAX) {
		return;
	}
	struct xwin *window = xcalloc(1, sizeof(*window));
	account_charge(wm->account, ACCOUNT_BYTES, sizeof(*window));
	window->wm = wm;
	window->id = id;
	window->n_refs = 1;
	window->override_redirect = override_redirect;
	window->box = *box;
	window->input = true;
	xwin_insert(window);
	wl_list_init(&window->announced.link);
	wl_list_init(&window->dirty_link);
	wl_list_init(&window->stack_link);
	wl_list_init(&window->child.link);
	wl_list_init(&window->icon.link);
	wl_list_init(&window->sync.link);
	const uint32_t events = XCB_EVENT_MASK_PROPERTY_CHANGE | XCB_EVENT_MASK_FOCUS_CHANGE;
	xcb_change_window_attributes(wm->x, id, XCB_CW_EVENT_MASK, &events);
	xwin_shape_watch(window);
}

static void ask_size(struct xwin *window)
{
	xwin_reply_expect(window, xcb_get_geometry(window->wm->x, window->id).sequence, handle_size,
		++window->sizes_asked);
}

void xwin_ask_size(struct xwm *wm, xcb_window_t id)
{
	struct xwin *window = xwin_find(wm, id);
	if (window) {
		window->sizing = true;
		ask_size(window);
	}
}

void xwin_granted(struct xwm *wm, const xcb_configure_request_event_t *request, unsigned sequence)
{
	struct xwin *window = xwin_find(wm, request->window);
	if (!window) {
		return;
	}
	const uint16_t mask = request->value_mask;
	struct box *box = &window->box;
	window->granted = sequence;
	box->x = mask & XCB_CONFIG_WINDOW_X ? request->x : box->x;
	box->y = mask & XCB_CONFIG_WINDOW_Y ? request->y : box->y;
	box->width = mask & XCB_CONFIG_WINDOW_WIDTH ? request->width : box->width;
	box->height = mask & XCB_CONFIG_WINDOW_HEIGHT ? request->height : box->height;
	if (window->map_requested && (mask & (XCB_CONFIG_WINDOW_X | XCB_CONFIG_WINDOW_Y))) {
		window->asked.position = true;
		window->asked.gravity = 0;
	}
	if (window->sizing) {
		ask_size(window); /* the other side, and after this request */
	}
}

static void hide(struct xwin *window)
{
	xwin_managed_destroy(window);
	xwin_unpair(window);
}

void xwin_remove(struct xwin *window)
{
	struct xwm *wm = window->wm;
	hide(window);
	xwin_forget_announcement(window);
	xwin_focus_forget(window);
	xwin_sync_forget(window);
	xwin_icon_forget(window);
	xwin_shape_forget(window);
	wl_list_remove(&window->dirty_link);
	wl_list_remove(&window->hash_link);
	wl_list_remove(&window->link);
	wl_list_remove(&window->child.link);
	wm->n_windows--;
	account_uncharge(wm->account, ACCOUNT_BYTES, sizeof(*window));
	account_free_string(wm->account, window->title);
	account_free_string(wm->account, window->app_id);
	account_free_string(wm->account, window->startup_id);
	window->title = window->app_id = window->startup_id = NULL;
	window->gone = true;
	xwin_unref(window);
}

static void handle_applied(struct surface *surface)
{
	struct xwin *window = surface->role_data;
	if (window->override_redirect) {
		xwin_unmanaged_applied(window);
	} else {
		xwin_managed_applied(window);
	}
}

static void handle_surface_destroy(struct surface *surface)
{
	struct xwin *window = surface->role_data;
	hide(window);
}

const struct surface_role xwin_role = {
	.name = "xwayland_surface_v1",
	.outlived = true,
	.applied = handle_applied,
	.destroy = handle_surface_destroy,
};

void xwin_pair(struct xwin *window, struct surface *surface)
{
	xwin_forget_announcement(window);
	if (window->surface == surface) {
		return;
	}
	if (surface->role_data) {
		log_debug(LOG_SHELL, "X window %#x: its surface is in use", window->id);
		return;
	}
	if (window->surface) {
		hide(window);
	}
	if (!surface_set_role(surface, &xwin_role, window)) {
		log_debug(LOG_SHELL, "X window %#x: its surface has another role", window->id);
		return;
	}
	window->surface = surface;
	xwin_shape_apply(window);
	if (window->override_redirect) {
		xwin_unmanaged_show(window);
	} else {
		xwin_managed_try_map(window);
	}
}

void xwin_handle_announcement(struct xwin *window, uint32_t surface_id, uint64_t serial)
{
	if (xwin_iconic_is_late(window)) {
		return;
	}
	xwin_forget_announcement(window);
	struct x_server *server = window->wm->server;
	struct surface *surface = serial ? x_server_find_serial(server, serial)
					 : x_server_find_surface(server, surface_id);
	/*
	 * A surface that has the role already belonged to a window that was unmapped: its id is
	 * about to be reused, since the message has overtaken the requests that destroy it.
	 */
	if (surface && !surface->role) {
		xwin_pair(window, surface);
		return;
	}
	window->announced.surface_id = surface_id;
	window->announced.serial = serial;
	wl_list_insert(window->wm->unpaired.prev, &window->announced.link);
}

static void handle_pid(struct xwm *wm, void *data, uint32_t number, void *reply)
{
	struct xwin *window = data;
	window->pid = xwm_client_pid_read(reply);
}

/** Asks for the process of a window. The answer comes before its properties: it is mapped later. */
static void ask_pid(struct xwin *window)
{
	const unsigned sequence = xwm_client_pid_ask(window->wm, window->id);
	if (sequence) {
		xwin_reply_expect(window, sequence, handle_pid, 0);
	}
}

void xwin_map_request(struct xwin *window)
{
	if (xwin_iconic_map_request(window)) {
		return;
	}
	if (window->tree) {
		xwin_unmanaged_hide(window);
		surface_unmap(window->surface);
		window->map_requested = false;
	}
	window->override_redirect = false;
	xwin_sync_send(window);
	if (!window->map_requested) {
		window->map_requested = true;
		window->asked = (struct xwin_asked){0};
		xwin_shape_read(window);
		ask_pid(window);
		xwin_properties_load(window);
	}
	xwin_send_wm_state(window, XCB_ICCCM_WM_STATE_NORMAL);
	window->told.wm_state = XCB_ICCCM_WM_STATE_NORMAL;
	xcb_map_window(window->wm->x, window->id);
}

void xwin_map_notify(struct xwin *window, bool override_redirect)
{
	if (override_redirect && !window->window) {
		window->override_redirect = window->map_requested = true;
		xwin_sync_send(window);
		xwin_shape_read(window);
		xwin_unmanaged_show(window);
	}
}

/* The position is that of the frame again, as the client gave it: ICCCM 4.1.2.3. */
static void leave_frame(struct xwin *window)
{
	int32_t x = 0, y = 0;
	if (window->window) {
		const struct frame_extents frame = xwin_frame(window);
		xwm_size_hints_place(window->hints.gravity, &frame, &x, &y);
		window->box.x -= x;
		window->box.y -= y;
	}
}

/* The client withdraws the window: ICCCM 4.1.4. */
void xwin_unmap_notify(struct xwin *window)
{
	leave_frame(window);
	window->map_requested = false;
	window->states = window->told.states = window->told.wm_state = 0;
	window->told.frame = (struct frame_extents){0};
	window->told.actions = X_ACTIONS_NONE;
	window->monitors.pending = window->monitors.set = false;
	hide(window);
	xwin_forget_announcement(window);
	xwin_focus_forget(window);
	xwin_sync_forget(window);
	if (!window->override_redirect) {
		xwin_mark(window, X_DIRTY_WITHDRAWN);
	}
}

void xwin_release(struct xwin *window)
{
	if (window->surface) {
		surface_unmap(window->surface);
	}
	xwin_managed_destroy(window);
	window->override_redirect = true;
	window->states = window->told.states = window->told.wm_state = 0;
	window->told.frame = (struct frame_extents){0};
	window->told.actions = X_ACTIONS_NONE;
	xwin_mark(window, X_DIRTY_WITHDRAWN);
	xwin_focus_forget(window);
	xwin_sync_forget(window);
	xwin_sync_send(window);
	xwin_unmanaged_show(window);
}
