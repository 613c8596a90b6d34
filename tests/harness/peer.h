#pragma once

/**
 * A client in the server's own process. Its objects are those of libwayland-client; requests are
 * sent, and answers arrive, in fixture_pump().
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
	struct wl_client *client; /* the server's side; NULL once it is disconnected */
	struct wl_listener client_destroy;
	struct wl_registry *registry;
	struct peer_global *globals;
	int n_globals;
	struct wl_list buffers; /* peer_buffer.link; freed with the peer */
	struct wl_list windows; /* peer_window.link; freed with the peer */
	/** Bound at the highest versions that both sides know. */
	struct wl_compositor *compositor;
	struct wl_subcompositor *subcompositor;
	struct wl_shm *shm;
	struct xdg_wm_base *wm_base;
	struct wl_seat *seat;
};

/** Connected and bound. */
struct peer *peer_create(struct fixture *fixture);
/**
 * On a connection that is there or is being accepted, whose descriptor it takes over; binds nothing, so
 * that clients that see less than others can be tried.
 */
struct peer *peer_create_on(struct fixture *fixture, int fd);
/** As one of the control socket's: it sees causeway_control_v1 and nothing else. */
struct peer *peer_create_control(struct fixture *fixture);
/** As if it had crashed: the connection ends. NULL is legal. */
void peer_destroy(struct peer *peer);
/** A global of this interface at no more than `version` (0: the newest). Fails if there is none. */
void *peer_bind(struct peer *peer, const struct wl_interface *interface, uint32_t version);
/** NULL if the server advertises none. */
const struct peer_global *peer_find_global(const struct peer *peer, const char *interface);
/** True if the server answers it. */
bool peer_alive(struct peer *peer);
/**
 * Pumps, and fails the test unless the server has ended this connection with this error. A NULL
 * interface stands for an object that is not there any more.
 */
void peer_expect_error(struct peer *peer, const struct wl_interface *interface, uint32_t code);

/** Pixels that a peer shares with the server. */
struct peer_buffer {
	struct wl_list link; /* peer.buffers */
	struct wl_buffer *buffer;
	uint32_t *pixels; /* format as given, 4 bytes a pixel */
	int32_t width, height;
	size_t size; /* bytes mapped */
	int fd;
	int n_released;
};

/** What is left of a peer's windows and buffers when it goes; sends nothing. */
void peer_forget(struct peer *peer);

/** Formats of 4 bytes a pixel only. Zeroed. */
struct peer_buffer *peer_buffer_create(
	struct peer *peer, int32_t width, int32_t height, uint32_t format);
/** Destroys the wl_buffer too. NULL is legal. */
void peer_buffer_destroy(struct peer_buffer *buffer);
void peer_buffer_fill(
	struct peer_buffer *buffer, int x, int y, int width, int height, uint32_t pixel);
/** A picture in which every transform and every crop can be told from any other. */
void peer_buffer_fill_pattern(struct peer_buffer *buffer);

/** wl_surface with a toplevel that acknowledges every configure. */
struct peer_window {
	struct wl_list link; /* peer.windows */
	struct peer *peer;
	struct wl_surface *surface;
	struct xdg_surface *xdg_surface;
	struct xdg_toplevel *toplevel;
	struct peer_buffer *buffer; /* that peer_window_create() attached; owned */
	int32_t width, height; /* of the last configure */
	uint32_t serial; /* of the last configure */
	int n_configures;
	uint32_t states; /* 1 << enum xdg_toplevel_state */
	bool closed;
};

/** Configured but without content. */
struct peer_window *peer_window_create_unmapped(struct peer *peer);
/** Mapped, filled with one colour, 0xAARRGGBB premultiplied, and placed at x, y. */
struct peer_window *peer_window_create(
	struct peer *peer, int x, int y, int32_t width, int32_t height, uint32_t pixel);
void peer_window_destroy(struct peer_window *window);
/** The compositor's own view of it. */
struct window *peer_window_find(struct peer_window *window);
/** Moves its top left corner, and pumps. */
void peer_window_place(struct peer_window *window, int x, int y);
/** Attaches, damages all and commits. */
void peer_surface_show(struct wl_surface *surface, struct peer_buffer *buffer);
/** A desynchronised or synchronised subsurface; pending until the parent's commit. */
struct wl_subsurface *peer_subsurface(struct peer *peer, struct wl_surface *surface,
	struct wl_surface *parent, int32_t x, int32_t y);
/** The server's side of a peer's object. Fails if it is not there. */
struct surface *peer_surface_find(struct peer *peer, struct wl_surface *surface);
