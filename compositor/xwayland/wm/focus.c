/* SPDX-License-Identifier: MIT */
/* Input focus: the X server's follows the seat's, by the focus models of ICCCM 4.1.7. */

#include "surface/surface.h"
#include "xwm.h"

/** Error (ns) of the X server's clock, which counts milliseconds of the kernel's coarse clock. */
#define COARSE INT64_C(20000000)

/* Returns the window whose surface has the keyboard, or NULL. */
static struct xwin *focused(const struct xwm *wm)
{
	const struct surface *surface = wm->parts->seat->keyboard.focus;
	if (!surface || surface->role != &xwin_role || !surface->role_data) {
		return NULL;
	}
	struct xwin *window = surface->role_data;
	return window->wm == wm ? window : NULL;
}

static void handle_keyboard_focus(struct wl_listener *listener, void *data)
{
	struct xwm *wm = wl_container_of(listener, wm, keyboard_focus);
	struct xwin *window = focused(wm);
	if (window != wm->focus) {
		if (!window) {
			x_menus_dismiss(wm);
		}
		wm->focus = window;
		wm->focus_dirty = true;
		xwm_flush_soon(wm);
	}
}

void x_focus_watch(struct xwm *wm)
{
	wm->keyboard_focus.notify = handle_keyboard_focus;
	wl_signal_add(&wm->parts->seat->keyboard.events.focus, &wm->keyboard_focus);
}

void x_focus_unwatch(struct xwm *wm)
{
	wl_list_remove(&wm->keyboard_focus.link);
	wl_list_init(&wm->keyboard_focus.link);
}

bool x_same_client(const struct xwm *wm, const struct xwin *a, const struct xwin *b)
{
	const uint32_t mask = xcb_get_setup(wm->x)->resource_id_mask;
	return a && b && (a->id & ~mask) == (b->id & ~mask);
}

/* Has the X server report its time: WM_TAKE_FOCUS must carry one. */
static void ask_time(struct xwm *wm)
{
	xcb_change_property(wm->x, XCB_PROP_MODE_APPEND, wm->own, wm->atoms[X__CAUSEWAY_TIME],
		XCB_ATOM_INTEGER, 32, 0, NULL);
}

void x_focus_time(struct xwm *wm, xcb_timestamp_t time)
{
	struct xwin *window = wm->take_focus;
	wm->take_focus = NULL;
	if (window && window == wm->focus) {
		x_message_send(window, X_WM_TAKE_FOCUS, time);
	}
}

static void set_focus(struct xwm *wm, xcb_window_t id)
{
	xcb_set_input_focus(wm->x, XCB_INPUT_FOCUS_POINTER_ROOT, id, XCB_TIME_CURRENT_TIME);
}

void x_focus_send(struct xwm *wm)
{
	if (!wm->focus_dirty) {
		return;
	}
	wm->focus_dirty = false;
	struct xwin *window = wm->focus, *old = wm->focus_sent;
	wm->focus_sent = window;
	wm->take_focus = NULL;
	const xcb_window_t id = window ? window->id : XCB_WINDOW_NONE;
	xcb_change_property(wm->x, XCB_PROP_MODE_REPLACE, wm->root, wm->atoms[X__NET_ACTIVE_WINDOW],
		XCB_ATOM_WINDOW, 32, 1, &id);
	if (!window) {
		set_focus(wm, XCB_NONE);
		return;
	}
	if (window->input) {
		set_focus(wm, id);
	} else if (!x_same_client(wm, old, window)) {
		set_focus(wm, XCB_NONE); /* until the client takes it */
	}
	if (window->protocols & X_PROTOCOL_TAKE_FOCUS) {
		wm->take_focus = window;
		ask_time(wm);
	}
}

/* A client may move the focus among its own windows; others may not take it. */
void x_focus_in(struct xwm *wm, const xcb_focus_in_event_t *event)
{
	if (event->mode == XCB_NOTIFY_MODE_GRAB || event->mode == XCB_NOTIFY_MODE_UNGRAB ||
		event->detail == XCB_NOTIFY_DETAIL_POINTER) {
		return;
	}
	struct xwin *window = xwin_find(wm, event->event);
	if (!window || window == wm->focus || wm->focus_dirty) {
		return;
	}
	if (x_same_client(wm, window, wm->focus)) {
		if (window->window) {
			window_focus(window->window);
		}
		return;
	}
	wm->focus_dirty = true;
	xwm_flush_soon(wm);
}

void x_focus_forget(struct xwin *window)
{
	struct xwm *wm = window->wm;
	if (wm->focus == window) {
		wm->focus = NULL;
		wm->focus_dirty = true;
		xwm_flush_soon(wm);
	}
	if (wm->focus_sent == window) {
		wm->focus_sent = NULL;
	}
	if (wm->take_focus == window) {
		wm->take_focus = NULL;
	}
}

/* The X server's time is the monotonic clock in milliseconds, and wraps after 49 days. */
void x_focus_wanted(struct xwin *window, xcb_timestamp_t time)
{
	const int64_t now = clock_now(window->wm->parts->clock);
	const int32_t age = (int32_t)((uint32_t)(now / 1000000) - time);
	const bool known = time != XCB_CURRENT_TIME && age > 0 && now / 1000000 > age;
	window->window->wanted = known ? now - age * INT64_C(1000000) + COARSE : 0;
}
