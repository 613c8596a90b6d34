/* SPDX-License-Identifier: MIT */
#pragma once

/** Input focus of X windows, and menus that end with it. */

#include "xwayland/wm/base/xwin.h"

/** Reasons for which an X window may get the focus. */
enum xwin_focus_reason {
	FOCUS_MAPPED,
	FOCUS_STARTED, /* _NET_STARTUP_ID was set after the window was mapped */
	FOCUS_REQUESTED, /* by _NET_ACTIVE_WINDOW */
	FOCUS_RESTORED, /* its client has restored it */
	FOCUS_URGENT, /* it wants attention */
	FOCUS_MOVED, /* its client has moved the focus of the X server to it */
};

/** Facts that decide whether an X window gets the focus. */
struct xwin_focus_facts {
	enum xwin_focus_reason reason;
	bool takes; /* its type and focus model allow that */
	bool declined; /* its user time is 0 */
	bool started; /* the user has started its program just now */
	bool x_focused; /* a window of the same X server has the focus */
	bool same_client; /* the window with the focus is its client's */
	bool visible; /* its workspace is shown, and the session is unlocked */
	bool typing; /* the user types, or has typed since, into another program's window */
};

/* focus.c */
/** Pure: decides whether a window gets the focus. */
bool xwm_focus_decide(const struct xwin_focus_facts *facts);
/**
 * Decides whether a managed window gets the focus for this reason: each change of the focus that an
 * X program causes ends here. `started`: by a startup id of a program that the user has started.
 */
bool xwin_may_focus(const struct xwin *window, enum xwin_focus_reason reason, bool started);
/** Returns whether the type and the focus model of the window allow the focus. */
bool xwin_takes_focus(const struct xwin *window);
void xwm_focus_init(struct xwm *wm);
void xwm_focus_watch(struct xwm *wm);
void xwm_focus_unwatch(struct xwm *wm);
void xwm_focus_send(struct xwm *wm);
/** Continues WM_TAKE_FOCUS with a valid time. */
void xwm_focus_time(struct xwm *wm, xcb_timestamp_t time);
/** Handles FocusIn of a child of the root window, or of the root window itself. */
void xwm_focus_in(struct xwm *wm, const xcb_generic_event_t *event);
void xwin_focus_forget(struct xwin *window);
/** Sets when the user asked for a managed window. */
void xwin_set_time_requested(struct xwin *window, xcb_timestamp_t time);

/* menu.c */
/** Called by the thread that connects. */
void xwm_menus_connect(struct xwm *wm);
void xwm_menus_watch(struct xwm *wm);
/** Ends open menus at the end of the turn. */
void xwm_menus_dismiss(struct xwm *wm);
void xwm_menus_send(struct xwm *wm);
