/* SPDX-License-Identifier: MIT */
/* Properties of the root window: supported hints, windows and the work area. */

#include "root.h"
#include "scene/scene.h"
#include "util/xalloc.h"
#include "xwayland/wm/base/xwm.h"
#include "xwayland/wm/window/scale.h"
#include <stdlib.h>

/** Windows that are listed at most: a list is one request, which the socket must have room for. */
#define LISTED_MAX 4096

static void send(struct xwm *wm, xcb_window_t window, enum x_atom property, xcb_atom_t type,
	const uint32_t *values, uint32_t n)
{
	xcb_change_property(
		wm->x, XCB_PROP_MODE_REPLACE, window, wm->atoms[property], type, 32, n, values);
}

static void send_supported(struct xwm *wm)
{
	static const enum x_atom supported[] = {
		X__NET_SUPPORTED,
		X__NET_SUPPORTING_WM_CHECK,
		X__NET_CLIENT_LIST,
		X__NET_CLIENT_LIST_STACKING,
		X__NET_ACTIVE_WINDOW,
		X__NET_NUMBER_OF_DESKTOPS,
		X__NET_CURRENT_DESKTOP,
		X__NET_DESKTOP_GEOMETRY,
		X__NET_DESKTOP_VIEWPORT,
		X__NET_WORKAREA,
		X__NET_CLOSE_WINDOW,
		X__NET_WM_MOVERESIZE,
		X__NET_MOVERESIZE_WINDOW,
		X__NET_RESTACK_WINDOW,
		X__NET_REQUEST_FRAME_EXTENTS,
		X__NET_FRAME_EXTENTS,
		X__NET_WM_NAME,
		X__NET_WM_ICON,
		X__NET_WM_PING,
		X__NET_WM_SYNC_REQUEST,
		X__NET_WM_STRUT,
		X__NET_WM_STRUT_PARTIAL,
		X__NET_WM_USER_TIME,
		X__NET_WM_USER_TIME_WINDOW,
		X__NET_STARTUP_ID,
		X__NET_WM_ALLOWED_ACTIONS,
		X__NET_WM_ACTION_MOVE,
		X__NET_WM_ACTION_RESIZE,
		X__NET_WM_ACTION_MINIMIZE,
		X__NET_WM_ACTION_MAXIMIZE_HORZ,
		X__NET_WM_ACTION_MAXIMIZE_VERT,
		X__NET_WM_ACTION_FULLSCREEN,
		X__NET_WM_ACTION_CLOSE,
		X__NET_WM_ACTION_ABOVE,
		X__NET_WM_ACTION_BELOW,
		X__NET_WM_STATE,
		X__NET_WM_STATE_FULLSCREEN,
		X__NET_WM_FULLSCREEN_MONITORS,
		X__NET_WM_STATE_MAXIMIZED_HORZ,
		X__NET_WM_STATE_MAXIMIZED_VERT,
		X__NET_WM_STATE_HIDDEN,
		X__NET_WM_STATE_MODAL,
		X__NET_WM_STATE_FOCUSED,
		X__NET_WM_STATE_DEMANDS_ATTENTION,
		X__NET_WM_STATE_ABOVE,
		X__NET_WM_STATE_BELOW,
		X__NET_WM_STATE_SKIP_TASKBAR,
		X__NET_WM_STATE_SKIP_PAGER,
		X__NET_WM_WINDOW_TYPE,
		X__NET_WM_WINDOW_TYPE_NORMAL,
		X__NET_WM_WINDOW_TYPE_DIALOG,
		X__NET_WM_WINDOW_TYPE_UTILITY,
		X__NET_WM_WINDOW_TYPE_SPLASH,
		X__NET_WM_WINDOW_TYPE_DOCK,
	};
	xcb_atom_t atoms[sizeof(supported) / sizeof(supported[0])];
	const uint32_t n = sizeof(supported) / sizeof(supported[0]);
	for (uint32_t i = 0; i < n; i++) {
		atoms[i] = wm->atoms[supported[i]];
	}
	send(wm, wm->root, X__NET_SUPPORTED, XCB_ATOM_ATOM, atoms, n);
}

static void send_constant(struct xwm *wm)
{
	static const char name[] = "Causeway";
	send_supported(wm);
	send(wm, wm->root, X__NET_SUPPORTING_WM_CHECK, XCB_ATOM_WINDOW, &wm->own, 1);
	send(wm, wm->own, X__NET_SUPPORTING_WM_CHECK, XCB_ATOM_WINDOW, &wm->own, 1);
	xcb_change_property(wm->x, XCB_PROP_MODE_REPLACE, wm->own, wm->atoms[X__NET_WM_NAME],
		wm->atoms[X_UTF8_STRING], 8, sizeof(name) - 1, name);
	/* Workspaces are the shell's matter: X programs see one desktop. */
	const uint32_t one = 1, zeros[2] = {0};
	send(wm, wm->root, X__NET_NUMBER_OF_DESKTOPS, XCB_ATOM_CARDINAL, &one, 1);
	send(wm, wm->root, X__NET_CURRENT_DESKTOP, XCB_ATOM_CARDINAL, zeros, 1);
	send(wm, wm->root, X__NET_DESKTOP_VIEWPORT, XCB_ATOM_CARDINAL, zeros, 2);
}

static void unite(struct box *to, const struct box *box)
{
	if (box_empty(to)) {
		*to = *box;
		return;
	}
	const int right = box->x + box->width, bottom = box->y + box->height;
	const int to_right = to->x + to->width, to_bottom = to->y + to->height;
	to->x = to->x < box->x ? to->x : box->x;
	to->y = to->y < box->y ? to->y : box->y;
	to->width = (right > to_right ? right : to_right) - to->x;
	to->height = (bottom > to_bottom ? bottom : to_bottom) - to->y;
}

/* The work area is a single rectangle: the bounds of the usable areas of all outputs. */
void xwm_root_measure(struct xwm *wm)
{
	const struct shell *shell = wm->parts->shell;
	wm->whole = wm->usable = (struct box){0};
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		const struct scene_output *output = wm->parts->scene->outputs[i];
		if (output) {
			struct box box = scene_output_box(output);
			unite(&wm->whole, &box);
			unite(&wm->usable, &shell->usable[i]);
		}
	}
}

static void send_area(struct xwm *wm)
{
	const struct box *whole = &wm->whole, *usable = &wm->usable;
	const uint32_t size[2] = {(uint32_t)xwm_to_root(wm, whole->x + whole->width),
		(uint32_t)xwm_to_root(wm, whole->y + whole->height)};
	const int32_t left = xwm_to_root(wm, usable->x), top = xwm_to_root(wm, usable->y);
	const uint32_t area[4] = {(uint32_t)left, (uint32_t)top,
		(uint32_t)(xwm_to_root(wm, usable->x + usable->width) - left),
		(uint32_t)(xwm_to_root(wm, usable->y + usable->height) - top)};
	send(wm, wm->root, X__NET_DESKTOP_GEOMETRY, XCB_ATOM_CARDINAL, size, 2);
	send(wm, wm->root, X__NET_WORKAREA, XCB_ATOM_CARDINAL, area, 4);
}

void xwm_root_send_area(struct xwm *wm)
{
	if (wm->root_dirty) {
		wm->root_dirty = false;
		xwm_root_measure(wm);
		send_area(wm);
	}
}

/* Before programs can connect, so that they find all properties. */
void xwm_root_send_first(struct xwm *wm)
{
	const xcb_window_t none = XCB_WINDOW_NONE;
	send_constant(wm);
	send_area(wm);
	send(wm, wm->root, X__NET_CLIENT_LIST, XCB_ATOM_WINDOW, NULL, 0);
	send(wm, wm->root, X__NET_CLIENT_LIST_STACKING, XCB_ATOM_WINDOW, NULL, 0);
	send(wm, wm->root, X__NET_ACTIVE_WINDOW, XCB_ATOM_WINDOW, &none, 1);
}

void xwm_root_send_lists(struct xwm *wm)
{
	if (!wm->lists_dirty) {
		return;
	}
	wm->lists_dirty = false;
	xcb_window_t *ids = xcalloc(LISTED_MAX, sizeof(*ids));
	uint32_t n = 0;
	const struct xwin *window;
	wl_list_for_each (window, &wm->windows, link) {
		if (window->window && n < LISTED_MAX) {
			ids[n++] = window->id;
		}
	}
	send(wm, wm->root, X__NET_CLIENT_LIST, XCB_ATOM_WINDOW, ids, n);
	n = 0;
	wl_list_for_each (window, &wm->stack, stack_link) {
		if (n < LISTED_MAX) {
			ids[n++] = window->id;
		}
	}
	send(wm, wm->root, X__NET_CLIENT_LIST_STACKING, XCB_ATOM_WINDOW, ids, n);
	free(ids);
}
