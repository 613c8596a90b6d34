/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Internal interfaces of the X window manager.
 *
 * The event loop never waits for the X server. A thread makes the connection, with all requests
 * whose answers are needed first. After that, replies are handled as they arrive, and nothing is
 * sent while the socket has little room. Calls of the shell only mark windows as changed:
 * xwm_flush() sends their state at the end of the turn.
 *
 * Coordinates of the X screen are global coordinates times the scale of the X server: scale.c.
 */

#include "atoms.h"
#include "pace.h"
#include "seat/seat.h"
#include "shell/shell.h"
#include "util/clock.h"
#include "xwayland/wm.h"
#include "xwayland/wm/window/order.h"
#include <pixman.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <xcb/xcb.h>

/** Windows that a window manager tracks at most. Further ones stay invisible. */
#define XWM_WINDOWS_MAX 16384
#define XWM_BUCKETS_LOG2 12
#define XWM_BUCKETS (1 << XWM_BUCKETS_LOG2)

/** The bit of xcb_generic_event_t.response_type that marks events sent by clients. */
#define X_SENT 0x80
/** Emulated video modes of a program: one for each output. */
#define X_MODES_MAX 8

/** Largest size and position of an X window. */
#define X_SIZE_MAX 32767
#define X_POSITION_MAX 32767

struct xwin;
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

/** A reply that the X server owes. */
struct xwm_reply {
	struct wl_list link; /* xwm.replies, in the order of the requests */
	unsigned sequence;
	struct xwin *window; /* a reference, and then `data`; NULL: none */
	void (*handle)(struct xwm *wm, void *data, uint32_t number, void *reply);
	void *data;
	uint32_t number;
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

/** In xwin.states_sent: the states were sent, perhaps none. */
#define X_STATES_SENT (UINT32_C(1) << 31)

#define X_STATE_MAXIMIZED (X_STATE_MAXIMIZED_HORZ | X_STATE_MAXIMIZED_VERT)

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

/** State to be sent by xwm_flush(). */
enum x_dirty {
	X_DIRTY_CONFIGURE = 1 << 0, /* a configure of the shell is to be acknowledged */
	X_DIRTY_SIZE = 1 << 4,
	X_DIRTY_POSITION = 1 << 1,
	X_DIRTY_STATES = 1 << 2,
	X_DIRTY_SYNTHETIC = 1 << 3, /* ConfigureNotify although nothing changed */
	/**
	 * Unmapped. Nothing is sent at once, since its destruction often follows, and then its id may
	 * be that of another window already.
	 */
	X_DIRTY_WITHDRAWN = 1 << 5,
	X_DIRTY_CLOSE = 1 << 6, /* to be closed */
	X_DIRTY_COMMITS = 1 << 7, /* Xwayland may commit the window again */
};

/** A child of the root window. */
struct xwin {
	struct xwm *wm;
	xcb_window_t id;
	int n_refs; /* of xwm.windows and of replies */
	bool gone; /* destroyed in the X server */
	struct wl_list hash_link; /* xwm.buckets */
	struct wl_list link; /* xwm.windows, oldest first */
	struct wl_list unpaired_link; /* xwm.unpaired while surface_id or serial waits; or empty */
	struct wl_list dirty_link; /* xwm.dirty, or empty */
	struct wl_list icon_link; /* x_icons.waiting, or empty */
	struct wl_list stack_link; /* xwm.stack while it has a mapped shell window, or empty */
	struct x_child child; /* of the root window */
	bool override_redirect;
	bool mapped; /* in the X server, or about to be */
	bool notified; /* MapNotify has arrived */
	/** As the X server has it, or will after the requests sent. */
	struct box box;
	unsigned granted; /* sequence number of the last request for `box` before it was managed */
	bool sizing; /* the size of `box` is unknown, and requested */
	uint32_t sizes_asked;
	/** Size of `box` for the shell. Managed windows only. */
	int32_t logical_width, logical_height;
	double density; /* pixels of its content per logical pixel */
	/** Properties. */
	/**
	 * Bits of enum x_property: changed since the last request, requested, and not read yet
	 * since the window was mapped.
	 */
	uint32_t changed, in_flight, missing;
	char *title, *app_id; /* UTF-8; NULL: none */
	bool has_utf8_title;
	uint32_t protocols; /* enum x_protocol */
	bool input; /* WM_HINTS: the client relies on the window manager for the focus */
	bool iconic; /* WM_HINTS: starts minimised */
	bool iconified; /* minimised, as its client asked */
	bool hints_renewed; /* WM_HINTS was set since then */
	uint32_t wm_hints[9]; /* WM_HINTS without the initial state */
	bool urgent;
	xcb_pixmap_t icon_pixmap, icon_mask; /* WM_HINTS; XCB_NONE: none */
	struct x_size_hints hints;
	xcb_window_t transient_for;
	enum x_type type;
	bool undecorated; /* Motif hints */
	xcb_window_t group; /* WM_HINTS: its leader; XCB_WINDOW_NONE: none */
	bool has_strut, has_partial_strut;
	int32_t strut[4]; /* left, right, top, bottom, from the edges of the X screen */
	bool has_user_time;
	xcb_timestamp_t
		user_time; /* _NET_WM_USER_TIME; 0: does not want the focus when it is mapped */
	xcb_window_t
		time_window; /* that has the property above; XCB_WINDOW_NONE: the window itself */
	char *startup_id; /* _NET_STARTUP_ID, not used up yet; NULL: none */
	uint32_t states; /* enum x_state; once there is a shell window, those that it lacks */
	uint32_t states_asked; /* enum x_state: by messages before there is a shell window */
	uint32_t states_sent; /* enum x_state */
	uint32_t wm_state_sent; /* WM_STATE; 0: none */
	struct frame_extents frame_sent;
	bool pinged; /* asked to close; has not answered the ping */
	/** mode.c */
	struct {
		struct box boxes[X_MODES_MAX]; /* in pixels of the X screen */
		int n;
		int32_t width, height; /* of the surface with such a mode; 0: none is in use */
	} modes;
	/** monitors.c */
	struct {
		uint32_t indices[WINDOW_SPAN];
		bool pending; /* asked for by the client */
		bool asked; /* the screens are requested */
		bool set; /* the property is set */
	} monitors;
	/** shape.c: the bounding shape */
	struct {
		bool changed; /* since the last request */
		bool asked; /* requested */
		bool set; /* there is a region, in pixels of the window, charged to the account */
		pixman_region32_t region;
	} shape;
	/** Association with a surface. */
	uint32_t surface_id; /* announced, not found yet; 0: none */
	uint64_t serial; /* the same; 0: none */
	struct surface *surface; /* its role_data is this window; NULL: none */
	/** iconic.c: a minimised window is unmapped in the X server. */
	struct {
		bool unmapped;
		bool pending; /* the event of that is due */
		unsigned unmap_request, map_request; /* sequence numbers of the last ones */
		struct surface *stand_in; /* the window's until it has content again; NULL: none */
	} away;
	/** A managed window; NULL until it is mapped with content. */
	struct window *window;
	struct wl_listener window_states;
	/** An override-redirect window; NULL: no surface. */
	struct scene_tree *tree;
	/** Configures of the shell. */
	uint32_t dirty; /* enum x_dirty */
	uint32_t configure_serial, acked;
	int32_t want_width, want_height; /* of the last configure; 0: the client's choice */
	int32_t own_width, own_height; /* chosen by the client */
	struct {
		bool pending; /* the surface has not had this size yet */
		uint32_t serial;
		int32_t width, height;
	} sent;
	/** sync.c */
	struct {
		uint32_t counter; /* XSync counter of the client; 0: none */
		uint32_t alarm; /* of the counter; 0: none */
		uint64_t value; /* that was requested last */
		bool waiting; /* for it */
		bool frozen; /* Xwayland commits nothing */
		bool late; /* missed the time limit, and has not answered since */
		struct wl_list link; /* xwm.syncing while waiting, or empty */
		int64_t deadline; /* ns */
		uint32_t deferred; /* enum x_dirty: to be sent after that */
	} sync;
};

struct x_selection_drag_impl;
struct xwm_connect;

struct xwm {
	const struct xwm_parts *parts;
	struct xwayland_server *server;
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
	struct wl_list unpaired; /* xwin.unpaired_link */
	struct wl_list dirty; /* xwin.dirty_link */
	struct wl_list stack; /* xwin.stack_link: the scene's order, topmost last */
	struct x_order order;
	struct wl_list replies; /* xwm_reply.link */
	struct scene_tree *unmanaged; /* of override-redirect windows; NULL: none yet */
	double scale, native_scale; /* of the X screen, and of device pixels: x_rescale() */
	int cursor_size; /* logical */
	bool settings_dirty; /* XSETTINGS and X resources */
	uint32_t settings_serial;
	bool has_rules; /* some windows have another density than the X screen */
	bool lists_dirty; /* _NET_CLIENT_LIST and its like */
	bool root_dirty; /* _NET_WORKAREA and its like */
	struct box whole, usable; /* bounds of the outputs, and of their usable areas */
	bool focus_dirty;
	struct {
		struct wl_signal shown; /* struct xwin *: an override-redirect window */
	} events;
	struct xwin *focus; /* has the keyboard focus of the seat */
	struct xwin *focus_sent; /* as the X server was told */
	struct xwin *take_focus; /* gets WM_TAKE_FOCUS with the next time stamp */
	unsigned focus_request; /* sequence number of the last request that set the focus */
	bool focus_taken; /* the client of `focus` has the X server's focus */
	bool focus_elsewhere; /* another client or none has it */
	bool focus_chosen; /* `focus` has it, as the client chose */
	struct x_pace focus_pace; /* of putting it back */
	struct wl_listener keyboard_focus, layout_changed, usable_changed, press, client_gone;
	uint8_t xinerama; /* major opcode of XINERAMA; 0: there is no XINERAMA */
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

/* request.c */
/** Marks a window's state to be sent at the end of the turn. */
void xwm_mark(struct xwin *window, uint32_t dirty);
/** Has xwm_flush() called at the end of the turn. */
void xwm_flush_soon(struct xwm *wm);
/** Gives up: the X server ends. */
void xwm_fail(struct xwm *wm, const char *why);
/** Sends a message of WM_PROTOCOLS. */
void x_message_send(struct xwin *window, enum x_atom protocol, xcb_timestamp_t time);

/* reply.c */
/** Has `handle` called with the reply to a request, NULL for an error. */
void xwm_reply_expect(struct xwm *wm, unsigned sequence,
	void (*handle)(struct xwm *wm, void *data, uint32_t number, void *reply), void *data,
	uint32_t number);
/** The same with the window as `data`, unless the window is gone by then. */
void xwin_reply_expect(struct xwin *window, unsigned sequence,
	void (*handle)(struct xwm *wm, void *data, uint32_t number, void *reply), uint32_t number);
/** Handles a reply; returns false if none has arrived. Expects that no event is queued: replies follow events. */
bool xwm_reply_handle_next(struct xwm *wm);
/** Forgets all replies. */
void xwm_replies_drop(struct xwm *wm);

/* table.c */
/** Adds a window to the table and to xwm.windows. */
void xwin_insert(struct xwin *window);
struct xwin *xwin_find(struct xwm *wm, xcb_window_t id);
/** Return the X window of a window of the shell or of a surface; NULL: another front end or X server has it. */
struct xwin *xwin_from_window(const struct xwm *wm, const struct window *window);
struct xwin *xwin_from_surface(const struct xwm *wm, const struct surface *surface);
/** Returns whether a client has both windows. */
bool xwm_ids_share_client(const struct xwm *wm, xcb_window_t a, xcb_window_t b);
/** Returns whether windows, which may be NULL, belong to the same client. */
bool xwin_same_client(const struct xwin *a, const struct xwin *b);
void xwin_unref(struct xwin *window);

/* selection.c */
void x_selections_create(struct xwm *wm, const struct x_selection_drag_impl *drag);
void x_selections_destroy(struct xwm *wm);
/** Handle an event; return true if it was one of selections. */
bool x_selections_event(struct xwm *wm, xcb_generic_event_t *event);
bool x_selections_property(struct xwm *wm, const xcb_property_notify_event_t *event);
/** Offers selections of other programs that have changed. */
void x_selections_send(struct xwm *wm);
/** Sends at most one piece of data. Returns false if none was due. */
bool x_outgoing_send(struct xwm *wm);
/** Ends transfers to a window that was destroyed. */
void x_outgoing_vanished(struct xwm *wm, xcb_window_t requestor);

/* drag.c */
const struct x_selection_drag_impl *x_drag_selection_impl(void);
void x_drags_create(struct xwm *wm);
void x_drags_destroy(struct xwm *wm);
/** Returns true if the message was one of drags. */
bool x_drags_message(struct xwm *wm, const xcb_client_message_event_t *message);
/** Does the turn's work. */
void x_drags_send(struct xwm *wm);
bool x_drags_dirty(const struct xwm *wm);
/* icon.c */
void x_icons_create(struct xwm *wm);
void x_icons_destroy(struct xwm *wm);
/** Reads the icon of a window that waits for that. */
void x_icons_send(struct xwm *wm);
bool x_icons_dirty(const struct xwm *wm);
/** Has the icon of a window read, if the shell has the window. */
void x_icon_changed(struct xwin *window);
void x_icon_forget(struct xwin *window);
/* drag_target.c */
/** Handles that a window's program has answered a ping. */
void x_drag_to_pong(struct xwm *wm, xcb_window_t id);
/** Handles a window that was destroyed. */
void x_drag_to_vanished(struct xwm *wm, xcb_window_t id);

/* connect.c */
/**
 * Connects to the X server by `fd`, which it takes over, and becomes its window manager. Calls `handle` in
 * a later turn; its error is NULL on success.
 */
bool xwm_connect(struct xwm *wm, int fd, void (*handle)(struct xwm *wm, const char *error));
/** Stops connecting, without waiting for the X server. Accepts NULL. */
void xwm_connect_cancel(struct xwm_connect *connect);

/* event.c */
void xwm_handle_event(struct xwm *wm, xcb_generic_event_t *event);

/* window.c */
void xwin_add(struct xwm *wm, xcb_window_t id, bool override_redirect, const struct box *box);
/** Requests the size of a window, which is not mapped until it is known. */
void xwin_ask_size(struct xwm *wm, xcb_window_t id);
/** Notes that a window that is not managed was configured as its client asked, by this request. */
void xwin_granted(struct xwm *wm, const xcb_configure_request_event_t *request, unsigned sequence);
/** Removes a window that was destroyed or is no longer a child of the root window. */
void xwin_remove(struct xwin *window);
void xwin_map_request(struct xwin *window);
void xwin_map_notify(struct xwin *window, bool override_redirect);
void xwin_unmap_notify(struct xwin *window);
/** Announces the surface of a window by either number; the other one is 0. */
void xwin_announce(struct xwin *window, uint32_t surface_id, uint64_t serial);
void xwin_pair(struct xwin *window, struct surface *surface);
extern const struct surface_role xwin_role;

/* pairing.c */
/** Leaves the surface, which keeps its role. */
void xwin_unpair(struct xwin *window);
void xwin_forget_announcement(struct xwin *window);

/* managed.c: windows of the shell */
/** Shows the window, if all that is needed is known. */
void managed_try_map(struct xwin *window);
/** The surface has a new state. */
void managed_applied(struct xwin *window);
void managed_destroy(struct xwin *window);
/** Sends a dirty window's state. */
void managed_send(struct xwin *window);
/** Applies a property that was read again. */
void managed_property(struct xwin *window, enum x_property property);
/** Handles a ConfigureRequest. */
void managed_configure_request(struct xwin *window, const xcb_configure_request_event_t *request);
extern const struct window_impl xwin_window_impl;

/* menu.c */
/** Called by the thread that connects. */
void x_menus_connect(struct xwm *wm);
void x_menus_watch(struct xwm *wm);
/** Ends open menus at the end of the turn. */
void x_menus_dismiss(struct xwm *wm);
void x_menus_send(struct xwm *wm);

/* mode.c */
/** Reads _XWAYLAND_RANDR_EMU_MONITOR_RECTS. */
void x_modes_read(struct xwin *window, const uint32_t *values, int n);
/** Replaces the size of a window that covers the output, in pixels of the X screen, by that of the mode. */
void x_mode_apply(struct xwin *window, const struct box *output, int32_t *width, int32_t *height);

/* monitors.c */
/** Called by the thread that connects. */
void x_monitors_connect(struct xwm *wm);
/** Handles _NET_WM_FULLSCREEN_MONITORS. */
void x_monitors_request(struct xwin *window, const uint32_t *indices);
/** Spreads a managed window over the outputs that its client asked for, if it did. */
void x_monitors_read(struct xwin *window);
/** Deletes the property once the window is limited to one output again. */
void x_monitors_send(struct xwin *window);

/* parent.c */
/** Sets the parent of a managed window. */
void x_parent_apply(struct xwin *window);
/** Makes a managed window the parent of those that were mapped before it. */
void x_parent_adopt(struct xwin *parent);

/* unmanaged.c: override-redirect windows */
void unmanaged_show(struct xwin *window);
void unmanaged_applied(struct xwin *window);
void unmanaged_moved(struct xwin *window);
void unmanaged_hide(struct xwin *window);

/* property.c */
/** Requests all properties. Calls managed_try_map() when they are read. */
void properties_load(struct xwin *window);
void property_changed(struct xwin *window, xcb_atom_t atom);
/** Handles a reply; NULL: an error. Frees nothing. */
void property_reply(
	struct xwin *window, enum x_property property, const xcb_get_property_reply_t *reply);

/* state.c */
/** Returns the bit of enum x_state for an atom, or 0. */
uint32_t state_from_atom(const struct xwm *wm, xcb_atom_t atom);
/** Sends _NET_WM_STATE (enum x_state). */
void states_send(struct xwin *window, uint32_t states);
/** Sends WM_STATE. */
void xwin_send_wm_state(struct xwin *window, uint32_t state);
/** Sends the state of an unmapped window. */
void xwin_send_withdrawn(struct xwin *window);

/* text.c: pure */
/**
 * Converts a text property to UTF-8 without control characters: UTF8_STRING (`utf8`), or STRING and
 * COMPOUND_TEXT, of which the parts in Latin-1 and UTF-8 are kept. The caller frees the string.
 */
char *x_text_decode(const char *bytes, size_t length, bool utf8);

/* hints.c: pure */
/** Reads WM_NORMAL_HINTS of `n` 32-bit values. */
void hints_read(struct x_size_hints *hints, const uint32_t *values, int n);
/** Rounds a size to limits, aspect and increments. */
void hints_constrain(const struct x_size_hints *hints, int32_t *width, int32_t *height);
/**
 * Computes the position of the content from the position that a client asks for, which gravity
 * relates to the frame.
 */
void hints_place(uint32_t gravity, const struct frame_extents *frame, int32_t *x, int32_t *y);

/* shape.c */
/** Called by the thread that connects. */
void x_shape_connect(struct xwm *wm);
/** Has changes of the shape reported. */
void x_shape_watch(struct xwin *window);
/** Requests the shape of a mapped window, if it has changed. */
void x_shape_read(struct xwin *window);
/** Clips the surface to the shape. */
void x_shape_apply(struct xwin *window);
/** Shows the surface as a whole, and frees the shape. */
void x_shape_forget(struct xwin *window);
bool x_shape_event(struct xwm *wm, const xcb_generic_event_t *event);

/* strut.c */
/** Reads _NET_WM_STRUT_PARTIAL or _NET_WM_STRUT of `n` values. */
void x_strut_read(struct xwin *window, bool partial, const uint32_t *values, int n);
/** Reserves the space of a managed window, or of all after a change of outputs. */
void x_strut_apply(struct xwin *window);
void x_struts_update(struct xwm *wm);

/* sync.c */
void x_sync_init(struct xwm *wm);
/** Expects that there are no windows. */
void x_sync_finish(struct xwm *wm);
/** Returns false without the extension. Called by the thread that connects. */
bool x_sync_connect(struct xwm *wm);
bool x_sync_event(struct xwm *wm, const xcb_generic_event_t *event);
void x_sync_set_counter(struct xwin *window, uint32_t counter);
/** Asks the client to draw the size that is sent next, if it can tell when it has. */
void x_sync_begin(struct xwin *window);
/** Allows commits again. */
void x_sync_send(struct xwin *window);
/** Stops waiting for a window that is unmapped or gone. */
void x_sync_forget(struct xwin *window);

/* scale.c */
/** Convert a position, which is clamped, between logical pixels and the X screen. */
int32_t x_to_root(const struct xwm *wm, double logical);
int32_t x_from_root(const struct xwm *wm, int32_t position);
/** Returns the frame of a managed window in pixels of the X screen. */
struct frame_extents x_frame(const struct xwin *window);
/** Converts the logical size of a managed window at x, y (logical) to pixels of the window. */
void x_size_to_window(
	struct xwin *window, bool floating, int32_t x, int32_t y, int32_t *width, int32_t *height);
int32_t x_size_from_window(const struct xwin *window, int32_t size);
/** Adjusts a logical size to the hints of the window. */
void x_constrain(const struct xwin *window, int32_t *width, int32_t *height);
/** Applies the limits of a managed window's size, in logical pixels. */
void x_limits_apply(struct xwin *window);
/** Sets the density of a managed window by its rules. */
void x_density_update(struct xwin *window);
/** Places the tree of an override-redirect window, and sets its density. */
void x_place_unmanaged(struct xwin *window);
/** Follows changes of scales. */
void x_rescale(struct xwm *wm);

/* settings.c: XSETTINGS and X resources, by which programs learn the scale */
/** Sends them before programs can connect. Called by the thread that connects. */
void x_settings_send_first(struct xwm *wm);
/** Updates them if they are dirty. */
void x_settings_send(struct xwm *wm);
/** Pure: writes the value of _XSETTINGS_SETTINGS to `bytes`; returns its length. */
#define X_SETTINGS_SIZE 256
size_t x_settings_encode(
	uint8_t bytes[X_SETTINGS_SIZE], double scale, int cursor_size, uint32_t serial);
/** Pure: replaces settings of the scale in X resources. The caller frees the text. */
char *x_resources_merge(const char *resources, size_t length, double scale, int cursor_size);

/* focus.c */
void x_focus_init(struct xwm *wm);
void x_focus_watch(struct xwm *wm);
void x_focus_unwatch(struct xwm *wm);
void x_focus_send(struct xwm *wm);
/** Continues WM_TAKE_FOCUS with a valid time. */
void x_focus_time(struct xwm *wm, xcb_timestamp_t time);
/** Handles FocusIn of a child of the root window, or of the root window itself. */
void x_focus_in(struct xwm *wm, const xcb_generic_event_t *event);
void x_focus_forget(struct xwin *window);
/** Sets when the user asked for a managed window. */
void x_focus_wanted(struct xwin *window, xcb_timestamp_t time);

/* message.c */
void x_message_handle(struct xwm *wm, const xcb_client_message_event_t *message);

/* root.c: properties of the root window */
/** Measures outputs for root_send_first(). */
void root_measure(struct xwm *wm);
/** Sends all of them, without windows. Called by the thread that connects. */
void root_send_first(struct xwm *wm);
void root_send_area(struct xwm *wm);
void root_send_lists(struct xwm *wm);
