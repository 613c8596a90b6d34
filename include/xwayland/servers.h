/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * All X servers of a session: one for programs without a GPU of their own choice, one for each
 * further GPU that a program was sent to, and one for each isolated program.
 */

#include "xwayland/xwayland.h"

struct xwayland;

/** Duties of the caller. All functions are mandatory. */
struct xwayland_host {
	void *data;
	/**
	 * Starts Xwayland, which renders on server->gpu, with descriptors `fds`, which become 3, 4
	 * and so on; `environment` and `error_fd` as for children_spawn(). Returns its pid or -errno.
	 * Its end is reported to xwayland_child_ended().
	 */
	pid_t (*spawn)(void *data, const struct xwayland_server *server, const char *const *argv,
		const char *const *environment, const int *fds, int n_fds, int error_fd);
	/**
	 * Makes a client of the connection `fd`, and takes it over: its process is server->pid, its
	 * GPU server->gpu. Sets server->client. Returns NULL on failure; `fd` is closed then, too.
	 */
	struct wl_client *(*connect)(void *data, struct xwayland_server *server, int fd);
	/** Returns the GPU of programs without a choice, or NULL. */
	struct gpu *(*default_gpu)(void *data);
	/** Return the surface with this object id or serial, or NULL: see xwayland.h. */
	struct surface *(*find_surface)(struct wl_client *client, uint32_t id);
	struct surface *(*find_serial)(struct wl_client *client, uint64_t serial);
};

/**
 * Settings that may change at any time. All but the scale apply when a server is created or started
 * next.
 */
struct xwayland_settings {
	int linger; /* s that a server stays without programs */
	bool per_gpu; /* one server for each GPU; otherwise one for all programs */
	bool abstract_socket; /* listen on an abstract socket, too */
	double scale; /* of the X screens: see xwayland_server.scale */
};

struct xwayland_options {
	struct wl_event_loop *loop;
	struct clock *clock;
	const struct xwayland_host *host;
	const struct xwayland_wm_impl *wm; /* NULL: programs run without a window manager */
	void *wm_data; /* for xwayland_wm_impl.create() */
	const char *folder; /* of sockets and locks; NULL: /tmp, as libX11 and libxcb expect */
	struct xwayland_settings settings;
};

/**
 * Creates the first X server: its display is open, and no process runs. The host and `options->wm`
 * must stay valid. Returns NULL with *error, one line, which the caller frees: Xwayland is not
 * installed, or no display is free.
 */
struct xwayland *xwayland_create(const struct xwayland_options *options, char **error);
/** Ends all X servers. Clients of the host must still exist. Accepts NULL. */
void xwayland_destroy(struct xwayland *xwayland);
void xwayland_configure(struct xwayland *xwayland, const struct xwayland_settings *settings);
/** Returns the list of X servers (xwayland_server.link); the first is the default one. */
const struct wl_list *xwayland_servers(const struct xwayland *xwayland);
/**
 * Returns the X server for a program on `gpu`; NULL: the default one. Creates it if there is none
 * yet, or reuses an idle one of a removed GPU. The default server if that fails, which is logged.
 */
struct xwayland_server *xwayland_server_for_gpu(struct xwayland *xwayland, struct gpu *gpu);
/**
 * Creates an X server for a single program on `gpu` (NULL: the default one), which the caller then
 * starts: see xwayland_server_set_program(). Returns NULL with *error, which the caller frees.
 */
struct xwayland_server *xwayland_server_create_own(
	struct xwayland *xwayland, struct gpu *gpu, char **error);
/**
 * Sets the program of an X server of its own. `pid` below 0: the program could not be started. When
 * the program and the X server's process have both ended, the X server is destroyed. It waits some
 * time for connections if there was no process at the program's end.
 */
void xwayland_server_set_program(struct xwayland_server *server, pid_t pid);
/**
 * Returns changes to the environment of the server's programs, as for children_spawn(); free them
 * with strings_destroy(). `server` NULL: there is no X server.
 */
char **xwayland_server_environment(const struct xwayland_server *server);
/** Handles the end of any child process; `code` as for children_reap(). */
void xwayland_child_ended(struct xwayland *xwayland, pid_t pid, int code);
/** Passes a new surface, or its serial, on to the window manager: see xwayland_wm_impl. */
void xwayland_server_add_surface(
	struct xwayland_server *server, struct surface *surface, uint32_t id);
void xwayland_server_set_serial(
	struct xwayland_server *server, struct surface *surface, uint64_t serial);
/** Returns the role of surfaces of X windows, or NULL without a window manager. */
const struct surface_role *xwayland_server_role(const struct xwayland_server *server);
