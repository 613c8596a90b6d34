/* SPDX-License-Identifier: MIT */
#pragma once

/** Internal interfaces of the iconic state of X windows. */

#include "xwayland/wm/base/xwm.h"

/** Minimises a managed window for its client, which may restore it. */
void xwin_iconify(struct xwin *window);
/** Restores the window for its client. Returns false unless the client has minimised it. */
bool xwin_deiconify(struct xwin *window);
/** Handles _NET_ACTIVE_WINDOW for a managed window. */
void xwin_activate(struct xwin *window, uint32_t source, xcb_timestamp_t time);
/**
 * Restores a window that is unmapped, as its client maps it. Returns false if it is not unmapped.
 */
bool xwin_iconic_map_request(struct xwin *window);
/** Unmaps a window that is minimised, or maps it again if it is restored. */
void xwin_iconic_send(struct xwin *window);
/**
 * Handles UnmapNotify, `sent` by a client or not. Returns false if the client withdraws the window.
 */
bool xwin_iconic_unmapped(struct xwin *window, bool sent);
/** Returns whether the announcement of a surface that just arrived is of an earlier mapping. */
bool xwin_iconic_is_late(const struct xwin *window);
/**
 * Gives a restored window its surface with content. Returns false if there is no such window, or no
 * content.
 */
bool xwin_iconic_show(struct xwin *window);
/** Forgets the state of a window that the shell has no more. */
void xwin_iconic_forget(struct xwin *window);
/** Notes a property that is about to be read. */
void xwin_iconic_changed(struct xwin *window, enum x_property property);
/** Reads WM_HINTS, and restores the window if only the initial state was set. */
void xwin_iconic_read(struct xwin *window, const uint32_t *values, int n);
