#pragma once

/** The socket that programs find by WAYLAND_DISPLAY, in $XDG_RUNTIME_DIR, and the lock on its name. */

struct display_socket {
	int fd; /* listening, never blocks */
	int lock_fd;
	char *name;
	char *path, *lock_path;
};

/**
 * `name` NULL: the first of wayland-1 to wayland-32 that is free. What a compositor left that is no more is
 * replaced. NULL with *error, one line that the caller frees.
 */
struct display_socket *display_socket_open(const char *name, char **error);
/** Removes its files. NULL is legal. */
void display_socket_close(struct display_socket *socket);
