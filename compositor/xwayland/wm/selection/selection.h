/* SPDX-License-Identifier: MIT */
#pragma once

/** Internal interfaces of the selections of X programs. */

#include "util/fd_stream.h"
#include "xwayland/selection.h"
#include "xwayland/wm/base/xwm.h"

/** Transfers in each direction at a time. */
#define X_TRANSFERS 8
/** Targets of xwm_selection_atoms(). */
#define X_SELECTION_ATOMS_MAX (X_SELECTION_TYPES_MAX + 3)
/** Bytes of a piece, and of all pieces of a transfer. */
#define X_PIECE 65536
#define X_TRANSFER_MAX (64 << 20)
/** Time (ns) without progress after which a transfer ends. */
#define X_TRANSFER_PATIENCE INT64_C(10000000000)

struct x_target {
	xcb_atom_t atom;
	char *type; /* NULL: the name is not known yet, or no type */
};

/** Duties of the drags for X_SELECTION_DRAG. All functions are mandatory. */
struct x_selection_drag_impl {
	/** Handles a new owner, which may start a drag. */
	void (*owned)(struct xwm *wm, xcb_window_t owner);
	/** Handles that the types of the owner's data are known. */
	void (*loaded)(struct xwm *wm);
	/** Returns whether the client of a window may read the data. */
	bool (*may_read)(const struct xwm *wm, xcb_window_t requestor);
};

struct x_selection {
	struct xwm *wm;
	const struct x_selection_drag_impl *drag; /* of X_SELECTION_DRAG; NULL: another kind */
	enum x_selection_kind kind;
	xcb_atom_t atom;
	xcb_window_t owner; /* of another program; XCB_WINDOW_NONE: none */
	pid_t owner_pid; /* its process; 0: unknown */
	bool owned; /* by the window manager, for programs elsewhere */
	bool claiming; /* the event of the last request for that is due */
	unsigned claim; /* sequence number of that request */
	xcb_timestamp_t time; /* of the ownership */
	xcb_timestamp_t asked; /* of conversions */
	uint32_t round; /* replies of earlier owners are ignored */
	xcb_timestamp_t targets_asked; /* time of the conversion to TARGETS */
	bool reading_targets; /* the property of the owner's answer is requested */
	xcb_atom_t next_targets; /* property of a later answer; XCB_ATOM_NONE: none */
	int missing; /* names that the X server owes */
	struct x_target targets[X_SELECTION_TYPES_MAX];
	int n_targets;
};

/** A target in a request with several; `multiple` is NULL in other requests. */
struct x_part {
	struct x_multiple *multiple;
	int index;
	/** Handles the end of the conversion: `converted` unless it was refused. */
	void (*handle)(struct x_multiple *multiple, int index, bool converted);
};

/** A request whose process was asked for. */
struct x_reader {
	bool asked; /* false: not in use */
	xcb_selection_request_event_t request;
	struct x_part part;
};

/** Data on its way from an X program to a descriptor. */
struct x_incoming {
	struct x_selections *all;
	xcb_atom_t property; /* of the window manager's window */
	xcb_atom_t selection, target;
	struct fd_stream *stream; /* NULL: not in use */
	struct timer timer;
	char *data; /* to be written */
	size_t size, written;
	uint32_t offset; /* of the next piece in the property, in units of 32 bits */
	size_t total;
	bool converted; /* the program has answered */
	bool incremental, more; /* INCR; the property has more pieces */
	bool asked; /* a piece is on its way */
	uint32_t round; /* of the use of this slot: replies to earlier ones are ignored */
};

/** Data on its way from a descriptor to an X program. */
struct x_outgoing {
	struct x_selections *all;
	xcb_selection_request_event_t request;
	struct x_part part;
	xcb_atom_t type; /* of the property */
	int fd; /* -1: not in use */
	struct wl_event_source *readable; /* NULL: the piece is complete */
	struct timer timer;
	char *data;
	size_t size, total;
	bool ended; /* all was read */
	bool due; /* data was read: xwm_outgoing_send() */
	bool incremental;
	bool wanted; /* the program has taken the last piece */
};

struct x_selections {
	struct xwm *wm;
	struct x_selection kinds[X_SELECTION_COUNT];
	struct x_incoming incoming[X_TRANSFERS];
	struct x_outgoing outgoing[X_TRANSFERS];
	struct x_reader readers[X_TRANSFERS];
	struct wl_list multiples; /* x_multiple.link */
	int n_multiples;
	xcb_timestamp_t managing; /* since then, WM_S0 is owned */
	struct task_quota *task_quota; /* of files that are written */
};

/* selection.c */
void xwm_selections_create(struct xwm *wm, const struct x_selection_drag_impl *drag);
void xwm_selections_destroy(struct xwm *wm);
/** Handle an event; return true if it was one of selections. */
bool xwm_selections_event(struct xwm *wm, xcb_generic_event_t *event);
bool xwm_selections_property(struct xwm *wm, const xcb_property_notify_event_t *event);
/** Offers selections of other programs that have changed. */
void xwm_selections_send(struct xwm *wm);
/** Sets the targets of the owner, and offers their types once all names are known. */
void xwm_selection_set_targets(struct x_selection *selection, const xcb_atom_t *atoms, int n);
/** Gets the targets of data for X programs, up to X_SELECTION_ATOMS_MAX; returns their number. */
uint32_t xwm_selection_atoms(const struct x_selection *selection, xcb_atom_t *atoms);

/* multiple.c */
/** Converts several targets by calls of `convert`. Returns false if that is refused. */
bool xwm_multiple_start(struct x_selections *all, const xcb_selection_request_event_t *request,
	void (*convert)(struct x_selections *all, const xcb_selection_request_event_t *request,
		const struct x_part *part));
void xwm_multiples_drop(struct x_selections *all);

/* incoming.c */
void xwm_incoming_start(struct x_selection *selection, xcb_atom_t target, int fd);
void xwm_incoming_converted(struct x_selections *all, const xcb_selection_notify_event_t *event);
/** A property of the window manager's window has a new value. */
void xwm_incoming_property(struct x_selections *all, xcb_atom_t property);
void xwm_incoming_end(struct x_incoming *incoming);

/* outgoing.c */
/** Answers a request, or completes a part of one. */
void xwm_selection_answer(struct xwm *wm, const xcb_selection_request_event_t *request,
	const struct x_part *part, bool converted);
/** Sends at most one piece of data. Returns false if none was due. */
bool xwm_outgoing_send(struct xwm *wm);
/** Ends transfers to a window that was destroyed. */
void xwm_outgoing_vanished(struct xwm *wm, xcb_window_t requestor);
/**
 * Sends data of this type to the program of the request, whose process is `pid`, 0 if it is
 * unknown. Returns false if that is refused.
 */
bool xwm_outgoing_start(struct x_selection *selection, const xcb_selection_request_event_t *request,
	const struct x_part *part, const char *type, pid_t pid);
/** A program has deleted a property: returns true if it was that of a transfer. */
bool xwm_outgoing_property(struct x_selections *all, xcb_window_t window, xcb_atom_t property);
/** Returns whether a program reads data of the selection. */
bool xwm_outgoing_runs(const struct x_selection *selection);
void xwm_outgoing_end(struct x_outgoing *outgoing);
void xwm_selection_notify(
	struct xwm *wm, const xcb_selection_request_event_t *request, xcb_atom_t property);
