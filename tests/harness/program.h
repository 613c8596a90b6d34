#pragma once

/** What clients of the tests share that are processes of their own: globals, and a window. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wayland-client.h>

struct xdg_wm_base;

/** A global that is wanted. */
struct program_global {
	const struct wl_interface *interface;
	uint32_t version; /* the highest that is of use */
	/** Where the first one's proxy goes: a pointer to a pointer, NULL before. NULL: all are bound. */
	void *to;
	/** Told of a proxy as soon as there is one, so that no event is missed. May be NULL. */
	void (*bound)(void *data, void *proxy);
	void *data;
	bool optional;
};

/**
 * Binds what is wanted and waits for it; answers the pings of an xdg_wm_base. False, with a line on standard
 * error, if something is missing that is not optional.
 */
bool program_bind(struct wl_display *display, const struct program_global *globals, size_t n);

/** A toplevel that acknowledges whatever it is told. */
struct program_window {
	struct wl_surface *surface;
	struct xdg_surface *xdg_surface;
	struct xdg_toplevel *toplevel;
	int32_t width, height; /* as told last; 0: as the client likes */
	bool configured, closed;
	/** Told something, and it was acknowledged; or closed. May be NULL. */
	void (*changed)(struct program_window *window);
};

/** To be committed without a buffer, after what else it is to say at first. */
void program_window_open(struct program_window *window, struct wl_compositor *compositor,
	struct xdg_wm_base *wm_base);
/** Commits it so, and waits until it is configured. False: the connection is gone. */
bool program_window_begin(struct program_window *window, struct wl_display *display);
