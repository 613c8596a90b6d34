/* SPDX-License-Identifier: MIT */
#pragma once

/** An X window: a child of the root window. */

#include "seat/seat.h"
#include "shell/shell.h"
#include <pixman.h>
#include <stdbool.h>
#include <stdint.h>
#include <xcb/xcb.h>

/** Emulated video modes of a program: one for each output. */
#define X_MODES_MAX 8

/** Largest size and position of an X window. */
#define X_SIZE_MAX 32767
#define X_POSITION_MAX 32767

struct xwm;

/** Properties that are read, in the order of their table in property.c. */
enum x_property {
	PROPERTY_TITLE_UTF8,
	PROPERTY_TITLE,
	PROPERTY_CLASS,
	PROPERTY_PROTOCOLS,
	PROPERTY_HINTS,
	PROPERTY_NORMAL_HINTS,
	PROPERTY_TRANSIENT_FOR,
	PROPERTY_TYPE,
	PROPERTY_MOTIF,
	PROPERTY_SYNC_COUNTER,
	PROPERTY_STRUT_PARTIAL,
	PROPERTY_STRUT,
	PROPERTY_STARTUP_ID,
	PROPERTY_MODES,
	/** Read once, before the window is mapped. */
	PROPERTY_STATE,
	PROPERTY_USER_TIME_WINDOW,
	PROPERTY_USER_TIME,
	PROPERTY_COUNT,
};

/** WM_NORMAL_HINTS; 0: not given. */
struct x_size_hints {
	bool user_position, program_position;
	int32_t min_width, min_height, max_width, max_height;
	int32_t base_width, base_height, width_step, height_step;
	/** As fractions numerator / denominator; 0: not given. */
	int32_t min_aspect[2], max_aspect[2];
	uint32_t gravity; /* enum xcb_gravity_t */
};

/** States that the shell has no name for, or that are set before the window is mapped. */
enum x_state {
	X_STATE_FULLSCREEN = 1 << 0,
	X_STATE_MAXIMIZED_HORZ = 1 << 1,
	X_STATE_MAXIMIZED_VERT = 1 << 2,
	X_STATE_HIDDEN = 1 << 3,
	X_STATE_MODAL = 1 << 4,
	X_STATE_DEMANDS_ATTENTION = 1 << 5,
	X_STATE_ABOVE = 1 << 6,
	X_STATE_SKIP_TASKBAR = 1 << 7,
	X_STATE_SKIP_PAGER = 1 << 8,
	X_STATE_FOCUSED = 1 << 9,
	X_STATE_BELOW = 1 << 10,
};

/** In xwin_told.states: the states were sent, perhaps none. */
#define X_STATES_TOLD (UINT32_C(1) << 31)

#define X_STATE_MAXIMIZED (X_STATE_MAXIMIZED_HORZ | X_STATE_MAXIMIZED_VERT)

/** _NET_WM_ALLOWED_ACTIONS as sent. */
enum x_actions {
	X_ACTIONS_NONE,
	X_ACTIONS_FIXED, /* the size is fixed */
	X_ACTIONS_ALL,
};

/** Kinds of windows by _NET_WM_WINDOW_TYPE. */
enum x_type {
	X_TYPE_NORMAL,
	X_TYPE_DIALOG,
	X_TYPE_UTILITY,
	X_TYPE_SPLASH,
	X_TYPE_MENU, /* also tooltips and the like */
	X_TYPE_DOCK,
	X_TYPE_DESKTOP,
};

enum x_protocol {
	X_PROTOCOL_DELETE = 1 << 0,
	X_PROTOCOL_TAKE_FOCUS = 1 << 1,
	X_PROTOCOL_PING = 1 << 2,
	X_PROTOCOL_SYNC = 1 << 3,
};

/** State to be sent at the end of the turn. */
enum x_dirty {
	X_DIRTY_CONFIGURE = 1 << 0, /* a configure of the shell is to be acknowledged */
	X_DIRTY_SIZE = 1 << 4,
	X_DIRTY_POSITION = 1 << 1,
	X_DIRTY_STATES = 1 << 2,
	X_DIRTY_SYNTHETIC = 1 << 3, /* ConfigureNotify although nothing changed */
	/**
	 * Unmapped. Nothing is sent at once, since its destruction often follows, and then its id
	 * may be that of another window already.
	 */
	X_DIRTY_WITHDRAWN = 1 << 5,
	X_DIRTY_CLOSE = 1 << 6, /* to be closed */
	X_DIRTY_COMMITS = 1 << 7, /* Xwayland may commit the window again */
};

/** A child of the root window. */
struct x_child {
	struct wl_list link; /* x_order.children, or empty */
	xcb_window_t id;
	uint32_t place; /* in the scene's order, from 1; 0: none */
	bool displaced; /* does not have its place in the X server, and is to be moved */
};

/** Reading of properties: bits of enum x_property. */
struct xwin_reading {
	uint32_t changed; /* since the last request */
	uint32_t in_flight; /* requested */
	uint32_t missing; /* not read yet since the client asked to map the window */
};

/** The icon of WM_HINTS, and the turn of _NET_WM_ICON. */
struct xwin_icon {
	struct wl_list link; /* x_icons.waiting, or empty */
	xcb_pixmap_t pixmap, mask; /* XCB_NONE: none */
};

/** _NET_WM_STRUT_PARTIAL or _NET_WM_STRUT. */
struct xwin_strut {
	bool given, partial;
	int32_t edges[4]; /* left, right, top, bottom, from the edges of the X screen */
};

/** _NET_WM_USER_TIME. */
struct xwin_user_time {
	bool given;
	xcb_timestamp_t time; /* 0: does not want the focus when it is mapped */
	xcb_window_t window; /* has the property; XCB_WINDOW_NONE: the window itself */
};

/** Requests between the mapping and the first content. */
struct xwin_asked {
	/** Of enum x_state, which may not be read yet: reset, and then inverted. */
	uint32_t reset, inverted;
	bool position; /* `box` has it */
	uint32_t gravity; /* of that; 0: the window's */
	bool close, activation;
	uint32_t source; /* of the activation */
	xcb_timestamp_t time; /* of the same */
};

/** Maximised in one direction: maximize.c. */
struct xwin_half {
	uint32_t state; /* X_STATE_MAXIMIZED_HORZ or _VERT; 0: none */
	int32_t position, size; /* before that: logical, and of `box` */
	int32_t filled; /* size of `box` with the state */
};

/** State as the X server was told. */
struct xwin_told {
	uint32_t actions; /* enum x_actions */
	uint32_t states; /* enum x_state, and X_STATES_TOLD */
	uint32_t wm_state; /* WM_STATE; 0: none */
	struct frame_extents frame;
};

/** Emulated video modes: mode.c. */
struct xwin_modes {
	struct box boxes[X_MODES_MAX]; /* in pixels of the X screen */
	int n;
	int32_t width, height; /* of the surface with such a mode; 0: none is in use */
};

/** Outputs of a fullscreen window: monitors.c. */
struct xwin_monitors {
	uint32_t indices[WINDOW_SPAN];
	bool pending; /* asked for by the client */
	bool asked; /* the screens are requested */
	bool set; /* the property is set */
};

/** The bounding or the input shape: shape.c. */
struct xwin_shape {
	/** The input shape's last change: whether it is given, and the size of its extents. */
	bool reported, given;
	uint16_t width, height;
	bool changed; /* since the last request */
	bool asked; /* requested */
	bool set; /* there is a region, in pixels of the window, charged to the account */
	pixman_region32_t region;
};

/** A surface that Xwayland has announced, and that does not exist yet. */
struct xwin_announced {
	struct wl_list link; /* xwm.unpaired while one of the numbers waits; or empty */
	uint32_t surface_id; /* 0: none */
	uint64_t serial; /* 0: none */
};

/** Iconic state: a minimised window is unmapped in the X server (iconic.c). */
struct xwin_iconic {
	bool by_client; /* minimised, as its client asked */
	bool hints_renewed; /* WM_HINTS was set since then */
	uint32_t hints[9]; /* WM_HINTS without the initial state */
	bool unmapped;
	bool pending; /* the event of that is due */
	unsigned unmap_request, map_request; /* sequence numbers of the last ones */
	struct surface *stand_in; /* the window's until it has content again; NULL: none */
};

/** Configures of the shell. */
struct xwin_configure {
	uint32_t serial, acked;
	int32_t width, height; /* of the last configure; 0: the client's choice */
};

/** A size that was sent to the X server. */
struct xwin_sent {
	bool pending; /* the surface has not had this size yet */
	uint32_t serial;
	int32_t width, height;
};

/** _NET_WM_SYNC_REQUEST: sync.c. */
struct xwin_sync {
	uint32_t counter; /* XSync counter of the client; 0: none */
	uint32_t alarm; /* of the counter; 0: none */
	uint64_t value; /* that was requested last */
	bool waiting; /* for it */
	bool frozen; /* Xwayland commits nothing */
	bool late; /* missed the time limit, and has not answered since */
	struct wl_list link; /* xwm.syncing while waiting, or empty */
	int64_t deadline; /* ns */
	uint32_t deferred; /* enum x_dirty: to be sent after that */
};

/** An X window. */
struct xwin {
	struct xwm *wm;
	xcb_window_t id;
	int n_refs; /* of xwm.windows and of replies */
	bool gone; /* destroyed in the X server */
	struct wl_list hash_link; /* xwm.buckets */
	struct wl_list link; /* xwm.windows, oldest first */
	struct wl_list dirty_link; /* xwm.dirty, or empty */
	struct wl_list stack_link; /* xwm.stack while it has a mapped shell window, or empty */
	struct x_child child; /* of the root window */
	bool override_redirect;
	bool map_requested; /* by its client, which has not withdrawn it since */
	/** As the X server has it, or will after the requests sent. */
	struct box box;
	unsigned granted; /* sequence number of the last request for `box` before it was managed */
	bool sizing; /* the size of `box` is unknown, and requested */
	uint32_t sizes_asked;
	/** Size of `box` for the shell. Managed windows only. */
	int32_t logical_width, logical_height;
	int32_t own_width, own_height; /* size of `box` as the client chose it last */
	double density; /* pixels of its content per logical pixel */
	pid_t pid; /* of its program; 0: unknown */
	/** Properties. */
	struct xwin_reading reading;
	char *title, *app_id; /* UTF-8; NULL: none */
	bool has_utf8_title;
	uint32_t protocols; /* enum x_protocol */
	bool input; /* WM_HINTS: the client relies on the window manager for the focus */
	bool starts_iconic; /* WM_HINTS */
	bool urgent; /* WM_HINTS */
	bool was_urgent; /* by the WM_HINTS that were applied last */
	xcb_window_t group; /* WM_HINTS: its leader; XCB_WINDOW_NONE: none */
	struct xwin_icon icon;
	struct x_size_hints hints;
	xcb_window_t transient_for;
	enum x_type type;
	bool undecorated; /* Motif hints */
	struct xwin_strut strut;
	struct xwin_user_time user_time;
	char *startup_id; /* _NET_STARTUP_ID, not used up yet; NULL: none */
	struct xwin_modes modes;
	uint32_t states; /* enum x_state; once there is a shell window, those that it lacks */
	struct xwin_asked asked;
	struct xwin_half half;
	struct xwin_told told;
	bool pinged; /* asked to close; has not answered the ping */
	struct xwin_monitors monitors;
	struct xwin_shape shape, input_shape;
	struct xwin_announced announced;
	struct surface *surface; /* its role_data is this window; NULL: none */
	struct xwin_iconic iconic;
	/** A managed window; NULL until it has content and its properties are known. */
	struct window *window;
	struct wl_listener window_states;
	/** An override-redirect window; NULL: no surface. */
	struct scene_tree *tree;
	uint32_t dirty; /* enum x_dirty */
	struct xwin_configure configure;
	struct xwin_sent sent;
	struct xwin_sync sync;
};
