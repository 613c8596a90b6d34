/* SPDX-License-Identifier: MIT */
#pragma once

/** The display socket, WAYLAND_DISPLAY in $XDG_RUNTIME_DIR, and the lock on its name. */

struct display_socket {
	int fd; /* listening, nonblocking */
	int lock_fd;
	char *name;
	char *path, *lock_path;
};

/**
 * Opens the socket; `name` NULL: the first free name of wayland-1 to wayland-32. Replaces the files
 * of a dead compositor. Returns NULL on failure, with a one-line message in *error that the caller
 * frees.
 */
struct display_socket *display_socket_open(const char *name, char **error);
/** Closes the socket and removes its files. Accepts NULL. */
void display_socket_close(struct display_socket *socket);
