/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * All X servers of a session: one for programs without a GPU of their own choice, one for each
 * further GPU that a program was sent to, and one for each isolated program.
 */

#include "xwayland/server.h"

struct process;
struct tasks;
struct x_servers;

/** The choice of a GPU for a program. */
struct x_choice {
	struct gpu *gpu; /* NULL: the default one */
	const char *rule; /* the name of the rule that decided; NULL: none; borrowed */
	bool wished; /* CAUSEWAY_GPU decided */
};

/** Duties of the caller. All functions are mandatory. */
struct x_servers_host {
	void *data;
	/**
	 * Starts Xwayland, which renders on server->gpu, with descriptors `fds`, which become 3, 4
	 * and so on; `environment` and `error_fd` as for children_spawn(). Returns its pid or
	 * -errno. Its end is reported to x_servers_child_ended().
	 */
	pid_t (*spawn)(void *data, const struct x_server *server, const char *const *argv,
		const char *const *environment, const int *fds, int n_fds, int error_fd);
	/**
	 * Makes a client of the connection `fd`, and takes it over: its process is server->pid, its
	 * GPU server->gpu. Sets server->client. Returns NULL on failure; `fd` is closed then, too.
	 */
	struct wl_client *(*connect)(void *data, struct x_server *server, int fd);
	/** Returns the GPU of programs without a choice, or NULL. */
	struct gpu *(*default_gpu)(void *data);
	/** Returns the facts about processes that choose() needs: bits of enum process_fact. */
	unsigned (*facts)(void *data);
	/** Chooses the GPU of a program that connects to the shared display. */
	struct x_choice (*choose)(void *data, const struct process *process);
	/** Return the surface with this object id or serial, or NULL: see xwayland/server.h. */
	struct surface *(*find_surface)(struct wl_client *client, uint32_t id);
	struct surface *(*find_serial)(struct wl_client *client, uint64_t serial);
};

/**
 * Settings that may change at any time. All but the scale apply when a server is created or started
 * next.
 */
struct x_servers_settings {
	int linger; /* s that a server stays without programs */
	bool per_gpu; /* one server for each GPU; otherwise one for all programs */
	bool abstract_socket; /* listen on an abstract socket, too */
	double scale; /* of the X screens: see x_server.scale */
};

struct x_servers_options {
	struct wl_event_loop *loop;
	struct clock *clock;
	const struct x_servers_host *host;
	const struct x_server_wm_impl *wm; /* NULL: programs run without a window manager */
	void *wm_data; /* for x_server_wm_impl.create() */
	struct tasks *tasks; /* to read processes */
	/** This program, which starts X servers behind a shared display; NULL: none is shared. */
	const char *helper_program;
	/**
	 * All servers share one display. Otherwise, and if the kernel refuses, which is logged,
	 * each has its own.
	 */
	bool one_display;
	const char *folder; /* of sockets and locks; NULL: /tmp, as libX11 and libxcb expect */
	struct x_servers_settings settings;
};

/**
 * Creates the first X server: its display is open, and no process runs. The host and `options->wm`
 * must stay valid. Returns NULL with *error, one line, which the caller frees: Xwayland is not
 * installed, or no display is free.
 */
struct x_servers *x_servers_create(const struct x_servers_options *options, char **error);
/** Ends all X servers. Clients of the host must still exist. Accepts NULL. */
void x_servers_destroy(struct x_servers *servers);
/**
 * Returns why a process is on its X server, if it has connected to the shared display, or NULL;
 * valid until the next turn of the event loop.
 */
const char *x_servers_reason(const struct x_servers *servers, pid_t pid);
/**
 * Calls `visit` for each process that has connected to the shared display: `exe` NULL if unknown;
 * `reason` for its server, printable only after escaping.
 */
void x_servers_visit_programs(const struct x_servers *servers,
	void (*visit)(void *data, const struct x_server *server, pid_t pid, const char *exe,
		const char *reason),
	void *data);
/** Changes the settings. */
void x_servers_configure(struct x_servers *servers, const struct x_servers_settings *settings);
/** Returns the list of X servers (x_server.link); the first is the default one. */
const struct wl_list *x_servers_list(const struct x_servers *servers);
/**
 * Returns the X server for a program on `gpu`; NULL: the default one. Creates it if there is none
 * yet, or reuses an idle one of a removed GPU. The default server if that fails, which is logged.
 */
struct x_server *x_server_for_gpu(struct x_servers *servers, struct gpu *gpu);
/**
 * Creates an X server for a single program on `gpu` (NULL: the default one), which the caller then
 * starts: see x_server_set_program(). Returns NULL with *error, which the caller frees.
 */
struct x_server *x_server_create_own(struct x_servers *servers, struct gpu *gpu, char **error);
/**
 * Sets the program of an X server of its own. `pid` below 0: the program could not be started. When
 * the program and the X server's process have both ended, the X server is destroyed. It waits some
 * time for connections if there was no process at the program's end.
 */
void x_server_set_program(struct x_server *server, pid_t pid);
/**
 * Returns changes to the environment of the server's programs, as for children_spawn(); free them
 * with strings_destroy(). `server` NULL: there is no X server.
 */
char **x_server_environment(const struct x_server *server);
/** Handles the end of any child process; `code` as for children_reap(). */
void x_servers_child_ended(struct x_servers *servers, pid_t pid, int code);
/** Passes a new surface, or its serial, on to the window manager: see x_server_wm_impl. */
void x_server_add_surface(struct x_server *server, struct surface *surface, uint32_t id);
void x_server_set_serial(struct x_server *server, struct surface *surface, uint64_t serial);
/** Returns the role of surfaces of X windows, or NULL without a window manager. */
const struct surface_role *x_server_role(const struct x_server *server);
