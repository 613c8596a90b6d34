/* SPDX-License-Identifier: MIT */
/* Replies of the X server: handled in the order of their requests. */

#include "reply.h"
#include "table.h"
#include "util/xalloc.h"
#include "xwm.h"
#include <stdlib.h>
#include <xcb/xcbext.h>

static struct xwm_reply *expect(struct xwm *wm, unsigned sequence,
	void (*handle)(struct xwm *wm, void *data, uint32_t number, void *reply), uint32_t number)
{
	struct xwm_reply *reply = xcalloc(1, sizeof(*reply));
	reply->sequence = sequence;
	reply->handle = handle;
	reply->number = number;
	wl_list_insert(wm->replies.prev, &reply->link);
	return reply;
}

void xwm_reply_expect(struct xwm *wm, unsigned sequence,
	void (*handle)(struct xwm *wm, void *data, uint32_t number, void *reply), void *data,
	uint32_t number)
{
	expect(wm, sequence, handle, number)->data = data;
}

void xwin_reply_expect(struct xwin *window, unsigned sequence,
	void (*handle)(struct xwm *wm, void *data, uint32_t number, void *reply), uint32_t number)
{
	expect(window->wm, sequence, handle, number)->window = window;
	window->n_refs++;
}

bool xwm_reply_handle_next(struct xwm *wm)
{
	if (wl_list_empty(&wm->replies)) {
		return false;
	}
	struct xwm_reply *reply = wl_container_of(wm->replies.next, reply, link);
	struct xwin *window = reply->window;
	void *answer = NULL;
	xcb_generic_error_t *error = NULL;
	if (!xcb_poll_for_reply(wm->x, reply->sequence, &answer, &error)) {
		return false;
	}
	wl_list_remove(&reply->link);
	if (!window || !window->gone) {
		reply->handle(wm, window ? window : reply->data, reply->number, answer);
	}
	if (window) {
		xwin_unref(window);
	}
	free(answer);
	free(error);
	free(reply);
	return true;
}

void xwm_replies_drop(struct xwm *wm)
{
	struct xwm_reply *reply, *next;
	wl_list_for_each_safe (reply, next, &wm->replies, link) {
		wl_list_remove(&reply->link);
		if (reply->window) {
			xwin_unref(reply->window);
		}
		free(reply);
	}
}
