/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * The acceptor: a thread that answers the accept() calls of X servers with connections of their
 * channels.
 *
 * An X server listens on its end of a channel (-listenfd), which is no listening socket. The kernel
 * reports its accept() calls on that descriptor to this process instead of running them (seccomp
 * user notification), and installs the answer, a connection, into the X server. The X server stands
 * still until the answer, so a thread gives it, not the event loop.
 */

#include <sys/types.h>

struct x_acceptor;
struct x_channel;

/** Returns NULL with errno set on failure. */
struct x_acceptor *x_acceptor_create(void);
/** Stops the thread. X servers that still run get no further connections. Accepts NULL. */
void x_acceptor_destroy(struct x_acceptor *acceptor);
/**
 * Answers the accept() calls of the child process `pid`, which sends its notification descriptor to
 * `control`, until the process has ended: see xwayland/start.h. Takes `control` over. Keeps both
 * ends of the channel open until then, since Xwayland would spin on a channel that has hung up, and
 * ends the process (SIGTERM) if the notification descriptor cannot be received. Returns 0 or
 * -errno; then `control` is closed.
 */
int x_acceptor_add(
	struct x_acceptor *acceptor, pid_t pid, int control, const struct x_channel *channel);
