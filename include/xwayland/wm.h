/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * The X window manager: makes windows of the shell from the windows of an X server, and keeps the
 * rules of ICCCM and EWMH towards X programs.
 */

#include "xwayland/drag.h"
#include "xwayland/selection.h"
#include "xwayland/server.h"
#include <stdbool.h>

struct clock;
struct scene;
struct seat;
struct shell;
struct tasks;

/** `data` of x_server_wm_impl.create(); all members outlive the window managers. */
struct xwm_parts {
	struct wl_event_loop *loop;
	struct clock *clock;
	struct tasks *tasks; /* writes to files that may block */
	struct scene *scene;
	struct seat *seat;
	struct shell *shell;
	struct x_selection_host *selections;
	/** Uses up a token of activation. Returns whether its window may take the focus. */
	bool (*redeem_token)(void *data, const char *token);
	void *data; /* for redeem_token() */
};

/** Return the window manager, and its parts in selections and drags. */
const struct x_server_wm_impl *xwm_impl(void);
const struct x_selection_wm_impl *xwm_selection_impl(void);
const struct x_drag_wm_impl *xwm_drag_impl(void);
