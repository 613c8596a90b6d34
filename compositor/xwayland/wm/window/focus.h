/* SPDX-License-Identifier: MIT */
#pragma once

/** Input focus of X windows, and menus that end with it. */

#include "xwayland/wm/base/xwin.h"

/* focus.c */
void x_focus_init(struct xwm *wm);
void x_focus_watch(struct xwm *wm);
void x_focus_unwatch(struct xwm *wm);
void x_focus_send(struct xwm *wm);
/** Continues WM_TAKE_FOCUS with a valid time. */
void x_focus_time(struct xwm *wm, xcb_timestamp_t time);
/** Handles FocusIn of a child of the root window, or of the root window itself. */
void x_focus_in(struct xwm *wm, const xcb_generic_event_t *event);
void x_focus_forget(struct xwin *window);
/** Sets when the user asked for a managed window. */
void x_focus_wanted(struct xwin *window, xcb_timestamp_t time);

/* menu.c */
/** Called by the thread that connects. */
void x_menus_connect(struct xwm *wm);
void x_menus_watch(struct xwm *wm);
/** Ends open menus at the end of the turn. */
void x_menus_dismiss(struct xwm *wm);
void x_menus_send(struct xwm *wm);
