/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Peers: clients in the server's own process, with proxies of libwayland-client. fixture_pump()
 * sends requests and receives events.
 */

#include "harness/fixture.h"
#include "xdg-shell-client-protocol.h"
#include <wayland-client.h>

struct peer_global {
	char *interface;
	uint32_t name, version;
};

struct peer {
	struct fixture *fixture;
	struct wl_list link; /* fixture.peers */
	struct wl_display *display;
	bool readable; /* as of the last poll of all peers */
	struct wl_client *client; /* the server's side; NULL once it is disconnected */
	struct wl_listener client_destroy;
	struct wl_registry *registry;
	struct peer_global *globals;
	int n_globals;
	struct wl_list buffers; /* peer_buffer.link; freed with the peer */
	struct wl_list windows; /* peer_window.link; freed with the peer */
	/** Bound at the highest versions that both sides support. */
	struct wl_compositor *compositor;
	struct wl_subcompositor *subcompositor;
	struct wl_shm *shm;
	struct xdg_wm_base *wm_base;
	struct wl_seat *seat;
};

/** Connects a client and binds its globals. */
struct peer *peer_create(struct fixture *fixture);
/**
 * Creates a client on an existing connection and takes over its descriptor. Binds nothing, for
 * tests of clients that see fewer globals.
 */
struct peer *peer_create_on(struct fixture *fixture, int fd);
/** Creates a client of the control socket, which sees only causeway_control_v1. */
struct peer *peer_create_control(struct fixture *fixture);
/** Closes the connection, as a crash does. NULL is legal. */
void peer_destroy(struct peer *peer);
/**
 * Binds a global of this interface at most at `version` (0: the newest). Fails the test if there is
 * none.
 */
void *peer_bind(struct peer *peer, const struct wl_interface *interface, uint32_t version);
/** Returns a global of this interface, or NULL if the server advertises none. */
const struct peer_global *peer_find_global(const struct peer *peer, const char *interface);
/** Returns true if the server answers the peer. */
bool peer_alive(struct peer *peer);
/**
 * Pumps, and fails the test unless the server has ended this connection with this error. A NULL
 * interface stands for a destroyed object.
 */
void peer_expect_error(struct peer *peer, const struct wl_interface *interface, uint32_t code);

/** A buffer of shared memory. */
struct peer_buffer {
	struct wl_list link; /* peer.buffers */
	struct wl_buffer *buffer;
	uint32_t *pixels; /* 4 bytes per pixel, in the requested format */
	int32_t width, height;
	size_t size; /* bytes mapped */
	int fd;
	int n_released;
};

/** Frees a peer's remaining windows and buffers without sending requests. */
void peer_forget(struct peer *peer);

/** Creates a zeroed buffer; the format must have 4 bytes per pixel. */
struct peer_buffer *peer_buffer_create(
	struct peer *peer, int32_t width, int32_t height, uint32_t format);
/** Destroys the wl_buffer too. NULL is legal. */
void peer_buffer_destroy(struct peer_buffer *buffer);
void peer_buffer_fill(
	struct peer_buffer *buffer, int x, int y, int width, int height, uint32_t pixel);
/** Fills the buffer with a pattern that distinguishes every transform and crop. */
void peer_buffer_fill_pattern(struct peer_buffer *buffer);

/** A wl_surface with a toplevel that acknowledges every configure. */
struct peer_window {
	struct wl_list link; /* peer.windows */
	struct peer *peer;
	struct wl_surface *surface;
	struct xdg_surface *xdg_surface;
	struct xdg_toplevel *toplevel;
	struct peer_buffer *buffer; /* attached by peer_window_create(); owned */
	int32_t width, height; /* of the last configure */
	uint32_t serial; /* of the last configure */
	int n_configures;
	uint32_t capabilities; /* 1 << enum xdg_toplevel_wm_capabilities */
	uint32_t states; /* 1 << enum xdg_toplevel_state */
	bool closed;
};

/** Creates a toplevel that is configured but has no content. */
struct peer_window *peer_window_create_unmapped(struct peer *peer);
/** Maps a window of one colour (0xAARRGGBB, premultiplied) at x,y. */
struct peer_window *peer_window_create(
	struct peer *peer, int x, int y, int32_t width, int32_t height, uint32_t pixel);
void peer_window_destroy(struct peer_window *window);
/** Returns the compositor's object of the window. */
struct window *peer_window_find(struct peer_window *window);
/** Moves the window's top left corner, and pumps. */
void peer_window_place(struct peer_window *window, int x, int y);
/** Attaches the buffer, damages all of it and commits. */
void peer_surface_show(struct wl_surface *surface, struct peer_buffer *buffer);
/** Creates a subsurface, which is added with the parent's next commit. */
struct wl_subsurface *peer_subsurface(struct peer *peer, struct wl_surface *surface,
	struct wl_surface *parent, int32_t x, int32_t y);
/** Returns the server's object of a peer's surface. Fails the test if there is none. */
struct surface *peer_surface_find(struct peer *peer, struct wl_surface *surface);
