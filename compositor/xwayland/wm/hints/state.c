/* SPDX-License-Identifier: MIT */
/* States of X windows: _NET_WM_STATE and WM_STATE. */

#include "hints.h"
#include "xwayland/wm/base/xwm.h"
#include <xcb/xcb_icccm.h>

static const struct {
	enum x_atom atom;
	uint32_t state;
} states[] = {
	{X__NET_WM_STATE_FULLSCREEN, X_STATE_FULLSCREEN},
	{X__NET_WM_STATE_MAXIMIZED_HORZ, X_STATE_MAXIMIZED_HORZ},
	{X__NET_WM_STATE_MAXIMIZED_VERT, X_STATE_MAXIMIZED_VERT},
	{X__NET_WM_STATE_HIDDEN, X_STATE_HIDDEN},
	{X__NET_WM_STATE_MODAL, X_STATE_MODAL},
	{X__NET_WM_STATE_DEMANDS_ATTENTION, X_STATE_DEMANDS_ATTENTION},
	{X__NET_WM_STATE_ABOVE, X_STATE_ABOVE},
	{X__NET_WM_STATE_BELOW, X_STATE_BELOW},
	{X__NET_WM_STATE_SKIP_TASKBAR, X_STATE_SKIP_TASKBAR},
	{X__NET_WM_STATE_SKIP_PAGER, X_STATE_SKIP_PAGER},
	{X__NET_WM_STATE_FOCUSED, X_STATE_FOCUSED},
};

#define STATES (sizeof(states) / sizeof(states[0]))

uint32_t xwm_state_from_atom(const struct xwm *wm, xcb_atom_t atom)
{
	for (size_t i = 0; i < STATES; i++) {
		if (atom != XCB_ATOM_NONE && wm->atoms[states[i].atom] == atom) {
			return states[i].state;
		}
	}
	return 0;
}

void xwin_states_send(struct xwin *window, uint32_t set)
{
	struct xwm *wm = window->wm;
	xcb_atom_t atoms[STATES];
	uint32_t n = 0;
	for (size_t i = 0; i < STATES; i++) {
		if (set & states[i].state) {
			atoms[n++] = wm->atoms[states[i].atom];
		}
	}
	xcb_change_property(wm->x, XCB_PROP_MODE_REPLACE, window->id, wm->atoms[X__NET_WM_STATE],
		XCB_ATOM_ATOM, 32, n, atoms);
}

void xwin_send_wm_state(struct xwin *window, uint32_t state)
{
	struct xwm *wm = window->wm;
	const xcb_atom_t atom = wm->atoms[X_WM_STATE];
	const uint32_t values[2] = {state, XCB_WINDOW_NONE};
	xcb_change_property(wm->x, XCB_PROP_MODE_REPLACE, window->id, atom, atom, 32, 2, values);
}

void xwin_send_withdrawn(struct xwin *window)
{
	struct xwm *wm = window->wm;
	if (!window->map_requested) {
		xwin_send_wm_state(window, XCB_ICCCM_WM_STATE_WITHDRAWN);
		xcb_delete_property(wm->x, window->id, wm->atoms[X__NET_WM_STATE]);
		xcb_delete_property(wm->x, window->id, wm->atoms[X__NET_FRAME_EXTENTS]);
		xcb_delete_property(wm->x, window->id, wm->atoms[X__NET_WM_FULLSCREEN_MONITORS]);
		xcb_delete_property(wm->x, window->id, wm->atoms[X__XWAYLAND_ALLOW_COMMITS]);
	}
}
