/* SPDX-License-Identifier: MIT */
#pragma once

/** X displays: the number, its lock file, the listening sockets, and the cookie of its programs. */

#include <stdbool.h>

struct x_display {
	int number;
	int fds[2]; /* listening, nonblocking */
	int n_fds;
	char *socket_path, *lock_path;
	char *cookie_path; /* NULL: none */
	int cookie_fd; /* holds the file; -1: none */
};

/**
 * Opens the first free display, with files in `folder` (/tmp for libX11 and libxcb). Replaces the
 * files of X servers that have died. `abstract`: listen on the abstract socket, too. Returns NULL
 * on failure, with a one-line message in *error that the caller frees.
 */
struct x_display *x_display_open(const char *folder, bool abstract, char **error);
/**
 * Writes a cookie file into $XDG_RUNTIME_DIR for the programs of the display. Returns false with a
 * one-line message in *error that the caller frees.
 */
bool x_display_write_cookie(struct x_display *display, char **error);
/** Closes the sockets and removes all files. Accepts NULL. */
void x_display_close(struct x_display *display);
/** Accepts and closes all waiting connections, so that their programs get an error. */
void x_display_refuse(const struct x_display *display);
