/* SPDX-License-Identifier: MIT */
#pragma once

/** X windows: mapping, surfaces, and properties. */

#include "xwayland/wm/base/xwin.h"

/* window.c */
void xwin_add(struct xwm *wm, xcb_window_t id, bool override_redirect, const struct box *box);
/** Requests the size of a window, which is not mapped until it is known. */
void xwin_ask_size(struct xwm *wm, xcb_window_t id);
/** Notes that a window that is not managed was configured as its client asked, by this request. */
void xwin_granted(struct xwm *wm, const xcb_configure_request_event_t *request, unsigned sequence);
/** Removes a window that was destroyed or is no longer a child of the root window. */
void xwin_remove(struct xwin *window);
void xwin_map_request(struct xwin *window);
void xwin_map_notify(struct xwin *window, bool override_redirect);
void xwin_unmap_notify(struct xwin *window);
/** Leaves a managed window that its client has made an override-redirect one to the client. */
void xwin_release(struct xwin *window);
/** Announces the surface of a window by either number; the other one is 0. */
void xwin_handle_announcement(struct xwin *window, uint32_t surface_id, uint64_t serial);
void xwin_pair(struct xwin *window, struct surface *surface);
extern const struct surface_role xwin_role;

/* managed.c: windows of the shell */
/** Shows the window, if all that is needed is known. */
void xwin_managed_try_map(struct xwin *window);
/** The surface has a new state. */
void xwin_managed_applied(struct xwin *window);
void xwin_managed_destroy(struct xwin *window);
/** Sends a dirty window's state. */
void xwin_managed_send(struct xwin *window);
/** Applies a property that was read again. */
void xwin_managed_property(struct xwin *window, enum x_property property);
/** Returns whether a window with these properties has a frame. */
bool xwin_is_framed(const struct xwin *window);
extern const struct window_impl xwin_window_impl;

/* maximize.c */
/** Sets or resets maximised states of a managed window: bits of X_STATE_MAXIMIZED. */
void xwin_maximize(struct xwin *window, bool set, uint32_t states);
/** Returns the maximised states of a managed window. */
uint32_t xwin_maximized(const struct xwin *window);

/* unmanaged.c: override-redirect windows */
void xwin_unmanaged_show(struct xwin *window);
void xwin_unmanaged_applied(struct xwin *window);
void xwin_unmanaged_moved(struct xwin *window);
void xwin_unmanaged_hide(struct xwin *window);

/* unpair.c */
/** Leaves the surface, which keeps its role. */
void xwin_unpair(struct xwin *window);
void xwin_forget_announcement(struct xwin *window);

/* property.c */
/** Requests all properties. Calls xwin_managed_try_map() when they are read. */
void xwin_properties_load(struct xwin *window);
void xwin_property_changed(struct xwin *window, xcb_atom_t atom);
/** Sets _NET_FRAME_EXTENTS of a window that is not managed to the frame that it will have. */
void xwin_estimate_frame(struct xwin *window);
/** Handles a reply; NULL: an error. Frees nothing. */
void xwin_property_reply(
	struct xwin *window, enum x_property property, const xcb_get_property_reply_t *reply);

/* monitors.c */
/** Called by the thread that connects. */
void xwm_monitors_connect(struct xwm *wm);
/** Handles _NET_WM_FULLSCREEN_MONITORS. */
void xwin_monitors_request(struct xwin *window, const uint32_t *indices);
/** Spreads a managed window over the outputs that its client asked for, if it did. */
void xwin_monitors_read(struct xwin *window);
/** Deletes the property once the window is limited to one output again. */
void xwin_monitors_send(struct xwin *window);

/* parent.c */
/** Sets the parent of a managed window. */
void xwin_parent_apply(struct xwin *window);
/** Makes a managed window the parent of those that were mapped before it. */
void xwin_parent_adopt(struct xwin *parent);
