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

/* Windows of a fixed size are neither resized nor maximised. */
void xwin_actions_send(struct xwin *window)
{
	static const enum x_atom actions[] = {X__NET_WM_ACTION_MOVE, X__NET_WM_ACTION_MINIMIZE,
		X__NET_WM_ACTION_FULLSCREEN, X__NET_WM_ACTION_CLOSE, X__NET_WM_ACTION_ABOVE,
		X__NET_WM_ACTION_BELOW, X__NET_WM_ACTION_RESIZE, X__NET_WM_ACTION_MAXIMIZE_HORZ,
		X__NET_WM_ACTION_MAXIMIZE_VERT};
	struct xwm *wm = window->wm;
	const struct x_size_hints *hints = &window->hints;
	const bool fixed = hints->max_width > 0 && hints->min_width == hints->max_width &&
			   hints->max_height > 0 && hints->min_height == hints->max_height;
	const enum x_actions which = fixed ? X_ACTIONS_FIXED : X_ACTIONS_ALL;
	xcb_atom_t atoms[sizeof(actions) / sizeof(actions[0])];
	const uint32_t n = sizeof(actions) / sizeof(actions[0]) - (fixed ? 3 : 0);
	if (window->told.actions == which) {
		return;
	}
	window->told.actions = which;
	for (uint32_t i = 0; i < n; i++) {
		atoms[i] = wm->atoms[actions[i]];
	}
	xcb_change_property(wm->x, XCB_PROP_MODE_REPLACE, window->id,
		wm->atoms[X__NET_WM_ALLOWED_ACTIONS], XCB_ATOM_ATOM, 32, n, atoms);
}

void xwin_frame_send(struct xwin *window, const struct frame_extents *frame)
{
	const uint32_t values[4] = {(uint32_t)frame->left, (uint32_t)frame->right,
		(uint32_t)frame->top, (uint32_t)frame->bottom};
	struct xwm *wm = window->wm;
	xcb_change_property(wm->x, XCB_PROP_MODE_REPLACE, window->id,
		wm->atoms[X__NET_FRAME_EXTENTS], XCB_ATOM_CARDINAL, 32, 4, values);
}

void xwin_send_withdrawn(struct xwin *window)
{
	struct xwm *wm = window->wm;
	if (!window->map_requested || window->override_redirect) {
		xwin_send_wm_state(window, XCB_ICCCM_WM_STATE_WITHDRAWN);
		xcb_delete_property(wm->x, window->id, wm->atoms[X__NET_WM_STATE]);
		xcb_delete_property(wm->x, window->id, wm->atoms[X__NET_WM_ALLOWED_ACTIONS]);
		xcb_delete_property(wm->x, window->id, wm->atoms[X__NET_FRAME_EXTENTS]);
		xcb_delete_property(wm->x, window->id, wm->atoms[X__NET_WM_FULLSCREEN_MONITORS]);
	}
	if (!window->map_requested) {
		xcb_delete_property(wm->x, window->id, wm->atoms[X__XWAYLAND_ALLOW_COMMITS]);
		const uint32_t position[2] = {(uint32_t)window->box.x, (uint32_t)window->box.y};
		window->granted = xcb_configure_window(
			wm->x, window->id, XCB_CONFIG_WINDOW_X | XCB_CONFIG_WINDOW_Y, position)
					  .sequence;
	}
}
