/* SPDX-License-Identifier: MIT */
/* Events of the X server, which concern children of the root window. */

#include "event.h"
#include "util/log.h"
#include "xwayland/wm/base/table.h"
#include "xwayland/wm/base/xwm.h"
#include "xwayland/wm/drag/drag.h"
#include "xwayland/wm/selection/selection.h"
#include "xwayland/wm/window/client_request.h"
#include "xwayland/wm/window/focus.h"
#include "xwayland/wm/window/iconic.h"
#include "xwayland/wm/window/order.h"
#include "xwayland/wm/window/shape.h"
#include "xwayland/wm/window/sync.h"
#include "xwayland/wm/window/window.h"

static void handle_create(struct xwm *wm, const xcb_create_notify_event_t *event)
{
	if (event->parent == wm->root) {
		xwin_add(wm, event->window, event->override_redirect,
			&(struct box){event->x, event->y, event->width, event->height});
		xwm_order_added(wm, event->window);
	}
}

static void remove_window(struct xwin *window)
{
	struct xwm *wm = window->wm;
	const xcb_window_t id = window->id;
	xwin_sync_set_counter(window, 0);
	xwin_remove(window);
	xwm_drag_to_vanished(wm, id);
}

static void handle_destroy(struct xwm *wm, const xcb_destroy_notify_event_t *event)
{
	struct xwin *window = xwin_find(wm, event->window);
	xwm_outgoing_vanished(wm, event->window);
	if (window) {
		remove_window(window);
	}
}

static void handle_reparent(struct xwm *wm, const xcb_reparent_notify_event_t *event)
{
	struct xwin *window = xwin_find(wm, event->window);
	if (event->parent != wm->root && window) {
		remove_window(window);
	} else if (event->parent == wm->root && !window) {
		xwin_add(wm, event->window, event->override_redirect,
			&(struct box){event->x, event->y, 1, 1});
		xwin_ask_size(wm, event->window);
	}
	if (event->parent == wm->root) {
		xwm_order_added(wm, event->window);
	}
}

static void handle_map_request(struct xwm *wm, const xcb_map_request_event_t *event)
{
	struct xwin *window = xwin_find(wm, event->window);
	if (window) {
		xwin_map_request(window);
	}
}

static void handle_map(struct xwm *wm, const xcb_map_notify_event_t *event)
{
	struct xwin *window = xwin_find(wm, event->window);
	if (window) {
		xwin_map_notify(window, event->override_redirect);
	}
}

static void handle_unmap(struct xwm *wm, const xcb_unmap_notify_event_t *event)
{
	struct xwin *window = xwin_find(wm, event->window);
	if (window && !xwin_iconic_unmapped(window, event->response_type & X_SENT)) {
		xwin_unmap_notify(window);
	}
}

static void handle_configure(struct xwm *wm, const xcb_generic_event_t *generic)
{
	const xcb_configure_notify_event_t *event = (const void *)generic;
	struct xwin *window = xwin_find(wm, event->window);
	xwm_order_moved(wm, event->window, event->above_sibling);
	if (!window) {
		return;
	}
	/*
	 * A managed window has the shell's position, which may have been sent after this one. So
	 * may a size that was granted.
	 */
	const bool old = (int32_t)(generic->full_sequence - window->granted) < 0 ||
			 (window->dirty & X_DIRTY_WITHDRAWN);
	if (window->window && event->override_redirect) {
		xwin_release(window);
	}
	if (!window->window && !old) {
		window->box = (struct box){event->x, event->y, event->width, event->height};
		xwin_unmanaged_moved(window);
	}
}

static void handle_circulate(struct xwm *wm, const xcb_circulate_notify_event_t *event)
{
	xwm_order_circulated(wm, event->window, event->place == XCB_PLACE_ON_TOP);
}

static void handle_property(struct xwm *wm, const xcb_property_notify_event_t *event)
{
	if (xwm_selections_property(wm, event)) {
		return;
	}
	if (event->window == wm->own && event->atom == wm->atoms[X__CAUSEWAY_TIME]) {
		xwm_focus_time(wm, event->time);
		return;
	}
	struct xwin *window = xwin_find(wm, event->window);
	if (window) {
		xwin_property_changed(window, event->atom);
	}
}

static void handle_error(struct xwm *wm, const xcb_generic_error_t *error)
{
	/* Windows may be destroyed at any time, so that requests for them fail. */
	log_debug(LOG_SHELL, "X server :%d: error %u of request %u.%u", wm->server->display,
		error->error_code, error->major_code, error->minor_code);
	if (error->error_code == XCB_WINDOW) {
		xwm_outgoing_vanished(wm, error->resource_id);
		xwm_drag_to_vanished(wm, error->resource_id);
	}
}

/*
 * Any client can send any event. Only messages and answers to conversions come from clients, and an
 * UnmapNotify that withdraws a window, for window managers that have unmapped it already.
 */
static bool is_forged(const xcb_generic_event_t *event)
{
	const uint8_t type = event->response_type & ~X_SENT;
	return (event->response_type & X_SENT) && type != XCB_CLIENT_MESSAGE &&
	       type != XCB_SELECTION_NOTIFY && type != XCB_UNMAP_NOTIFY;
}

void xwm_handle_event(struct xwm *wm, xcb_generic_event_t *event)
{
	void *any = event;
	if (is_forged(event)) {
		return;
	}
	wm->sequence = event->full_sequence;
	switch (event->response_type & ~X_SENT) {
	case 0: handle_error(wm, any); break;
	case XCB_CREATE_NOTIFY: handle_create(wm, any); break;
	case XCB_DESTROY_NOTIFY: handle_destroy(wm, any); break;
	case XCB_REPARENT_NOTIFY: handle_reparent(wm, any); break;
	case XCB_MAP_REQUEST: handle_map_request(wm, any); break;
	case XCB_MAP_NOTIFY: handle_map(wm, any); break;
	case XCB_UNMAP_NOTIFY: handle_unmap(wm, any); break;
	case XCB_CONFIGURE_REQUEST: xwm_configure_request(wm, any); break;
	case XCB_CONFIGURE_NOTIFY: handle_configure(wm, event); break;
	case XCB_CIRCULATE_NOTIFY: handle_circulate(wm, any); break;
	case XCB_PROPERTY_NOTIFY: handle_property(wm, any); break;
	case XCB_CLIENT_MESSAGE: xwm_message_handle(wm, any); break;
	case XCB_FOCUS_IN: xwm_focus_in(wm, event); break;
	default:
		if (!xwm_sync_event(wm, event) && !xwm_shape_event(wm, event)) {
			xwm_selections_event(wm, event);
		}
		break;
	}
}
