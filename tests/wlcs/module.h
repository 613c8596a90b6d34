/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * The integration module for wlcs, the conformance suite: each test gets a server of its own in
 * wlcs' process, on a thread. Commands of the test run on that thread, between two dispatches,
 * while the test waits.
 */

#include "server/server.h"
#include <pthread.h>
#include <wlcs/display_server.h>
#include <wlcs/pointer.h>
#include <wlcs/touch.h>

struct module {
	WlcsDisplayServer base;
	struct server_output_option output;
	struct server_options options;
	struct server *server;
	struct wl_list connections; /* connection.link, newest first */
	int n_touches; /* created so far: their ids */

	pthread_t thread;
	bool running;
	pthread_mutex_t lock;
	pthread_cond_t done; /* a command was executed */
	struct wl_list commands; /* command.link, oldest first; under the lock */
	int wake; /* eventfd */
	struct wl_event_source *wake_source;
};

/**
 * Runs the command on the server's thread and returns when it has run; runs it at once while there
 * is no thread.
 */
void module_call(struct module *module, void (*run)(struct module *module, void *data), void *data);

/** Devices controlled by tests; freed by their own destroy function. */
WlcsPointer *module_create_pointer(WlcsDisplayServer *base);
WlcsTouch *module_create_touch(WlcsDisplayServer *base);
