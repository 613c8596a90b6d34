/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Stacking order of the X server, which follows the scene's: the X server delivers clicks by its
 * own order.
 *
 * The window manager keeps the order of all children of the root window as events report it, and
 * compares it with the scene's once per turn of the loop.
 */

#include <stdbool.h>
#include <xcb/xcb.h>

struct xwm;

void xwm_order_init(struct xwm *wm);
void xwm_order_finish(struct xwm *wm);
/** Follows the scene's order. */
void xwm_order_watch(struct xwm *wm);
/** Compares the orders at the end of the turn. */
void xwm_order_changed(struct xwm *wm);
/** Sends requests that restack windows, if the orders differ. Their number in a turn is bounded. */
void xwm_order_send(struct xwm *wm);
/** Brings xwm.stack up to date. */
void xwm_order_update(struct xwm *wm);
bool xwm_order_is_dirty(const struct xwm *wm);

/** Handles a window that became a child of the root window: it is above all others. */
void xwm_order_added(struct xwm *wm, xcb_window_t id);
/**
 * Handles that a child of the root window is directly above `below`; XCB_WINDOW_NONE: at the
 * bottom.
 */
void xwm_order_moved(struct xwm *wm, xcb_window_t id, xcb_window_t below);
/** Handles CirculateNotify. */
void xwm_order_circulated(struct xwm *wm, xcb_window_t id, bool to_top);
