/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * X servers of a test: their processes are played by the test, on its clock, with displays in its
 * folder.
 */

#include "gpu/gpu.h"
#include "surface/client.h"
#include "util/clock.h"
#include "xwayland/servers.h"
#include <stdbool.h>
#include <sys/types.h>

#define SECOND INT64_C(1000000000)

struct servers_world {
	char folder[32];
	struct wl_display *display;
	struct wl_event_loop *loop;
	struct clock *clock;
	struct x_servers *x_servers;
	struct x_server *server; /* the default one */
	struct x_servers_host host;
	struct gpu *default_gpu;
	struct client client;
	/* The process of the last start. */
	int n_starts;
	char *arguments;
	pid_t pid;
	int readiness; /* the write end of -displayfd; -1: none */
	struct gpu *gpu;
	bool stubborn; /* ignores SIGTERM */
	int spawn_error;
	/* With a shared display. */
	struct tasks *tasks;
	pid_t kernel_test; /* process of the test of the kernel; 0: none */
	int listening; /* the end of the channel of the last start; -1: none */
	struct x_choice (*choose)(const struct process *process);
	int n_choices;
	/* The window manager. */
	int n_created, n_destroyed;
	bool fails, had_client;
};

/** Creates and destroys the world of a test, for cmocka. */
int world_setup(void **state);
/** The same, with a display that all servers share. */
int world_setup_shared(void **state);
int world_teardown(void **state);
/** Handles all events that are due. */
void world_dispatch(struct servers_world *world);
/** Returns a connection to a display; for processes of the test, which have no loop. */
int world_open_connection(const struct servers_world *world, int number);
/** The same, and dispatches. A server may not have accepted it yet. */
int world_connect(struct servers_world *world, int number);
/** Makes the process of the last start ready. */
void world_report_readiness(struct servers_world *world);
/** Ends the test of the kernel with an exit code. */
void world_finish_kernel_test(struct servers_world *world, int code);
/** Kills and reaps the process of the last start, which is not reported. */
void world_kill_process(struct servers_world *world);
/** Kills the process of the last start, and reports that it ended with `code`. */
void world_end(struct servers_world *world, int code);
/** Returns whether the other side of a connection closed it. */
bool world_was_closed(int fd);
/** Reaps a process; returns whether it has ended. */
bool world_has_ended(pid_t pid, int *status);
void world_init_gpu(struct gpu *gpu, const char *name);
int world_count_servers(const struct servers_world *world);
