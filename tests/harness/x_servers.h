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
	/* The window manager. */
	int n_created, n_destroyed;
	bool fails, had_client;
};

/** Creates and destroys the world of a test, for cmocka. */
int world_setup(void **state);
int world_teardown(void **state);
/** Handles all events that are due. */
void world_dispatch(struct servers_world *world);
/** Returns a connection to a display, which a server may not have accepted yet. */
int world_connect(struct servers_world *world, int number);
/** Makes the process of the last start ready. */
void world_report_readiness(struct servers_world *world);
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
