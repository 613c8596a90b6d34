/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Streams: data written to descriptors that clients share, without blocking the event loop.
 *
 * O_NONBLOCK belongs to the open file description, so a client that holds it can clear the flag
 * between poll() and write(). Streams do not depend on the flag, and leave it as it is: pipes take
 * data by splice() with SPLICE_F_NONBLOCK, local sockets by send() with MSG_DONTWAIT, and other
 * files are written on a thread, which is abandoned with the stream.
 */

#include <stddef.h>
#include <sys/types.h>
#include <wayland-server-core.h>

struct fd_stream;
struct task_quota;
struct tasks;

/**
 * Takes over `fd`. `ready` is called on the event loop when data that fd_stream_write() left can be
 * written; it may destroy the stream. `quota` limits threads of streams that do not return. Returns
 * NULL with errno set, and leaves `fd` to the caller, if descriptors run short.
 */
struct fd_stream *fd_stream_create(struct wl_event_loop *loop, struct tasks *tasks,
	struct task_quota *quota, int fd, void (*ready)(void *data), void *data);
/** Abandons a write in progress and closes the descriptor. Accepts NULL. */
void fd_stream_destroy(struct fd_stream *stream);
/**
 * Writes as many bytes as the file takes now, without SIGPIPE. Returns their number; if it is less
 * than `size`, `ready` will be called, and the next call must begin with the remaining bytes.
 * Returns -errno on failure: -EPIPE without a reader, -EBUSY if the quota is exhausted.
 */
ssize_t fd_stream_write(struct fd_stream *stream, const void *data, size_t size);
