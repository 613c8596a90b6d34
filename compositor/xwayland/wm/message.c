/* SPDX-License-Identifier: MIT */
/* Client messages: requests of ICCCM and EWMH, and the messages of WM_PROTOCOLS. */

#include "event.h"
#include "shell/stack.h"
#include "surface/surface.h"
#include "xwayland/wm/base/request.h"
#include "xwayland/wm/base/table.h"
#include "xwayland/wm/base/xwm.h"
#include "xwayland/wm/drag/drag.h"
#include "xwayland/wm/hints/hints.h"
#include "xwayland/wm/window/client_request.h"
#include "xwayland/wm/window/focus.h"
#include "xwayland/wm/window/iconic.h"
#include "xwayland/wm/window/scale.h"
#include "xwayland/wm/window/window.h"
#include <xcb/xcb_icccm.h>

/** Actions of _NET_WM_STATE. */
enum {
	STATE_REMOVE,
	STATE_ADD,
	STATE_TOGGLE,
};

/** Directions of _NET_WM_MOVERESIZE; those below MOVE are edges. */
enum {
	DIRECTION_MOVE = 8,
	DIRECTION_CANCEL = 11,
};

/** As in enum xdg_toplevel_resize_edge. */
enum {
	EDGE_TOP = 1,
	EDGE_BOTTOM = 2,
	EDGE_LEFT = 4,
	EDGE_RIGHT = 8,
};

static void handle_surface_id(struct xwin *window, const uint32_t *data)
{
	if (data[0] != 0) {
		xwin_handle_announcement(window, data[0], 0);
	}
}

static void handle_surface_serial(struct xwin *window, const uint32_t *data)
{
	const uint64_t serial = (uint64_t)data[1] << 32 | data[0];
	if (serial != 0) {
		xwin_handle_announcement(window, 0, serial);
	}
}

static bool applies(uint32_t action, bool set)
{
	return action == STATE_ADD || (action == STATE_TOGGLE && !set);
}

/* Programs also send messages between the mapping of a window and its first content. */
static void ask_early(struct xwin *window, uint32_t action, uint32_t named)
{
	struct xwin_asked *asked = &window->asked;
	if (action == STATE_TOGGLE) {
		asked->inverted ^= named;
		return;
	}
	asked->reset |= named;
	asked->inverted = action == STATE_ADD ? asked->inverted | named : asked->inverted & ~named;
}

static void handle_state(struct xwin *window, const uint32_t *data)
{
	struct window *to = window->window;
	const struct xwm *wm = window->wm;
	const uint32_t named = xwm_state_from_atom(wm, data[1]) | xwm_state_from_atom(wm, data[2]);
	if (data[0] > STATE_TOGGLE) {
		return;
	}
	if (!to) {
		ask_early(window, data[0], named & ~(uint32_t)X_STATE_HIDDEN);
		return;
	}
	if (named & X_STATE_FULLSCREEN) {
		window_request_fullscreen(
			to, applies(data[0], to->states & WINDOW_FULLSCREEN), NULL);
	}
	if (named & X_STATE_MAXIMIZED) {
		const uint32_t maximize = named & X_STATE_MAXIMIZED;
		const bool set = (xwin_maximized(window) & maximize) == maximize;
		xwin_maximize(window, applies(data[0], set), maximize);
	}
	if (named & X_STATE_MODAL) {
		window_set_modal(to, applies(data[0], window_is_modal(to)));
	}
	if ((named & X_STATE_DEMANDS_ATTENTION) && applies(data[0], to->urgent)) {
		window_activate(to, xwin_may_focus(window, FOCUS_URGENT, false));
	} else if (named & X_STATE_DEMANDS_ATTENTION) {
		window_calm(to);
	}
	if (named & X_STATE_ABOVE) {
		window_set_on_top(to, applies(data[0], to->on_top));
	}
	if (named & X_STATE_BELOW) {
		window_set_on_bottom(to, applies(data[0], window_is_on_bottom(to)));
	}
	const uint32_t kept = named & (uint32_t)(X_STATE_SKIP_TASKBAR | X_STATE_SKIP_PAGER);
	for (uint32_t bit = 1; bit <= kept; bit <<= 1) {
		if (kept & bit) {
			const bool set = applies(data[0], window->states & bit);
			window->states = set ? window->states | bit : window->states & ~bit;
		}
	}
	xwin_mark(window, X_DIRTY_STATES);
}

static void handle_activate(struct xwin *window, const uint32_t *data)
{
	if (window->window) {
		xwin_activate(window, data[0], data[1]);
	} else if (window->map_requested) {
		window->asked.activation = true;
		window->asked.source = data[0];
		window->asked.time = data[1];
	}
}

static uint32_t edges_of(uint32_t direction)
{
	static const uint32_t edges[DIRECTION_MOVE] = {
		EDGE_TOP | EDGE_LEFT,
		EDGE_TOP,
		EDGE_TOP | EDGE_RIGHT,
		EDGE_RIGHT,
		EDGE_BOTTOM | EDGE_RIGHT,
		EDGE_BOTTOM,
		EDGE_BOTTOM | EDGE_LEFT,
		EDGE_LEFT,
	};
	return edges[direction];
}

/* Follows the pointer only while a button is held that was pressed on an X window. */
static void handle_moveresize(struct xwin *window, const uint32_t *data)
{
	struct seat *seat = window->wm->parts->seat;
	const struct surface *pressed = seat->pointer.press_surface;
	const uint32_t direction = data[2];
	if (!window->window) {
		return;
	}
	if (direction == DIRECTION_CANCEL) {
		if (shell_has_grab(window->wm->parts->shell)) {
			pointer_end_grab(seat);
		}
		return;
	}
	if (seat->pointer.n_buttons == 0 || !pressed || pressed->role != window->wm->role) {
		return;
	}
	if (direction < DIRECTION_MOVE) {
		window_request_resize(window->window, seat, edges_of(direction), false, 0);
	} else if (direction == DIRECTION_MOVE) {
		window_request_move(window->window, seat, false, 0);
	}
}

static void handle_close(struct xwin *window, const uint32_t *data)
{
	if (window->window) {
		window_close(window->window);
	} else {
		window->asked.close = window->map_requested;
	}
}

static void handle_change_state(struct xwin *window, const uint32_t *data)
{
	if (data[0] != XCB_ICCCM_WM_STATE_ICONIC) {
		return;
	}
	if (window->window) {
		xwin_iconify(window);
	} else if (window->map_requested) {
		ask_early(window, STATE_ADD, X_STATE_HIDDEN);
	}
}

/* Programs ask before they map a window. */
static void handle_request_frame(struct xwin *window, const uint32_t *data)
{
	if (window->window) {
		const struct frame_extents frame = xwin_frame(window);
		xwin_frame_send(window, &frame);
	} else {
		xwin_estimate_frame(window);
	}
}

static void handle_restack(struct xwin *window, const uint32_t *data)
{
	if (window->window) {
		xwin_restack(window, data[1], data[2]);
	}
}

/* A pong comes to the root window, and names the window that was pinged. */
static void handle_pong(struct xwm *wm, const uint32_t *data)
{
	struct xwin *window = xwin_find(wm, data[2]);
	if (window && data[0] == wm->atoms[X__NET_WM_PING]) {
		window->pinged = false;
		xwm_drag_to_pong(wm, data[2]);
	}
}

void xwm_message_handle(struct xwm *wm, const xcb_client_message_event_t *message)
{
	static const struct {
		enum x_atom type;
		void (*handle)(struct xwin *window, const uint32_t *data);
		bool own; /* of the X server: ignored if a program sends it */
	} handlers[] = {
		{X_WL_SURFACE_ID, handle_surface_id, .own = true},
		{X_WL_SURFACE_SERIAL, handle_surface_serial, .own = true},
		{X__NET_WM_STATE, handle_state},
		{X__NET_ACTIVE_WINDOW, handle_activate},
		{X__NET_WM_MOVERESIZE, handle_moveresize},
		{X__NET_MOVERESIZE_WINDOW, xwin_moveresize_request},
		{X__NET_RESTACK_WINDOW, handle_restack},
		{X__NET_CLOSE_WINDOW, handle_close},
		{X_WM_CHANGE_STATE, handle_change_state},
		{X__NET_REQUEST_FRAME_EXTENTS, handle_request_frame},
		{X__NET_WM_FULLSCREEN_MONITORS, xwin_monitors_request},
	};
	const uint32_t *data = message->data.data32;
	const bool sent = message->response_type & X_SENT;
	if (message->format != 32 || xwm_drags_message(wm, message)) {
		return;
	}
	if (message->type == wm->atoms[X_WM_PROTOCOLS] && message->window == wm->root) {
		handle_pong(wm, data);
		return;
	}
	struct xwin *window = xwin_find(wm, message->window);
	for (size_t i = 0; window && i < sizeof(handlers) / sizeof(handlers[0]); i++) {
		if (message->type == wm->atoms[handlers[i].type]) {
			if (!sent || !handlers[i].own) {
				handlers[i].handle(window, data);
			}
			return;
		}
	}
}
