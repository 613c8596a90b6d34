/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * The X window manager of an X server.
 *
 * The event loop never waits for the X server. A thread makes the connection, with all requests
 * whose answers are needed first. After that, replies are handled as they arrive, and nothing is
 * sent while the socket has little room. Calls of the shell only mark windows as changed: their
 * state is sent at the end of the turn.
 *
 * Coordinates of the X screen are global coordinates times the scale of the X server:
 * window/scale.c.
 */

#include "atoms.h"
#include "pace.h"
#include "xwayland/wm.h"
#include "xwin.h"

/** Windows that a window manager tracks at most. Further ones stay invisible. */
#define XWM_WINDOWS_MAX 16384
#define XWM_BUCKETS_LOG2 12
#define XWM_BUCKETS (1 << XWM_BUCKETS_LOG2)

/** The bit of xcb_generic_event_t.response_type that marks events sent by clients. */
#define X_SENT 0x80
struct x_order {
	struct wl_list children; /* x_child.link, bottom first, as of the events handled */
	struct x_child own, cover; /* windows of the window manager */
	struct wl_listener restacked, pointed;
	bool dirty; /* to be compared with the scene's order */
	bool waiting; /* the X server has not handled the last requests */
	bool by_programs; /* differences from the scene's order are the doing of programs */
	struct x_pace pace; /* of undoing those */
};

/** A reply that the X server owes. */
struct xwm_reply {
	struct wl_list link; /* xwm.replies, in the order of the requests */
	unsigned sequence;
	struct xwin *window; /* a reference, and then `data`; NULL: none */
	void (*handle)(struct xwm *wm, void *data, uint32_t number, void *reply);
	void *data;
	uint32_t number;
};

/** The input focus: focus.c. */
struct xwm_focus {
	struct xwin *window; /* has the keyboard focus of the seat */
	struct xwin *told; /* as the X server was told */
	struct xwin *take; /* gets WM_TAKE_FOCUS with the next time stamp */
	unsigned request; /* sequence number of the last request that set the focus */
	bool dirty;
	bool taken; /* the client of `window` has the X server's focus */
	bool elsewhere; /* another client or none has it */
	bool chosen; /* `window` has it, as the client chose */
	struct x_pace pace; /* of putting it back */
	struct wl_listener keyboard; /* of seat.keyboard.events.focus */
};

struct xwm_connect;

struct xwm {
	const struct xwm_parts *parts;
	struct x_server *server;
	const struct surface_role *role; /* of surfaces of X windows */
	const struct window_impl *window_impl; /* of managed X windows */
	struct account *account; /* of the X server, charged for windows; a reference */
	struct xwm_connect *connecting; /* NULL: connected */
	xcb_connection_t *x; /* NULL: not yet connected */
	xcb_window_t root, own; /* `own` is the window of _NET_SUPPORTING_WM_CHECK */
	xcb_window_t cover; /* takes the drops of X programs; XCB_WINDOW_NONE: none yet */
	xcb_atom_t atoms[X_ATOM_COUNT];
	struct wl_event_source *source;
	uint32_t watched; /* WL_EVENT_READABLE or WL_EVENT_WRITABLE */
	struct timer flush; /* at the end of the turn */
	struct timer resume; /* more events are queued than one turn handles */
	unsigned sequence; /* of the event being handled: of the last request before it */
	bool failed;
	struct wl_list buckets[XWM_BUCKETS]; /* xwin.hash_link */
	uint64_t hash_factor; /* of ids; random and odd */
	struct wl_list windows; /* xwin.link */
	int n_windows;
	struct wl_list unpaired; /* xwin.announced.link */
	struct wl_list dirty; /* xwin.dirty_link */
	struct wl_list stack; /* xwin.stack_link: the scene's order, topmost last */
	struct x_order order;
	struct wl_list replies; /* xwm_reply.link */
	struct scene_tree *unmanaged; /* of override-redirect windows; NULL: none yet */
	double scale, native_scale; /* of the X screen, and of device pixels: xwm_rescale() */
	int cursor_size; /* logical */
	bool settings_dirty; /* XSETTINGS and X resources */
	uint32_t settings_serial;
	bool has_rules; /* some windows have another density than the X screen */
	bool lists_dirty; /* _NET_CLIENT_LIST and its like */
	bool root_dirty; /* _NET_WORKAREA and its like */
	struct box whole, usable; /* bounds of the outputs, and of their usable areas */
	struct {
		struct wl_signal shown; /* struct xwin *: an override-redirect window */
	} events;
	struct xwm_focus focus;
	struct wl_listener layout_changed, usable_changed, press, client_gone;
	uint8_t xinerama; /* major opcode of XINERAMA; 0: there is no XINERAMA */
	uint8_t xres; /* major opcode of X-Resource; 0: there is no X-Resource */
	uint8_t xtest; /* major opcode of XTEST; 0: there is no XTEST */
	bool menus_dirty; /* to be dismissed */
	uint8_t sync_event; /* first event of SYNC; 0: there is no SYNC */
	struct wl_list syncing; /* xwin.sync.link, the first deadline first */
	struct timer sync_timer;
	struct wl_array spare_alarms; /* uint32_t: ids of destroyed alarms */
	uint8_t shape_event; /* first event of SHAPE; 0: there is no SHAPE */
	int n_shapes_refused; /* with too many rectangles */
	uint8_t xfixes_event; /* first event of XFIXES; 0: there is no XFIXES */
	struct x_selections *selections;
	struct x_drags *drags;
	struct x_icons *icons;
	uint32_t selections_dirty; /* bits of enum x_selection_kind: other programs' data changed */
};
