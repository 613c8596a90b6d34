/* SPDX-License-Identifier: MIT */
/* Input focus: the X server's follows the seat's, by the focus models of ICCCM 4.1.7. */

#include "focus.h"
#include "surface/surface.h"
#include "xwayland/wm/base/pace.h"
#include "xwayland/wm/base/request.h"
#include "xwayland/wm/base/table.h"
#include "xwayland/wm/base/xwm.h"

/** Error (ns) of the X server's clock, which counts milliseconds of the kernel's coarse clock. */
#define COARSE INT64_C(20000000)

bool xwin_takes_focus(const struct xwin *window)
{
	if (window->type == X_TYPE_MENU || window->type == X_TYPE_DOCK) {
		return false;
	}
	return window->input || (window->protocols & X_PROTOCOL_TAKE_FOCUS);
}

bool xwm_focus_decide(const struct xwin_focus_facts *facts)
{
	switch (facts->reason) {
	case FOCUS_MAPPED: return facts->takes && (facts->started || !facts->declined);
	case FOCUS_STARTED: return facts->started;
	case FOCUS_REQUESTED: return facts->x_focused && !facts->typing;
	case FOCUS_RESTORED: return facts->visible && !facts->typing;
	case FOCUS_URGENT: return false;
	case FOCUS_MOVED: return facts->same_client;
	}
	return false;
}

bool xwin_may_focus(const struct xwin *window, enum xwin_focus_reason reason, bool started)
{
	const struct window *of = window->window;
	const struct xwin *focus = window->wm->focus.window;
	const struct xwin_focus_facts facts = {
		.reason = reason,
		.takes = xwin_takes_focus(window),
		.declined = window->user_time.given && window->user_time.time == 0,
		.started = started,
		.x_focused = focus != NULL,
		.same_client = focus == window || xwin_same_client(window, focus),
		.visible = of->mapped && of->workspace->shown && !of->shell->locked,
		.typing = of->mapped && window_interrupts_typing(of),
	};
	return xwm_focus_decide(&facts);
}

static void handle_keyboard_focus(struct wl_listener *listener, void *data)
{
	struct xwm *wm = wl_container_of(listener, wm, focus.keyboard);
	struct xwin *window = xwin_from_surface(wm, wm->parts->seat->keyboard.focus);
	if (window != wm->focus.window) {
		if (!window) {
			xwm_menus_dismiss(wm);
		}
		wm->focus.window = window;
		wm->focus.dirty = true;
		wm->focus.chosen = false;
		xwm_flush_soon(wm);
	}
}

static void handle_pause(struct timer *timer, int64_t now)
{
	struct xwm *wm = wl_container_of(timer, wm, focus.pace.pause);
	wm->focus.dirty = true;
	xwm_flush_soon(wm);
}

void xwm_focus_init(struct xwm *wm)
{
	timer_init(&wm->focus.pace.pause, wm->parts->clock, handle_pause);
	wl_list_init(&wm->focus.keyboard.link);
}

void xwm_focus_watch(struct xwm *wm)
{
	signal_add(&wm->parts->seat->keyboard.events.focus, &wm->focus.keyboard,
		handle_keyboard_focus);
}

void xwm_focus_unwatch(struct xwm *wm)
{
	wl_list_remove(&wm->focus.keyboard.link);
	wl_list_init(&wm->focus.keyboard.link);
	timer_finish(&wm->focus.pace.pause);
}

/* Has the X server report its time: WM_TAKE_FOCUS must carry one. */
static void ask_time(struct xwm *wm)
{
	xcb_change_property(wm->x, XCB_PROP_MODE_APPEND, wm->own, wm->atoms[X__CAUSEWAY_TIME],
		XCB_ATOM_INTEGER, 32, 0, NULL);
}

void xwm_focus_time(struct xwm *wm, xcb_timestamp_t time)
{
	struct xwin *window = wm->focus.take;
	wm->focus.take = NULL;
	if (window && window == wm->focus.window) {
		xwin_message_send(window, X_WM_TAKE_FOCUS, time);
	}
}

/* If the window goes, no keys go to the one under the pointer. */
static void set_focus(struct xwm *wm, xcb_window_t id)
{
	wm->focus.request =
		xcb_set_input_focus(wm->x, XCB_INPUT_FOCUS_NONE, id, XCB_TIME_CURRENT_TIME)
			.sequence;
}

void xwm_focus_send(struct xwm *wm)
{
	if (!wm->focus.dirty) {
		return;
	}
	wm->focus.dirty = false;
	struct xwin *window = wm->focus.window, *old = wm->focus.told;
	const bool elsewhere = wm->focus.elsewhere, chosen = wm->focus.chosen;
	wm->focus.elsewhere = wm->focus.chosen = false;
	wm->focus.taken = wm->focus.taken && chosen;
	wm->focus.told = window;
	wm->focus.take = NULL;
	const xcb_window_t id = window ? window->id : XCB_WINDOW_NONE;
	xcb_change_property(wm->x, XCB_PROP_MODE_REPLACE, wm->root, wm->atoms[X__NET_ACTIVE_WINDOW],
		XCB_ATOM_WINDOW, 32, 1, &id);
	if (chosen) {
		return;
	}
	if (!window) {
		set_focus(wm, XCB_NONE);
		return;
	}
	if (window->input) {
		set_focus(wm, id);
	} else if (elsewhere || !xwin_same_client(old, window)) {
		set_focus(wm, XCB_NONE); /* until the client takes it */
	}
	if (window->protocols & X_PROTOCOL_TAKE_FOCUS) {
		wm->focus.take = window;
		ask_time(wm);
	}
}

/* Puts the focus back. Programs that fight for it are slowed down. */
static void put_back(struct xwm *wm)
{
	wm->focus.elsewhere = true;
	wm->focus.chosen = false;
	if (xwm_pace_allows(&wm->focus.pace, clock_now(wm->parts->clock))) {
		wm->focus.dirty = true;
		xwm_flush_soon(wm);
	}
}

/*
 * The focus has left all windows: a menu that had it is gone, or a program did that. Keys would go
 * to the window under the pointer, or be lost.
 */
static void handle_root_focus(struct xwm *wm, uint8_t detail)
{
	const struct xwin *window = wm->focus.window;
	const bool none = detail == XCB_NOTIFY_DETAIL_NONE;
	if (!none && detail != XCB_NOTIFY_DETAIL_INFERIOR &&
		detail != XCB_NOTIFY_DETAIL_POINTER_ROOT) {
		return; /* on the way to a window */
	}
	if (none && (!window || (!window->input && !wm->focus.taken))) {
		return; /* by the window manager */
	}
	put_back(wm);
}

/*
 * Has the shell follow a client that has moved the focus to another of its windows, or a child of
 * that. A change of the shell that is not sent yet is newer.
 */
static void follow(struct xwm *wm, struct xwin *window)
{
	if (wm->focus.dirty && !wm->focus.chosen) {
		return;
	}
	window_focus(window->window);
	if (wm->focus.window == window) {
		wm->focus.chosen = true;
	} else if (window_takes_focus(window->window)) {
		put_back(wm); /* a modal dialog has it, for example */
	}
}

static void handle_window_focus(struct xwm *wm, struct xwin *window)
{
	const bool managed = window->window != NULL;
	if (managed ? !xwin_may_focus(window, FOCUS_MOVED, false)
		    : !xwin_same_client(window, wm->focus.window)) {
		put_back(wm);
		return;
	}
	wm->focus.taken = true;
	if (window != wm->focus.window && managed) {
		follow(wm, window);
	}
}

/* A client may move the focus among its own windows; others may not take it. */
void xwm_focus_in(struct xwm *wm, const xcb_generic_event_t *generic)
{
	const xcb_focus_in_event_t *event = (const void *)generic;
	const bool late = (int32_t)(generic->full_sequence - wm->focus.request) < 0;
	if (event->mode == XCB_NOTIFY_MODE_GRAB || event->mode == XCB_NOTIFY_MODE_UNGRAB ||
		event->detail == XCB_NOTIFY_DETAIL_POINTER || late) {
		return; /* late: the window manager's request has moved the focus since */
	}
	struct xwin *window = xwin_find(wm, event->event);
	if (event->event == wm->root) {
		handle_root_focus(wm, event->detail);
	} else if (window) {
		handle_window_focus(wm, window);
	}
}

void xwin_focus_forget(struct xwin *window)
{
	struct xwm *wm = window->wm;
	if (wm->focus.window == window) {
		wm->focus.window = NULL;
		wm->focus.dirty = true;
		wm->focus.chosen = false;
		xwm_flush_soon(wm);
	}
	if (wm->focus.told == window) {
		wm->focus.told = NULL;
	}
	if (wm->focus.take == window) {
		wm->focus.take = NULL;
	}
}

/* The X server's time is the monotonic clock in milliseconds, and wraps after 49 days. */
void xwin_set_time_requested(struct xwin *window, xcb_timestamp_t time)
{
	const int64_t now = clock_now(window->wm->parts->clock);
	const int32_t age = (int32_t)((uint32_t)(now / 1000000) - time);
	const bool known = time != XCB_CURRENT_TIME && age > 0 && now / 1000000 > age;
	window_set_requested(window->window, known ? now - age * INT64_C(1000000) + COARSE : 0);
}
