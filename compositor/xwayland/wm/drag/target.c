/* SPDX-License-Identifier: MIT */
/*
 * Drags of other programs' data over X windows. The source of the messages is the window manager's
 * window, which owns XdndSelection.
 */

#include "drag.h"
#include "surface/surface.h"
#include "xwayland/wm/base/reply.h"
#include "xwayland/wm/base/request.h"
#include "xwayland/wm/base/table.h"
#include "xwayland/wm/selection/selection.h"

/** Time (ns) for a target to answer before a drop. */
#define STATUS_PATIENCE INT64_C(5000000000)
/**
 * After the drop, a target that reads no data gets this time (ns) to finish, up to
 * FINISH_ROUNDS_ALIVE times while it answers pings: it may ask the user. One that leaves the first
 * ping unanswered gets it twice, and one that takes no pings FINISH_ROUNDS times.
 */
#define FINISH_PATIENCE INT64_C(5000000000)
#define FINISH_ROUNDS 12
#define FINISH_ROUNDS_ALIVE 60
/** Versions of XDND. */
#define VERSION 5
#define VERSION_LEAST 3
#define VERSION_FINAL_ACTION 5 /* XdndFinished has a result */
#define ENTER_MORE_TYPES 1

static void send_to(
	struct xwm *wm, enum x_atom type, uint32_t b, uint32_t c, uint32_t d, uint32_t e)
{
	const uint32_t data[5] = {wm->own, b, c, d, e};
	xwm_drag_send_message(wm, wm->drags->to.proxy, wm->drags->to.id, type, data);
}

/* Gives up the window, which was told of no drop. */
static void forget(struct xwm *wm)
{
	struct x_drag_to *to = &wm->drags->to;
	const bool leaves = to->entered && !to->dropped;
	*to = (struct x_drag_to){.round = to->round + 1,
		.left = leaves ? to->id : to->left,
		.left_proxy = leaves ? to->proxy : to->left_proxy};
	timer_disarm(&wm->drags->patience);
	wm->selections_dirty |= 1u << X_SELECTION_DRAG;
	xwm_drags_mark(wm);
}

static void finish(struct xwm *wm, bool accepted, uint32_t action)
{
	const struct x_drag_host *host = xwm_drag_host(wm);
	forget(wm);
	host->finished(host->data, wm->server, accepted, action);
}

void xwm_drag_to_vanished(struct xwm *wm, xcb_window_t id)
{
	struct x_drag_to *to = wm->drags ? &wm->drags->to : NULL;
	if (!to || id == XCB_WINDOW_NONE || (to->id != id && to->proxy != id)) {
		return;
	}
	to->entered = false;
	if (to->drop) {
		finish(wm, false, 0);
		return;
	}
	forget(wm);
	/* The surface may be there without its proxy. */
	xwm_drag_host(wm)->status(xwm_drag_host(wm)->data, wm->server, false, 0);
}

bool xwm_drag_may_read(const struct xwm *wm, xcb_window_t requestor)
{
	return xwm_ids_share_client(wm, requestor, wm->drags->to.id) ||
	       xwm_ids_share_client(wm, requestor, wm->drags->to.proxy);
}

/* Returns whether the target may still finish after another pause without data, and pings it. */
static bool may_finish(struct x_drag_to *to, struct xwin *window)
{
	const bool pings = window && (window->protocols & X_PROTOCOL_PING);
	if (to->pinged || ++to->rounds >= (pings ? FINISH_ROUNDS_ALIVE : FINISH_ROUNDS)) {
		return false;
	}
	if (pings) {
		to->pinged = true;
		xwin_message_send(window, X__NET_WM_PING, XCB_TIME_CURRENT_TIME);
	}
	return true;
}

void xwm_drag_to_pong(struct xwm *wm, xcb_window_t id)
{
	struct x_drag_to *to = &wm->drags->to;
	to->pinged = to->pinged && to->id != id;
}

void xwm_drag_to_timeout(struct timer *timer, int64_t now)
{
	struct x_drags *drags = wl_container_of(timer, drags, patience);
	struct xwm *wm = drags->wm;
	if (!drags->to.drop) {
		return;
	}
	if (drags->to.dropped && (xwm_outgoing_runs(&wm->selections->kinds[X_SELECTION_DRAG]) ||
					 may_finish(&drags->to, xwin_find(wm, drags->to.id)))) {
		timer_arm(timer, now + FINISH_PATIENCE);
		xwm_flush_soon(wm);
	} else {
		finish(wm, false, 0);
	}
}

/* Calls of the host */

void xwm_drag_enter(void *data, struct surface *surface, uint32_t actions)
{
	struct xwm *wm = data;
	const struct xwin *window = xwin_from_surface(wm, surface);
	forget(wm);
	if (window) {
		wm->drags->to.id = window->id;
		wm->drags->to.ask = true;
		wm->drags->to.actions = actions;
	}
}

void xwm_drag_motion(void *data, struct coord_surface at, uint32_t actions, uint32_t action)
{
	struct xwm *wm = data;
	struct x_drag_to *to = &wm->drags->to;
	const struct xwin *window = xwin_find(wm, to->id);
	if (!window || to->drop) {
		return;
	}
	to->actions = actions;
	const int32_t x = window->box.x + (int32_t)at.x, y = window->box.y + (int32_t)at.y;
	if (x != to->x || y != to->y || action != to->suggested || to->ask) {
		to->x = x;
		to->y = y;
		to->suggested = action;
		to->moved = true;
		xwm_drags_mark(wm);
	}
}

void xwm_drag_leave(void *data)
{
	forget(data);
}

void xwm_drag_drop(void *data)
{
	struct xwm *wm = data;
	wm->drags->to.drop = true;
	timer_arm(&wm->drags->patience, clock_now(wm->parts->clock) + STATUS_PATIENCE);
	xwm_drags_mark(wm);
}

/* Messages of the target */

static void handle_status(struct xwm *wm, const uint32_t *data)
{
	struct x_drag_to *to = &wm->drags->to;
	if (!to->entered || to->dropped) {
		return;
	}
	to->waiting = false;
	to->accepted = data[1] & 1;
	to->answer = xwm_drag_action(wm, data[4]);
	if (to->accepted && !to->answer) {
		to->accepted = false;
	}
	to->status_due = true;
	xwm_drags_mark(wm);
}

static void handle_finished(struct xwm *wm, const uint32_t *data)
{
	const struct x_drag_to *to = &wm->drags->to;
	if (!to->dropped) {
		return;
	}
	if (to->version < VERSION_FINAL_ACTION) {
		finish(wm, true, to->answer);
	} else {
		finish(wm, data[1] & 1, xwm_drag_action(wm, data[2]));
	}
}

void xwm_drag_to_message(struct xwm *wm, xcb_atom_t type, const uint32_t *data)
{
	const xcb_window_t id = wm->drags->to.id;
	if (id == XCB_WINDOW_NONE || data[0] != id) {
		return;
	}
	if (type == wm->atoms[X_XdndStatus]) {
		handle_status(wm, data);
	} else if (type == wm->atoms[X_XdndFinished]) {
		handle_finished(wm, data);
	}
}

/* Sending */

static void send_enter(struct xwm *wm)
{
	struct x_drag_to *to = &wm->drags->to;
	xcb_atom_t types[X_SELECTION_ATOMS_MAX] = {0}, actions[2];
	const uint32_t n = xwm_selection_atoms(&wm->selections->kinds[X_SELECTION_DRAG], types);
	uint32_t n_actions = 0;
	for (uint32_t action = X_DRAG_COPY; action <= X_DRAG_MOVE; action <<= 1) {
		if (to->actions & action) {
			actions[n_actions++] = xwm_drag_atom(wm, action);
		}
	}
	xcb_change_property(wm->x, XCB_PROP_MODE_REPLACE, wm->own, wm->atoms[X_XdndTypeList],
		XCB_ATOM_ATOM, 32, n, types);
	xcb_change_property(wm->x, XCB_PROP_MODE_REPLACE, wm->own, wm->atoms[X_XdndActionList],
		XCB_ATOM_ATOM, 32, n_actions, actions);
	send_to(wm, X_XdndEnter, (uint32_t)to->version << 24 | (n > 3 ? ENTER_MORE_TYPES : 0),
		types[0], types[1], types[2]);
	to->entered = true;
}

static uint32_t value_of(const xcb_get_property_reply_t *property)
{
	return property && property->format == 32 && xcb_get_property_value_length(property) >= 4
		       ? *(const uint32_t *)xcb_get_property_value(property)
		       : 0;
}

static void handle_aware(struct xwm *wm, void *data, uint32_t number, void *reply)
{
	struct x_drag_to *to = &wm->drags->to;
	const uint32_t version = value_of(reply);
	if (number != to->round || to->id == XCB_WINDOW_NONE) {
		return;
	}
	to->known = true;
	if (version >= VERSION_LEAST) {
		to->version = version < VERSION ? (int)version : VERSION;
		send_enter(wm);
	}
	xwm_drags_mark(wm);
}

static void request(struct xwm *wm, enum x_atom property,
	void (*handle)(struct xwm *wm, void *data, uint32_t number, void *reply))
{
	const struct x_drag_to *to = &wm->drags->to;
	xcb_get_property_cookie_t cookie = xcb_get_property(
		wm->x, 0, to->proxy, wm->atoms[property], XCB_GET_PROPERTY_TYPE_ANY, 0, 1);
	xwm_reply_expect(wm, cookie.sequence, handle, NULL, to->round);
}

/* A proxy names itself: others are leftovers. */
static void handle_own_proxy(struct xwm *wm, void *data, uint32_t number, void *reply)
{
	struct x_drag_to *to = &wm->drags->to;
	if (number == to->round && to->id != XCB_WINDOW_NONE) {
		to->proxy = value_of(reply) == to->proxy ? to->proxy : to->id;
		request(wm, X_XdndAware, handle_aware);
	}
}

static void handle_proxy(struct xwm *wm, void *data, uint32_t number, void *reply)
{
	struct x_drag_to *to = &wm->drags->to;
	const xcb_window_t proxy = value_of(reply);
	if (number != to->round || to->id == XCB_WINDOW_NONE) {
		return;
	}
	if (proxy == XCB_WINDOW_NONE) {
		request(wm, X_XdndAware, handle_aware);
	} else {
		to->proxy = proxy;
		request(wm, X_XdndProxy, handle_own_proxy);
	}
}

/* Types have been interned before: their replies arrive before these. */
static void request_aware(struct xwm *wm)
{
	struct x_drag_to *to = &wm->drags->to;
	if (to->ask) {
		to->ask = false;
		to->proxy = to->id;
		request(wm, X_XdndProxy, handle_proxy);
	}
}

static void send_position(struct xwm *wm)
{
	struct x_drag_to *to = &wm->drags->to;
	if (!to->entered || !to->moved || to->waiting || to->dropped) {
		return;
	}
	to->moved = false;
	to->waiting = true;
	send_to(wm, X_XdndPosition, 0,
		(uint32_t)(to->x & 0xffff) << 16 | (uint32_t)(to->y & 0xffff),
		wm->selections->kinds[X_SELECTION_DRAG].time, xwm_drag_atom(wm, to->suggested));
}

/* The position that the target has accepted is that of the drop. */
static void send_drop(struct xwm *wm)
{
	struct x_drag_to *to = &wm->drags->to;
	const struct x_drag_host *host = xwm_drag_host(wm);
	if (!to->drop || to->dropped || !to->known || to->waiting) {
		return;
	}
	if (!to->entered || !to->accepted || !(to->answer & to->actions)) {
		finish(wm, false, 0);
		return;
	}
	to->dropped = true;
	timer_arm(&wm->drags->patience, clock_now(wm->parts->clock) + FINISH_PATIENCE);
	send_to(wm, X_XdndDrop, 0, wm->selections->kinds[X_SELECTION_DRAG].time, 0, 0);
	host->dropped(host->data, wm->server);
}

static void send_left(struct xwm *wm)
{
	struct x_drag_to *to = &wm->drags->to;
	const uint32_t data[5] = {wm->own};
	if (to->left != XCB_WINDOW_NONE) {
		xwm_drag_send_message(wm, to->left_proxy, to->left, X_XdndLeave, data);
		to->left = XCB_WINDOW_NONE;
	}
}

void xwm_drag_to_send(struct xwm *wm)
{
	struct x_drag_to *to = &wm->drags->to;
	const struct x_drag_host *host = xwm_drag_host(wm);
	send_left(wm);
	if (to->id == XCB_WINDOW_NONE && to->drop) {
		finish(wm, false, 0);
	}
	if (to->id == XCB_WINDOW_NONE) {
		return;
	}
	request_aware(wm);
	if (to->status_due) {
		to->status_due = false;
		host->status(host->data, wm->server, to->accepted, to->answer);
	}
	send_position(wm);
	send_drop(wm);
	send_left(wm);
}
