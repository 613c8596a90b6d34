/* SPDX-License-Identifier: MIT */
/* XDND version 5: messages, actions, and the host of drags. */

#include "drag.h"
#include "xwayland/wm/base/request.h"
#include <string.h>

void xwm_drags_mark(struct xwm *wm)
{
	wm->drags->dirty = true;
	xwm_flush_soon(wm);
}

void xwm_drag_send_message(struct xwm *wm, xcb_window_t proxy, xcb_window_t to, enum x_atom type,
	const uint32_t data[5])
{
	xcb_client_message_event_t message = {
		.response_type = XCB_CLIENT_MESSAGE,
		.format = 32,
		.window = to,
		.type = wm->atoms[type],
	};
	memcpy(message.data.data32, data, sizeof(message.data.data32));
	xcb_send_event(wm->x, 0, proxy, XCB_EVENT_MASK_NO_EVENT, (const char *)&message);
}

xcb_atom_t xwm_drag_atom(const struct xwm *wm, uint32_t action)
{
	switch (action) {
	case X_DRAG_COPY: return wm->atoms[X_XdndActionCopy];
	case X_DRAG_MOVE: return wm->atoms[X_XdndActionMove];
	case X_DRAG_ASK: return wm->atoms[X_XdndActionAsk];
	default: return XCB_ATOM_NONE;
	}
}

uint32_t xwm_drag_action(const struct xwm *wm, xcb_atom_t atom)
{
	return atom == XCB_ATOM_NONE                 ? 0
	       : atom == wm->atoms[X_XdndActionMove] ? X_DRAG_MOVE
	       : atom == wm->atoms[X_XdndActionAsk]  ? X_DRAG_ASK
						     : X_DRAG_COPY;
}

const struct x_drag_host *xwm_drag_host(const struct xwm *wm)
{
	return wm->parts->selections->drags;
}
