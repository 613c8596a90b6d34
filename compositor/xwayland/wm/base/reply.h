/* SPDX-License-Identifier: MIT */
#pragma once

/** Replies of the X server. */

#include <stdbool.h>
#include <stdint.h>

struct xwin;
struct xwm;

/** Has `handle` called with the reply to a request, NULL for an error. */
void xwm_reply_expect(struct xwm *wm, unsigned sequence,
	void (*handle)(struct xwm *wm, void *data, uint32_t number, void *reply), void *data,
	uint32_t number);
/** The same with the window as `data`, unless the window is gone by then. */
void xwin_reply_expect(struct xwin *window, unsigned sequence,
	void (*handle)(struct xwm *wm, void *data, uint32_t number, void *reply), uint32_t number);
/**
 * Handles a reply; returns false if none has arrived. Expects that no event is queued: replies
 * follow events.
 */
bool xwm_reply_handle_next(struct xwm *wm);
/** Forgets all replies. */
void xwm_replies_drop(struct xwm *wm);
