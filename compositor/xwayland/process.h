/* SPDX-License-Identifier: MIT */
#pragma once

/** The process of an X server, and its display, which is open without a process, too. */

#include "server_log.h"
#include "util/clock.h"
#include "util/fd_watch.h"
#include "xwayland/servers.h"

enum x_process_state {
	X_PROCESS_IDLE, /* no process; watches the display unless it pauses after a crash */
	X_PROCESS_STARTING, /* until Xwayland reports that it is ready */
	X_PROCESS_RUNNING,
	X_PROCESS_ENDING, /* until the process has ended */
};

struct x_process {
	struct x_server base; /* the X server */
	struct x_servers *all;
	enum x_process_state state;
	struct x_display *display;
	char *cookie_path;
	int cookie_fd; /* holds the file */
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
};

/** Opens a display. Returns NULL with *error, one line, which the caller frees. */
struct x_process *x_process_create(
	struct x_servers *servers, struct gpu *gpu, bool own, char **error);
/** Ends the process, if any, and closes the display. */
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
