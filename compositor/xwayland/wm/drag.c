/* SPDX-License-Identifier: MIT */
/* Drag and drop with X programs (XDND version 5): messages, actions, and the turn's work. */

#include "drag.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

void x_drags_mark(struct xwm *wm)
{
	wm->drags->dirty = true;
	xwm_flush_soon(wm);
}

void x_drag_send_message(struct xwm *wm, xcb_window_t proxy, xcb_window_t to, enum x_atom type,
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

xcb_atom_t x_drag_atom(const struct xwm *wm, uint32_t action)
{
	switch (action) {
	case X_DRAG_COPY: return wm->atoms[X_XdndActionCopy];
	case X_DRAG_MOVE: return wm->atoms[X_XdndActionMove];
	case X_DRAG_ASK: return wm->atoms[X_XdndActionAsk];
	default: return XCB_ATOM_NONE;
	}
}

uint32_t x_drag_action(const struct xwm *wm, xcb_atom_t atom)
{
	return atom == XCB_ATOM_NONE                 ? 0
	       : atom == wm->atoms[X_XdndActionMove] ? X_DRAG_MOVE
	       : atom == wm->atoms[X_XdndActionAsk]  ? X_DRAG_ASK
						     : X_DRAG_COPY;
}

const struct x_drag_host *x_drag_host(const struct xwm *wm)
{
	return wm->parts->selections->drags;
}

bool x_drags_message(struct xwm *wm, const xcb_client_message_event_t *message)
{
	const struct x_drags *drags = wm->drags;
	if (message->window == wm->own) {
		x_drag_to_message(wm, message->type, message->data.data32);
	} else if (drags->cover != XCB_WINDOW_NONE && message->window == drags->cover) {
		x_drag_from_message(wm, message->type, message->data.data32);
	} else {
		return false;
	}
	return true;
}

bool x_drag_is_cover(const struct xwm *wm, xcb_window_t id)
{
	return wm->drags && wm->drags->cover == id;
}

void x_drags_send(struct xwm *wm)
{
	if (wm->drags->dirty) {
		wm->drags->dirty = false;
		x_drag_from_send(wm);
		x_drag_to_send(wm);
	}
}

bool x_drags_dirty(const struct xwm *wm)
{
	return wm->drags->dirty;
}

void x_drags_create(struct xwm *wm)
{
	wm->drags = xcalloc(1, sizeof(*wm->drags));
	wm->drags->wm = wm;
	timer_init(&wm->drags->patience, wm->parts->clock, x_drag_to_timeout);
}

void x_drags_destroy(struct xwm *wm)
{
	struct x_drags *drags = wm->drags;
	if (!drags) {
		return;
	}
	if (drags->to.drop) {
		x_drag_host(wm)->finished(x_drag_host(wm)->data, wm->server, false, 0);
	}
	wm->parts->selections->withdraw(wm->parts->selections->data, wm->server, X_SELECTION_DRAG);
	timer_finish(&drags->patience);
	free(drags);
	wm->drags = NULL;
}

const struct x_drag_wm_impl *xwm_drag_impl(void)
{
	static const struct x_drag_wm_impl impl = {
		.enter = xwm_drag_enter,
		.motion = xwm_drag_motion,
		.leave = xwm_drag_leave,
		.drop = xwm_drag_drop,
		.cover = x_drag_cover,
		.answer = x_drag_answer,
		.finish = x_drag_finish,
		.end = x_drag_end,
	};
	return &impl;
}
