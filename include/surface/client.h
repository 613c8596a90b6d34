/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Wayland clients as seen below protocol/: credentials, GPU, permissions and accounting.
 *
 * protocol/client/client.c creates one per connection; unit tests create their own.
 */

#include <stdbool.h>
#include <sys/types.h>

struct account;
struct gpu;
struct x_server;

struct client {
	pid_t pid; /* 0 if unknown */
	uid_t uid;
	gid_t gid;
	/**
	 * `gpu`: the GPU that the client was told to render on, NULL if none. It stays the same for
	 * the client's life unless that GPU is removed. `next_gpu`: the GPU that the current rules
	 * would choose; it applies when the application next starts.
	 */
	struct gpu *gpu, *next_gpu;
	char *rule; /* name of the GPU rule that currently matches, NULL if none */
	char *remote; /* the machine that its program runs on; NULL: this one */
	bool named; /* its windows have been compared with the rules */
	/**
	 * The client can bind the globals that name a GPU, and the global that names a device node.
	 * Constant.
	 */
	bool sees_feedback, sees_node;
	/** Connected through the control socket: sees that protocol and nothing else. */
	bool control;
	/** The X server whose connection this is; NULL: any other client. */
	struct x_server *x_server;
	/**
	 * Surface coordinates of the client per logical pixel, above 0: X servers work in device
	 * pixels.
	 */
	double density;
	/** Connected through a security context: privileged globals are hidden. */
	bool sandboxed;
	/**
	 * Charged for resources that the compositor holds for this client, see util/account.h. NULL
	 * in unit tests.
	 */
	struct account *account;
	char *sandbox_engine, *sandbox_app_id, *sandbox_instance_id; /* NULL if not given */
};
