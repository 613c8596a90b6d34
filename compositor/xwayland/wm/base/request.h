/* SPDX-License-Identifier: MIT */
#pragma once

/** Requests to the X server. */

#include "atoms.h"
#include <stdint.h>
#include <xcb/xcb.h>

struct xwin;
struct xwm;

/** Marks a window's state to be sent at the end of the turn. */
void xwin_mark(struct xwin *window, uint32_t dirty);
/** Has all dirty state sent at the end of the turn. */
void xwm_flush_soon(struct xwm *wm);
/** Gives up: the X server ends. */
void xwm_fail(struct xwm *wm, const char *why);
/** Sends a message of WM_PROTOCOLS. */
void xwin_message_send(struct xwin *window, enum x_atom protocol, xcb_timestamp_t time);
