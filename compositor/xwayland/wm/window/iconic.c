/* SPDX-License-Identifier: MIT */
/*
 * Iconic state. As ICCCM 4.1.4 has it, minimised windows are unmapped in the X server, so that
 * programs restore them by mapping. Xwayland destroys their surface then, and creates one when they
 * are mapped again. Until then, the window of the shell has a surface of the window manager,
 * without content.
 */

#include "iconic.h"
#include "focus.h"
#include "scale.h"
#include "surface/surface.h"
#include "sync.h"
#include "window.h"
#include "xwayland/wm/base/request.h"
#include <string.h>
#include <xcb/xcb_icccm.h>

/** Values of WM_HINTS, and the place of the initial state. */
#define HINTS 9
#define STATE 2
/** The source of a message of a pager. */
#define PAGER 2

void xwin_iconify(struct xwin *window)
{
	if (!window->window->minimized) {
		window_request_minimize(window->window);
		window->iconic.by_client = true;
		window->iconic.hints_renewed = false;
	}
}

static void restore(struct xwin *window)
{
	window_set_minimized(window->window, false);
	window_activate(window->window, xwin_may_focus(window, FOCUS_RESTORED, false));
}

bool xwin_deiconify(struct xwin *window)
{
	if (!window->iconic.by_client) {
		return false;
	}
	restore(window);
	return true;
}

/* A program may restore a window that it has minimised. Any program can claim to be a pager. */
void xwin_activate(struct xwin *window, uint32_t source, xcb_timestamp_t time)
{
	if (window->wm->parts->shell->locked) {
		return;
	}
	xwin_set_time_requested(window, time);
	if (source == PAGER || !xwin_deiconify(window)) {
		window_activate(window->window, xwin_may_focus(window, FOCUS_REQUESTED, false));
	}
}

bool xwin_iconic_map_request(struct xwin *window)
{
	if (!window->iconic.unmapped) {
		return false;
	}
	restore(window);
	return true;
}

/* Xwayland is about to destroy the surface. */
static void leave_surface(struct xwin *window)
{
	if (!window->iconic.stand_in) {
		struct surface *surface = window->surface;
		window->iconic.stand_in = surface_create(surface->loop, surface->client);
		window_set_surface(window->window, window->iconic.stand_in, true);
	}
	xwin_unpair(window);
	xwin_forget_announcement(window);
}

static void unmap(struct xwin *window)
{
	const uint32_t deferred = window->sync.deferred;
	xwin_sync_forget(window);
	if (deferred) {
		xwin_mark(window, deferred);
	}
	window->iconic.unmap_request = xcb_unmap_window(window->wm->x, window->id).sequence;
	window->iconic.unmapped = window->iconic.pending = true;
	leave_surface(window);
}

static void map(struct xwin *window)
{
	xwin_sync_send(window);
	window->iconic.map_request = xcb_map_window(window->wm->x, window->id).sequence;
	window->iconic.unmapped = false;
}

/*
 * A window that is minimised again is unmapped after the event of the last time: one is due at
 * most.
 */
void xwin_iconic_send(struct xwin *window)
{
	const bool minimized = window->window->minimized;
	if (minimized && !window->iconic.unmapped && !window->iconic.pending) {
		unmap(window);
	} else if (!minimized && window->iconic.unmapped) {
		map(window);
	}
}

/*
 * If the client has unmapped the window first, the request has caused no event. Once it has been
 * unmapped by the request, the client's own has no effect, and it withdraws the window by sending
 * an event.
 */
bool xwin_iconic_unmapped(struct xwin *window, bool sent)
{
	const bool due = window->iconic.pending;
	if (sent) {
		return !window->iconic.unmapped;
	}
	window->iconic.pending = false;
	if (due && window->window) {
		xwin_mark(window, X_DIRTY_STATES);
	}
	return due && window->wm->sequence == window->iconic.unmap_request;
}

bool xwin_iconic_is_late(const struct xwin *window)
{
	const int32_t since = (int32_t)(window->wm->sequence - window->iconic.map_request);
	return window->iconic.stand_in && (window->iconic.unmapped || since < 0);
}

bool xwin_iconic_show(struct xwin *window)
{
	struct surface *stand_in = window->iconic.stand_in;
	if (!stand_in || !window->surface || !surface_has_content(window->surface)) {
		return false;
	}
	window->iconic.stand_in = NULL;
	xwin_density_update(window);
	surface_map(window->surface);
	window_set_surface(window->window, window->surface, false);
	surface_destroy(stand_in);
	return true;
}

void xwin_iconic_forget(struct xwin *window)
{
	surface_destroy(window->iconic.stand_in);
	window->iconic.stand_in = NULL;
	window->iconic.unmapped = false;
}

void xwin_iconic_changed(struct xwin *window, enum x_property property)
{
	window->iconic.hints_renewed = window->iconic.hints_renewed || property == PROPERTY_HINTS;
}

/*
 * Tk sets the initial state to NormalState when it restores a window, which is mapped already for
 * the X server. Others change WM_HINTS of a minimised window for its urgency or icon, and have it
 * stay minimised.
 */
void xwin_iconic_read(struct xwin *window, const uint32_t *values, int n)
{
	uint32_t hints[HINTS] = {0};
	const bool normal = n > STATE && (values[0] & XCB_ICCCM_WM_HINT_STATE) &&
			    values[STATE] == XCB_ICCCM_WM_STATE_NORMAL;
	for (int i = 0; i < n && i < HINTS; i++) {
		hints[i] = i == STATE ? 0 : values[i];
	}
	const bool same = memcmp(hints, window->iconic.hints, sizeof(hints)) == 0;
	memcpy(window->iconic.hints, hints, sizeof(hints));
	if (window->window && window->iconic.hints_renewed && normal && same) {
		xwin_deiconify(window);
	}
}
