/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Channels: connections on their way to an X server, which accepts them from its end as if it were
 * a listening socket: see acceptor.h. What one process of the server did not accept stays for the
 * next one.
 */

struct x_channel {
	int fds[2]; /* ours, and the end of the X server */
};

/** Returns 0 or -errno; then the channel needs no close. */
int x_channel_open(struct x_channel *channel);
/** Closes both ends, and the connections in the channel. Accepts a closed channel. */
void x_channel_close(struct x_channel *channel);
/** Copies both ends. Returns 0 or -errno. */
int x_channel_copy(struct x_channel *copy, const struct x_channel *channel);
/**
 * Sends a connection, which stays the caller's. Returns 0; -EAGAIN or -ETOOMANYREFS if too many are
 * on their way, then try later; another -errno.
 */
int x_channel_send(const struct x_channel *channel, int fd);
/**
 * Takes the next connection from the end of the X server. Returns it or -errno. -EAGAIN: there is
 * none; -EMFILE: too many files are open, and the connection is closed.
 */
int x_channel_take(const struct x_channel *channel);
/** Closes all connections in the channel, so that their programs get an error. */
void x_channel_refuse(const struct x_channel *channel);

/** Sends a descriptor over a socket, without blocking. Returns 0 or -errno. */
int x_channel_send_fd(int socket_fd, int fd);
/**
 * Receives a descriptor, without blocking. Returns it or -errno. -EPIPE: the other end is closed;
 * -EMFILE: too many files are open, and the descriptor is lost.
 */
int x_channel_receive_fd(int socket_fd);
