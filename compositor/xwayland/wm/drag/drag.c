/* SPDX-License-Identifier: MIT */
/* Drag and drop with X programs: dispatch to sources and targets, and the turn's work. */

#include "drag.h"
#include "util/xalloc.h"
#include <stdlib.h>

bool xwm_drags_message(struct xwm *wm, const xcb_client_message_event_t *message)
{
	if (message->window == wm->own) {
		xwm_drag_to_message(wm, message->type, message->data.data32);
	} else if (wm->cover != XCB_WINDOW_NONE && message->window == wm->cover) {
		xwm_drag_from_message(wm, message->type, message->data.data32);
	} else {
		return false;
	}
	return true;
}

void xwm_drags_send(struct xwm *wm)
{
	if (wm->drags->dirty) {
		wm->drags->dirty = false;
		xwm_drag_from_send(wm);
		xwm_drag_to_send(wm);
	}
}

bool xwm_drags_dirty(const struct xwm *wm)
{
	return wm->drags->dirty;
}

void xwm_drags_create(struct xwm *wm)
{
	wm->drags = xcalloc(1, sizeof(*wm->drags));
	wm->drags->wm = wm;
	signal_add(&wm->events.shown, &wm->drags->shown, xwm_drag_handle_shown);
	timer_init(&wm->drags->patience, wm->parts->clock, xwm_drag_to_timeout);
}

void xwm_drags_destroy(struct xwm *wm)
{
	struct x_drags *drags = wm->drags;
	if (!drags) {
		return;
	}
	if (drags->to.drop) {
		xwm_drag_host(wm)->finished(xwm_drag_host(wm)->data, wm->server, false, 0);
	}
	wm->parts->selections->withdraw(wm->parts->selections->data, wm->server, X_SELECTION_DRAG);
	wl_list_remove(&drags->shown.link);
	timer_finish(&drags->patience);
	free(drags);
	wm->drags = NULL;
}

const struct x_selection_drag_impl *xwm_drag_selection_impl(void)
{
	static const struct x_selection_drag_impl impl = {
		.owned = xwm_drag_owner,
		.loaded = xwm_drag_loaded,
		.may_read = xwm_drag_may_read,
	};
	return &impl;
}

const struct x_drag_wm_impl *xwm_drag_impl(void)
{
	static const struct x_drag_wm_impl impl = {
		.enter = xwm_drag_enter,
		.motion = xwm_drag_motion,
		.leave = xwm_drag_leave,
		.drop = xwm_drag_drop,
		.cover = xwm_drag_cover,
		.answer = xwm_drag_answer,
		.finish = xwm_drag_finish,
		.end = xwm_drag_end,
	};
	return &impl;
}
