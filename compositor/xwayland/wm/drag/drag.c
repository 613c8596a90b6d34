/* SPDX-License-Identifier: MIT */
/* Drag and drop with X programs: dispatch to sources and targets, and the turn's work. */

#include "drag.h"
#include "util/xalloc.h"
#include <stdlib.h>

bool x_drags_message(struct xwm *wm, const xcb_client_message_event_t *message)
{
	if (message->window == wm->own) {
		x_drag_to_message(wm, message->type, message->data.data32);
	} else if (wm->cover != XCB_WINDOW_NONE && message->window == wm->cover) {
		x_drag_from_message(wm, message->type, message->data.data32);
	} else {
		return false;
	}
	return true;
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
	wm->drags->shown.notify = x_drag_handle_shown;
	wl_signal_add(&wm->events.shown, &wm->drags->shown);
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
	wl_list_remove(&drags->shown.link);
	timer_finish(&drags->patience);
	free(drags);
	wm->drags = NULL;
}

const struct x_selection_drag_impl *x_drag_selection_impl(void)
{
	static const struct x_selection_drag_impl impl = {
		.owned = x_drag_owner,
		.loaded = x_drag_loaded,
		.may_read = x_drag_may_read,
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
		.cover = x_drag_cover,
		.answer = x_drag_answer,
		.finish = x_drag_finish,
		.end = x_drag_end,
	};
	return &impl;
}
