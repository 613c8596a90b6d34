/* SPDX-License-Identifier: MIT */
#pragma once

/** Sizes that are shown when programs have drawn them: _NET_WM_SYNC_REQUEST. */

#include "xwayland/wm/base/xwin.h"

void xwm_sync_init(struct xwm *wm);
/** Expects that there are no windows. */
void xwm_sync_finish(struct xwm *wm);
/** Returns false without the extension. Called by the thread that connects. */
bool xwm_sync_connect(struct xwm *wm);
bool xwm_sync_event(struct xwm *wm, const xcb_generic_event_t *event);
void xwin_sync_set_counter(struct xwin *window, uint32_t counter);
/** Asks the client to draw the size that is sent next, if it can tell when it has. */
void xwin_sync_begin(struct xwin *window);
/** Allows commits again. */
void xwin_sync_send(struct xwin *window);
/** Stops waiting for a window that is unmapped or gone. */
void xwin_sync_forget(struct xwin *window);
