/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * A test whether the kernel lets this process answer accept() calls of its children: it may lack
 * seccomp notifications, or a supervisor around this session may use them already.
 */

#include "xwayland/servers.h"

struct x_acceptor;
struct x_kernel_test;

/**
 * Starts the test: a process that accepts one connection. `done` gets 0 or a positive errno once,
 * with the test destroyed, but not before this call returns; ETIMEDOUT after 60 s. `server` is for
 * the host's spawn(). Returns NULL with *error set to a positive errno on failure.
 */
struct x_kernel_test *x_kernel_test_start(const struct x_servers_options *options,
	struct x_acceptor *acceptor, const struct x_server *server,
	void (*done)(void *data, int error), void *data, int *error);
/** Handles the end of any child process. Returns whether it was the test's. Accepts NULL. */
bool x_kernel_test_child_ended(struct x_kernel_test *test, pid_t pid, int code);
/** Kills the process, and does not call `done`. Accepts NULL. */
void x_kernel_test_destroy(struct x_kernel_test *test);
