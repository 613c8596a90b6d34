/* SPDX-License-Identifier: MIT */
#pragma once

/** Table of X windows. */

#include "xwm.h"

/** Adds a window to the table and to xwm.windows. */
void xwin_insert(struct xwin *window);
struct xwin *xwin_find(struct xwm *wm, xcb_window_t id);
/**
 * Return the X window of a window of the shell or of a surface; NULL: another front end or X server
 * has it.
 */
struct xwin *xwin_from_window(const struct xwm *wm, const struct window *window);
struct xwin *xwin_from_surface(const struct xwm *wm, const struct surface *surface);
/** Returns whether a client has both windows. */
bool xwm_ids_share_client(const struct xwm *wm, xcb_window_t a, xcb_window_t b);
/** Returns whether windows, which may be NULL, belong to the same client. */
bool xwin_same_client(const struct xwin *a, const struct xwin *b);
void xwin_unref(struct xwin *window);
