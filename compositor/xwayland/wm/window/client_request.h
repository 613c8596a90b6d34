/* SPDX-License-Identifier: MIT */
#pragma once

/** Requests of clients for a place, a size and an order. */

#include "xwayland/wm/base/xwin.h"

/** Handles a ConfigureRequest. */
void xwm_configure_request(struct xwm *wm, const xcb_configure_request_event_t *request);
/** The same for a managed window and a gravity. */
void xwin_managed_configure_request(
	struct xwin *window, const xcb_configure_request_event_t *request, uint32_t gravity);
/** Handles _NET_MOVERESIZE_WINDOW. */
void xwin_moveresize_request(struct xwin *window, const uint32_t *data);
/**
 * Moves a managed window in the order (enum xcb_stack_mode_t); XCB_WINDOW_NONE: among all. Raises
 * it only while its client has the focus.
 */
void xwin_restack(struct xwin *window, xcb_window_t sibling, uint32_t mode);
