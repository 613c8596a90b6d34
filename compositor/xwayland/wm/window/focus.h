/* SPDX-License-Identifier: MIT */
#pragma once

/** Input focus of X windows, and menus that end with it. */

#include "xwayland/wm/base/xwin.h"

/* focus.c */
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
void xwin_set_time_wanted(struct xwin *window, xcb_timestamp_t time);

/* menu.c */
/** Called by the thread that connects. */
void xwm_menus_connect(struct xwm *wm);
void xwm_menus_watch(struct xwm *wm);
/** Ends open menus at the end of the turn. */
void xwm_menus_dismiss(struct xwm *wm);
void xwm_menus_send(struct xwm *wm);
