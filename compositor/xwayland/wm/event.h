/* SPDX-License-Identifier: MIT */
#pragma once

/** Events of the X server. */

#include <xcb/xcb.h>

struct xwm;

/* event.c */
void xwm_handle_event(struct xwm *wm, xcb_generic_event_t *event);

/* message.c */
void xwm_message_handle(struct xwm *wm, const xcb_client_message_event_t *message);
