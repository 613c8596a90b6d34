/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * File descriptors from clients. Calls that may block on them, close() included, are made on
 * threads. A client whose descriptors do not answer, or occupy too many threads, is disconnected.
 */

#include <stddef.h>
#include <sys/types.h>
#include <wayland-server-core.h>

struct client_fd_task;

/** Time (ns) within which a file must answer. */
#define CLIENT_FD_TIMEOUT (INT64_C(5) * 1000000000)

/**
 * Closes `fd`, on a thread if that may block. Disconnects the client if it has too many blocked
 * descriptors.
 */
void client_fd_close(struct wl_client *client, int fd);

/**
 * Takes over `fd` and starts to check that it is a regular file on a local file system, i.e. one
 * that is not served by another program. `done` gets the descriptor, then owned by `owner`, or a
 * negative errno: -EINVAL for other files, -ETIMEDOUT if there is no answer. Returns NULL if the
 * client has too many tasks; it is disconnected.
 */
struct client_fd_task *client_fd_vet(
	struct wl_client *client, int fd, void (*done)(void *owner, int fd), void *owner);
/**
 * Takes over `fd` and starts to read up to `size` bytes: of a pipe or local socket the next ones,
 * of regular files from their start. `done` gets the bytes, owned by `owner`, and their number
 * (less than `size` if the file is shorter); on failure NULL with a negative errno in `length`:
 * -EINVAL for other files, -ETIMEDOUT after CLIENT_FD_TIMEOUT. Returns NULL if the client has too
 * many tasks; it is disconnected.
 */
struct client_fd_task *client_fd_read(struct wl_client *client, int fd, size_t size,
	void (*done)(void *owner, char *data, ssize_t length, size_t size), void *owner);
/**
 * Sends an error that was posted outside the client's own requests and destroys the client.
 * libwayland would do so only at the client's next request. Must be the last statement of a `done`
 * callback.
 */
void client_fd_disconnect(struct wl_client *client);
/** Cancels the callback: `done` will not be called. NULL is legal. */
void client_fd_abandon(struct client_fd_task *task);
