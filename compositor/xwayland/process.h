/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * The process of an X server, and the source of its connections: a display of its own, or a channel
 * from the display that it shares. Both are open without a process, too.
 */

#include "channel.h"
#include "programs.h"
#include "server_log.h"
#include "util/clock.h"
#include "util/fd_watch.h"
#include "xwayland/servers.h"

enum x_process_state {
	X_PROCESS_IDLE, /* no process; awaits connections unless it pauses after a crash */
	X_PROCESS_STARTING, /* until Xwayland reports that it is ready */
	X_PROCESS_RUNNING,
	X_PROCESS_ENDING, /* until the process has ended */
};

struct x_process {
	struct x_server base; /* the X server */
	struct x_servers *all;
	enum x_process_state state;
	struct x_display *display; /* of its own; NULL: shares all->shared */
	struct x_channel channel; /* from the shared display; closed with an own one */
	struct fd_watch listening[2];
	struct fd_watch readiness;
	int readiness_fd; /* read end of the pipe of -displayfd; -1: none */
	struct x_server_log log;
	int wm_fd; /* our end of the connection of -wm, until it is ready; -1: none */
	/**
	 * Starting: time limit. Ending: until SIGKILL, then until the process is given up. Idle:
	 * pause after a crash, or `lingers`.
	 */
	struct timer timer;
	struct wl_listener client_destroy; /* of base.wl_client */
	struct wl_listener gpu_gone; /* of base.gpu, while there is a process */
	int64_t started; /* time (ns) of the last start */
	int n_crashes; /* in quick succession */
	bool asked_to_end; /* its end is no crash */
	bool was_cut; /* we closed the connection of the running process: its end is a crash */
	bool was_killed; /* by SIGKILL */
	bool lingers; /* idle after its program's end: the timer destroys it */
	bool was_ready; /* since the last start */
	pid_t program; /* of an own server: 0 before it is known, -1 after its end */
};

struct x_servers {
	struct x_servers_options options;
	struct wl_list list; /* x_server.link */
	int n;
	struct x_shared_display *shared; /* NULL: each server has a display of its own */
	struct x_kernel_test
		*kernel_test; /* before connections to the shared display are accepted */
	struct x_arrivals *arrivals; /* after it */
	struct x_programs programs; /* of the shared display */
};

/**
 * Opens a channel from the shared display, or a display; always a display for a server of a single
 * program (`own`). Returns NULL with *error, one line, which the caller frees.
 */
struct x_process *x_process_create(
	struct x_servers *servers, struct gpu *gpu, bool own, char **error);
/** Replaces the channel of an idle server by a display, which it takes over. */
void x_process_set_display(struct x_process *process, struct x_display *display);
/** Returns the display that programs of the server connect to. */
const struct x_display *x_process_display(const struct x_process *process);
/** Ends the process, if any, and closes its display or channel. */
void x_process_destroy(struct x_process *process);
/**
 * Chooses the GPU again, unless a process runs: the default server follows the configuration, and
 * others leave a GPU that is gone.
 */
void x_process_choose_gpu(struct x_process *process);
/** Handles the end of the server's process; may destroy an own server. */
void x_process_handle_end(struct x_process *process, int code);
/** Handles the end of an own server's program; may destroy the server. */
void x_process_handle_program_end(struct x_process *process);
struct x_process *x_process_from_server(struct x_server *base);
