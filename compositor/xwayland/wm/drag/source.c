/* SPDX-License-Identifier: MIT */
/*
 * Drags of X programs over surfaces of others. A window above all others takes their place in the X
 * server, so that the program offers its data to the window manager.
 */

#include "drag.h"
#include "surface/surface.h"
#include "xwayland/wm/base/reply.h"
#include "xwayland/wm/base/table.h"
#include "xwayland/wm/selection/selection.h"

/** Largest size of a window. */
#define COVER_SIZE 32767
/** Flags of XdndEnter and XdndStatus. */
#define ENTER_MORE_TYPES 1
#define STATUS_ACCEPT 1
#define STATUS_ALL_POSITIONS 2

static struct x_selection *selection_of(const struct xwm *wm)
{
	return &wm->selections->kinds[X_SELECTION_DRAG];
}

/* Icons and menus of the program do not hide the surfaces below them from the drag. */
static bool is_icon(const struct xwm *wm, const struct xwin *window)
{
	const struct x_drag_from *from = &wm->drags->from;
	return from->active && window->id != from->origin &&
	       xwm_ids_share_client(wm, window->id, from->owner);
}

static void mark_icon(struct xwin *window)
{
	if (window->tree) {
		window->tree->no_input = is_icon(window->wm, window);
	}
}

static void mark_icons(struct xwm *wm)
{
	struct xwin *window;
	wl_list_for_each (window, &wm->windows, link) {
		mark_icon(window);
	}
}

void xwm_drag_handle_shown(struct wl_listener *listener, void *data)
{
	mark_icon(data);
}

/* Returns the window of the owner that a surface belongs to, or NULL. */
static const struct xwin *own_window(
	const struct xwm *wm, const struct surface *surface, xcb_window_t owner)
{
	const struct xwin *window = xwin_from_surface(wm, surface);
	return window && xwm_ids_share_client(wm, window->id, owner) ? window : NULL;
}

/*
 * Finds the window on which the owner's drag begins, and its touch point. Returns NULL without one.
 */
static const struct xwin *find_origin(
	const struct xwm *wm, xcb_window_t owner, const struct seat_touch_point **point)
{
	const struct seat *seat = wm->parts->seat;
	const struct xwin *window = NULL;
	*point = NULL;
	if (seat->pointer.n_sent_presses > 0) {
		window = own_window(wm, seat->pointer.press_surface, owner);
	}
	for (int i = 0; !window && i < seat->touch.n_points; i++) {
		*point = &seat->touch.points[i];
		window = (*point)->ended ? NULL : own_window(wm, (*point)->surface, owner);
	}
	return window;
}

void xwm_drag_owner(struct xwm *wm, xcb_window_t owner)
{
	const struct x_selection_host *host = wm->parts->selections;
	const struct seat_touch_point *point;
	const struct xwin *origin = find_origin(wm, owner, &point);
	struct x_drag_from *from = &wm->drags->from;
	host->withdraw(host->data, wm->server, X_SELECTION_DRAG);
	*from = (struct x_drag_from){
		.owner = owner, .cover = from->cover, .covered = from->covered};
	selection_of(wm)->asked = XCB_TIME_CURRENT_TIME;
	if (origin) {
		from->origin = origin->id;
		from->active = true;
		from->active = xwm_drag_host(wm)->start(xwm_drag_host(wm)->data, wm->server, point);
		if (from->active) {
			mark_icons(wm);
		}
	}
	xwm_drags_mark(wm);
}

/* Messages of the program */

static void handle_actions(struct xwm *wm, void *data, uint32_t number, void *reply)
{
	const xcb_get_property_reply_t *property = reply;
	if (number != selection_of(wm)->round || !property || property->format != 32) {
		return;
	}
	const xcb_atom_t *atoms = xcb_get_property_value(property);
	for (int i = 0; i < xcb_get_property_value_length(property) / 4; i++) {
		wm->drags->from.listed |= xwm_drag_action(wm, atoms[i]);
	}
}

static void handle_types(struct xwm *wm, void *data, uint32_t number, void *reply)
{
	const xcb_get_property_reply_t *property = reply;
	if (number == selection_of(wm)->round && property && property->format == 32) {
		xwm_selection_set_targets(selection_of(wm), xcb_get_property_value(property),
			xcb_get_property_value_length(property) / 4);
	}
}

static void request(struct xwm *wm, xcb_window_t window, enum x_atom property,
	void (*handle)(struct xwm *wm, void *data, uint32_t number, void *reply))
{
	xcb_get_property_cookie_t cookie = xcb_get_property(wm->x, 0, window, wm->atoms[property],
		XCB_GET_PROPERTY_TYPE_ANY, 0, X_SELECTION_TYPES_MAX);
	xwm_reply_expect(wm, cookie.sequence, handle, NULL, selection_of(wm)->round);
}

/* The types of a drag stay the same: they are read once. */
static void load(struct xwm *wm, const uint32_t *data)
{
	wm->drags->from.loading = true;
	request(wm, data[0], X_XdndActionList, handle_actions);
	if (data[1] & ENTER_MORE_TYPES) {
		request(wm, data[0], X_XdndTypeList, handle_types);
		return;
	}
	int n = 0;
	while (n < 3 && data[2 + n] != XCB_ATOM_NONE) {
		n++;
	}
	xwm_selection_set_targets(selection_of(wm), data + 2, n);
}

void xwm_drag_loaded(struct xwm *wm)
{
	wm->drags->from.loaded = true;
	xwm_drags_mark(wm);
}

static void set_position(struct xwm *wm, const uint32_t *data)
{
	struct x_drag_from *from = &wm->drags->from;
	const uint32_t action = xwm_drag_action(wm, data[4]);
	from->actions = action ? action : X_DRAG_COPY;
	if (action == X_DRAG_ASK) {
		from->actions |= from->listed ? from->listed : X_DRAG_COPY;
	}
	from->status_due = true;
	selection_of(wm)->asked = data[3];
}

void xwm_drag_from_message(struct xwm *wm, xcb_atom_t type, const uint32_t *data)
{
	struct x_drag_from *from = &wm->drags->from;
	if (!xwm_ids_share_client(wm, data[0], from->owner)) {
		return;
	}
	if (!from->active) {
		if (type == wm->atoms[X_XdndDrop]) {
			wm->drags->finished.window = data[0]; /* too late */
			xwm_drag_finish(wm, false, 0);
		}
		return;
	}
	if (type == wm->atoms[X_XdndEnter]) {
		from->window = data[0];
		from->inside = true;
		if (!from->loading) {
			load(wm, data);
		}
	} else if (type == wm->atoms[X_XdndPosition] && from->inside) {
		set_position(wm, data);
	} else if (type == wm->atoms[X_XdndLeave]) {
		from->inside = from->drop = false;
	} else if (type == wm->atoms[X_XdndDrop] && from->inside) {
		from->drop = true;
		selection_of(wm)->asked = data[2];
	}
	xwm_drags_mark(wm);
}

/* Calls of the host */

void xwm_drag_cover(void *data, bool cover)
{
	struct xwm *wm = data;
	wm->drags->from.cover = cover;
	xwm_drags_mark(wm);
}

void xwm_drag_answer(void *data, bool accepted, uint32_t action)
{
	struct xwm *wm = data;
	struct x_drag_from *from = &wm->drags->from;
	if (from->accepted != accepted || from->action != action) {
		from->accepted = accepted;
		from->action = action;
		from->status_due = true;
		xwm_drags_mark(wm);
	}
}

void xwm_drag_finish(void *data, bool accepted, uint32_t action)
{
	struct xwm *wm = data;
	wm->drags->finished.due = true;
	wm->drags->finished.accepted = accepted;
	wm->drags->finished.action = action;
	xwm_drags_mark(wm);
}

void xwm_drag_end(void *data)
{
	struct xwm *wm = data;
	wm->drags->from.active = false;
	mark_icons(wm);
}

/* Sending */

static void make_cover(struct xwm *wm)
{
	const uint32_t version = 5, override = 1;
	wm->cover = xcb_generate_id(wm->x);
	xcb_create_window(wm->x, 0, wm->cover, wm->root, 0, 0, COVER_SIZE, COVER_SIZE, 0,
		XCB_WINDOW_CLASS_INPUT_ONLY, XCB_COPY_FROM_PARENT, XCB_CW_OVERRIDE_REDIRECT,
		&override);
	xcb_change_property(wm->x, XCB_PROP_MODE_REPLACE, wm->cover, wm->atoms[X_XdndAware],
		XCB_ATOM_ATOM, 32, 1, &version);
}

static void send_cover(struct xwm *wm)
{
	struct x_drags *drags = wm->drags;
	const uint32_t above = XCB_STACK_MODE_ABOVE;
	if (drags->from.cover == drags->from.covered) {
		return;
	}
	drags->from.covered = drags->from.cover;
	if (!drags->from.cover) {
		xcb_unmap_window(wm->x, wm->cover);
		return;
	}
	if (wm->cover == XCB_WINDOW_NONE) {
		make_cover(wm);
	}
	xcb_configure_window(wm->x, wm->cover, XCB_CONFIG_WINDOW_STACK_MODE, &above);
	xcb_map_window(wm->x, wm->cover);
}

static void send_status(struct xwm *wm)
{
	struct x_drag_from *from = &wm->drags->from;
	if (!from->status_due || !from->inside || !from->active) {
		return;
	}
	from->status_due = false;
	const uint32_t flags = STATUS_ALL_POSITIONS | (from->accepted ? STATUS_ACCEPT : 0);
	const uint32_t data[5] = {wm->cover, flags, 0, 0, xwm_drag_atom(wm, from->action)};
	xwm_drag_send_message(wm, from->window, from->window, X_XdndStatus, data);
}

static void send_finished(struct xwm *wm)
{
	struct x_drags *drags = wm->drags;
	if (!drags->finished.due) {
		return;
	}
	const uint32_t data[5] = {wm->cover, drags->finished.accepted,
		drags->finished.accepted ? xwm_drag_atom(wm, drags->finished.action) : 0};
	drags->finished.due = false;
	if (drags->finished.window != XCB_WINDOW_NONE) {
		const xcb_window_t window = drags->finished.window;
		xwm_drag_send_message(wm, window, window, X_XdndFinished, data);
	}
}

static void tell_host(struct xwm *wm)
{
	struct x_drag_from *from = &wm->drags->from;
	const struct x_drag_host *host = xwm_drag_host(wm);
	if (!from->active) {
		return;
	}
	if (from->actions && from->actions != from->actions_told) {
		from->actions_told = from->actions;
		host->suggest(host->data, wm->server, from->actions);
	}
	if (from->loaded && from->inside != from->inside_told) {
		from->inside_told = from->inside;
		host->hover(host->data, wm->server, from->inside);
	}
	if (from->drop) {
		from->drop = from->inside = from->inside_told = false;
		wm->drags->finished.window = from->window;
		host->release(host->data, wm->server);
	}
}

void xwm_drag_from_send(struct xwm *wm)
{
	tell_host(wm);
	send_cover(wm);
	send_status(wm);
	send_finished(wm);
}
