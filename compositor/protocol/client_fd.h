#pragma once

/**
 * Descriptors from clients. Calls that may block on them, close() among them, are made on threads; a client is
 * disconnected when its descriptors do not answer, or keep too many threads.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <wayland-server-core.h>

struct client_fd_task;

/** ns within which a file has to answer. */
#define CLIENT_FD_TIMEOUT (INT64_C(5) * 1000000000)

/** Closes `fd`, on a thread if that may block. Disconnects a client that has too many such descriptors. */
void client_fd_close(struct wl_client *client, int fd);

/**
 * Starts to find out whether `fd`, which it takes over, is a regular file of a local file system: one that no
 * other program serves. `done` gets the descriptor, which is its owner's from then on, or a negative errno:
 * -EINVAL for other files, -ETIMEDOUT without an answer. NULL if the client has too many tasks; it is
 * disconnected.
 */
struct client_fd_task *client_fd_vet(
	struct wl_client *client, int fd, void (*done)(void *owner, int fd), void *owner);
/**
 * Starts to read `size` bytes from the start of `fd`, which it takes over. `done` gets the bytes, NULL with a
 * negative errno in `length` if that failed; fewer if the file is shorter. `data` is the owner's. NULL if the
 * client has too many tasks; it is disconnected.
 */
struct client_fd_task *client_fd_read(struct wl_client *client, int fd, size_t size,
	void (*done)(void *owner, char *data, ssize_t length, size_t size), void *owner);
/**
 * Sends an error that was posted outside of the client's own requests, and destroys the client: libwayland does so
 * only when the next request comes. For the last statement of a `done`.
 */
void client_fd_disconnect(struct wl_client *client);
/** Ends the owner's interest: `done` is not called. NULL is legal. */
void client_fd_abandon(struct client_fd_task *task);
