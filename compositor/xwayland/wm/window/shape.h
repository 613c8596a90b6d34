/* SPDX-License-Identifier: MIT */
#pragma once

/** Bounding and input shapes of X windows. */

#include "xwayland/wm/base/xwin.h"

/** Called by the thread that connects. */
void xwm_shape_connect(struct xwm *wm);
/** Has changes of the shape reported. */
void xwin_shape_watch(struct xwin *window);
/** Requests the shapes of a mapped window, if they have changed. */
void xwin_shape_read(struct xwin *window);
/** Applies the shapes to the surface. */
void xwin_shape_apply(struct xwin *window);
/** Shows the surface as a whole, and frees the shapes. */
void xwin_shape_forget(struct xwin *window);
bool xwm_shape_event(struct xwm *wm, const xcb_generic_event_t *event);
