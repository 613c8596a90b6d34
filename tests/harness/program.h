/* SPDX-License-Identifier: MIT */
#pragma once

/** Globals and windows for test clients that run as separate processes. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wayland-client.h>

struct xdg_wm_base;

/** A requested global. */
struct program_global {
	const struct wl_interface *interface;
	uint32_t version; /* highest supported version */
	/**
	 * Address of the variable for the first global's proxy, initially NULL. NULL: binds every
	 * such global.
	 */
	void *to;
	/** Called with each new proxy, before any of its events. May be NULL. */
	void (*bound)(void *data, void *proxy);
	void *data;
	bool optional;
};

/**
 * Binds the requested globals with a round trip, and answers pings of xdg_wm_base. Returns false,
 * with a line on standard error, if a global that is not optional is missing.
 */
bool program_bind(struct wl_display *display, const struct program_global *globals, size_t n);

/** A toplevel that acknowledges every configure. */
struct program_window {
	struct wl_surface *surface;
	struct xdg_surface *xdg_surface;
	struct xdg_toplevel *toplevel;
	int32_t width, height; /* of the last configure; 0: the client's choice */
	bool configured, closed;
	/** Called after a configure was acknowledged, or on close. May be NULL. */
	void (*changed)(struct program_window *window);
};

/** Creates the toplevel. The caller sends its initial requests and commits it without a buffer. */
void program_window_open(struct program_window *window, struct wl_compositor *compositor,
	struct xdg_wm_base *wm_base);
/**
 * Commits without a buffer and waits for the first configure. Returns false if the connection was
 * lost.
 */
bool program_window_begin(struct program_window *window, struct wl_display *display);
