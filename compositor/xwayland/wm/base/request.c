/* SPDX-License-Identifier: MIT */
/* Requests to the X server: state that the end of the turn sends, and messages of WM_PROTOCOLS. */

#include "request.h"
#include "util/log.h"
#include "xwm.h"

void xwm_flush_soon(struct xwm *wm)
{
	if (wm->x && !wm->connecting && !wm->flush.armed) {
		timer_arm_soon(&wm->flush, clock_now(wm->parts->clock));
	}
}

void xwin_mark(struct xwin *window, uint32_t dirty)
{
	window->dirty |= dirty;
	if (wl_list_empty(&window->dirty_link)) {
		wl_list_insert(window->wm->dirty.prev, &window->dirty_link);
	}
	xwm_flush_soon(window->wm);
}

void xwm_fail(struct xwm *wm, const char *why)
{
	if (!wm->failed) {
		wm->failed = true;
		log_warn("X server :%d: %s", wm->server->display, why);
		x_server_end(wm->server);
	}
}

void xwin_message_send(struct xwin *window, enum x_atom protocol, xcb_timestamp_t time)
{
	struct xwm *wm = window->wm;
	const xcb_client_message_event_t message = {
		.response_type = XCB_CLIENT_MESSAGE,
		.format = 32,
		.window = window->id,
		.type = wm->atoms[X_WM_PROTOCOLS],
		.data.data32 = {wm->atoms[protocol], time, window->id},
	};
	xcb_send_event(wm->x, 0, window->id, XCB_EVENT_MASK_NO_EVENT, (const char *)&message);
}
