/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Internal interfaces of drag and drop (XDND).
 *
 * Messages of programs and calls of the host only change state; xwm_drags_send() acts on it once in
 * a turn, so that a flood of messages causes no flood of events elsewhere.
 */

#include "xwayland/drag.h"
#include "xwayland/wm/selection/selection.h"

/** The drag of an X program, over surfaces of others: source.c. */
struct x_drag_from {
	xcb_window_t owner; /* of XdndSelection; XCB_WINDOW_NONE: no program */
	xcb_window_t origin; /* on which the button or touch point went down */
	xcb_window_t window; /* named by XdndEnter; gets the answers */
	bool active; /* the host moves the drag */
	bool loading, loaded; /* types of the data */
	bool inside, inside_told; /* between XdndEnter and XdndLeave; as the host was told */
	bool drop; /* XdndDrop has arrived */
	uint32_t listed; /* XdndActionList */
	uint32_t actions, actions_told; /* enum xwm_drag_action */
	bool cover, covered;
	bool status_due, accepted;
	uint32_t action;
};

/** Data of other programs over an X window: target.c. */
struct x_drag_to {
	xcb_window_t id; /* XCB_WINDOW_NONE: none */
	xcb_window_t
		proxy; /* gets its messages: the window itself unless XdndProxy names another */
	uint32_t round; /* replies for earlier windows are ignored */
	bool ask; /* XdndProxy and XdndAware are to be requested */
	bool known; /* it was read */
	bool entered; /* XdndEnter was sent */
	bool moved; /* XdndPosition is to be sent */
	bool waiting; /* for XdndStatus */
	bool status_due; /* the host is to be told the status */
	bool drop, dropped; /* the host has dropped; XdndDrop was sent */
	bool pinged; /* since the drop; has not answered */
	int rounds; /* since the drop, without data */
	bool accepted;
	int version;
	int32_t x, y;
	uint32_t actions, suggested, answer; /* enum xwm_drag_action */
	xcb_window_t left, left_proxy; /* get XdndLeave; XCB_WINDOW_NONE: none */
};

struct x_drags {
	struct xwm *wm;
	bool dirty;
	struct x_drag_from from;
	struct x_drag_to to;
	struct wl_listener shown; /* of xwm.events.shown */
	struct timer patience; /* for the answers of a target, after the drop */
	struct {
		xcb_window_t window; /* gets XdndFinished; XCB_WINDOW_NONE: none */
		bool due, accepted;
		uint32_t action;
	} finished;
};

/* drag.c */
const struct x_selection_drag_impl *xwm_drag_selection_impl(void);
void xwm_drags_create(struct xwm *wm);
void xwm_drags_destroy(struct xwm *wm);
/** Returns true if the message was one of drags. */
bool xwm_drags_message(struct xwm *wm, const xcb_client_message_event_t *message);
/** Does the turn's work. */
void xwm_drags_send(struct xwm *wm);
bool xwm_drags_dirty(const struct xwm *wm);

/* xdnd.c */
void xwm_drags_mark(struct xwm *wm);
/** Sends a message for the window `to` to `proxy`; data[0] is the sender's window. */
void xwm_drag_send_message(struct xwm *wm, xcb_window_t proxy, xcb_window_t to, enum x_atom type,
	const uint32_t data[5]);
xcb_atom_t xwm_drag_atom(const struct xwm *wm, uint32_t action);
/** Returns an action; 0: none. Those without a counterpart are copies. */
uint32_t xwm_drag_action(const struct xwm *wm, xcb_atom_t atom);
const struct x_drag_host *xwm_drag_host(const struct xwm *wm);

/* source.c */
/** Handles a new owner of XdndSelection, which may start a drag. */
void xwm_drag_owner(struct xwm *wm, xcb_window_t owner);
/** Handles that the types of the owner's data are known. */
void xwm_drag_loaded(struct xwm *wm);
/** Handles a new override-redirect window, which may be the icon of a drag. */
void xwm_drag_handle_shown(struct wl_listener *listener, void *data);
void xwm_drag_from_message(struct xwm *wm, xcb_atom_t type, const uint32_t *data);
void xwm_drag_from_send(struct xwm *wm);
void xwm_drag_cover(void *wm, bool cover);
void xwm_drag_answer(void *wm, bool accepted, uint32_t action);
void xwm_drag_finish(void *wm, bool accepted, uint32_t action);
void xwm_drag_end(void *wm);

/* target.c */
/** Handles that a window's program has answered a ping. */
void xwm_drag_to_pong(struct xwm *wm, xcb_window_t id);
/** Handles a window that was destroyed. */
void xwm_drag_to_vanished(struct xwm *wm, xcb_window_t id);
/** Returns whether the client of a window may read the data of the drag. */
bool xwm_drag_may_read(const struct xwm *wm, xcb_window_t requestor);
void xwm_drag_to_message(struct xwm *wm, xcb_atom_t type, const uint32_t *data);
void xwm_drag_to_send(struct xwm *wm);
void xwm_drag_to_timeout(struct timer *timer, int64_t now);
void xwm_drag_enter(void *wm, struct surface *surface, uint32_t actions);
void xwm_drag_motion(void *wm, struct coord_surface at, uint32_t actions, uint32_t action);
void xwm_drag_leave(void *wm);
void xwm_drag_drop(void *wm);
