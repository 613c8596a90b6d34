/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * X servers: Xwayland processes, each on one GPU, which start with the first connection to their
 * display and end after the last one.
 *
 * A display exists from the creation of its X server to the end of the session, or of the program
 * that it was made for. The process behind it comes and goes: each time, a window manager is
 * created and destroyed with it.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <wayland-server-core.h>

struct client;
struct gpu;
struct surface;
struct surface_role;
struct x_server;

/** Most X servers at a time. */
#define X_SERVERS_MAX 16

/** The window manager of an X server. All functions are mandatory, and run on the event loop. */
struct x_server_wm_impl {
	/**
	 * The role of surfaces of X windows. The window manager assigns it with surface_set_role()
	 * when it associates a surface with a window.
	 */
	const struct surface_role *role;
	/**
	 * Creates the window manager of `server`, which is ready: server->client and server->pid
	 * are valid. Takes over `fd`, an X11 connection on which nothing was sent yet. Xwayland
	 * accepts programs once the window manager has acquired the selection WM_S0, and ends only
	 * if its connection has XFIXES_CLIENT_DISCONNECT_FLAG_TERMINATE set. Returns NULL on
	 * failure; the X server is then ended.
	 */
	void *(*create)(void *data, struct x_server *server, int fd);
	/**
	 * Destroys a window manager: its X server has ended or is about to end, and all surfaces of
	 * server->client have been destroyed.
	 */
	void (*destroy)(void *wm);
	/**
	 * The X server created a surface, whose wl_surface has the object id `id` (for
	 * WL_SURFACE_ID messages that arrived before).
	 */
	void (*new_surface)(void *wm, struct surface *surface, uint32_t id);
	/**
	 * The X server gave `surface` the serial of a WL_SURFACE_SERIAL message
	 * (xwayland_shell_v1), with a commit. Called at most once for a surface.
	 */
	void (*surface_with_serial)(void *wm, struct surface *surface, uint64_t serial);
	/** server->scale has changed. */
	void (*scaled)(void *wm);
};

struct x_server {
	struct wl_list link; /* of all X servers, in the order of their creation */
	/** Number of the display: 1 is ":1". From 1000: behind the shared display, for messages. */
	int display;
	struct gpu *gpu; /* on which its programs render; NULL: none */
	/** Pixels of the X screen per logical pixel; client->density is the same. */
	double scale;
	bool own; /* of a single program ([app] x-server = own) */
	pid_t pid; /* 0: no process */
	struct client *client; /* NULL: not ready */
	struct wl_client *wl_client; /* of `client` */
	void *wm; /* of x_server_wm_impl.create(); NULL: not ready, or no window manager */
};

/**
 * Returns the surface of `server` whose wl_surface has the object id `id`, or NULL. For
 * WL_SURFACE_ID messages.
 */
struct surface *x_server_find_surface(const struct x_server *server, uint32_t id);
/**
 * Returns the surface of `server` with a serial of xwayland_shell_v1, or NULL. For
 * WL_SURFACE_SERIAL messages.
 */
struct surface *x_server_find_serial(const struct x_server *server, uint64_t serial);
/**
 * Ends the process of `server` in the next turn of the event loop, for a window manager that lost
 * its connection or cannot continue. The next connection to the display starts another.
 */
void x_server_end(struct x_server *server);
