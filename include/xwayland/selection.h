/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Clipboard, primary selection and dragged data between X servers and everything else: the seam to
 * protocol/.
 */

#include <stdbool.h>
#include <sys/types.h>

struct x_drag_host;
struct x_drag_wm_impl;
struct x_server;

enum x_selection_kind {
	X_SELECTION_CLIPBOARD,
	X_SELECTION_PRIMARY,
	X_SELECTION_DRAG, /* see xwayland/drag.h */
	X_SELECTION_COUNT,
};

/** Types that X programs are offered, or may offer, at most. */
#define X_SELECTION_TYPES_MAX 64

/** Duties of window managers (x_server.wm). All functions are mandatory. */
struct x_selection_wm_impl {
	/** Handles that x_selection_host.types() has changed. */
	void (*changed)(void *wm, enum x_selection_kind kind);
	/** Writes data of an X program to `fd`, and takes it over. */
	void (*send)(void *wm, enum x_selection_kind kind, const char *type, int fd);
};

/** Duties of protocol/. All functions are mandatory. */
struct x_selection_host {
	void *data;
	const struct x_selection_wm_impl *wm; /* NULL: no window managers */
	const struct x_drag_wm_impl *drag_wm; /* the same */
	const struct x_drag_host *drags;
	/**
	 * Makes data of an X program the selection, if its server has the keyboard focus, or a
	 * Wayland program that started it, or into which the user has typed just now; or sets the
	 * types of its drag. `pid`: the X program's process; 0: unknown.
	 */
	void (*offer)(void *data, struct x_server *server, enum x_selection_kind kind, pid_t pid,
		const char *const *types, int n);
	/** Withdraws the data of X programs; cancels their drag. */
	void (*withdraw)(void *data, struct x_server *server, enum x_selection_kind kind);
	/**
	 * Returns the types of the selection, valid until the next call of any function, and their
	 * number; 0 for none, and for that of the server's own programs.
	 */
	int (*types)(void *data, struct x_server *server, enum x_selection_kind kind,
		const char *const **types);
	/**
	 * Has the owner write its data to `fd`, which stays the caller's. Returns false if the X
	 * program may not have it: its server lacks the keyboard focus, and no Wayland program that
	 * has the focus started it; or the server is not the target of the drag, or the session is
	 * locked. `pid`: the X program's process; 0: unknown.
	 */
	bool (*receive)(void *data, struct x_server *server, enum x_selection_kind kind, pid_t pid,
		const char *type, int fd);
};
