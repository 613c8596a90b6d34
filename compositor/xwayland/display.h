/* SPDX-License-Identifier: MIT */
#pragma once

/** X displays: the number, its lock file, and the listening sockets. */

#include <stdbool.h>

struct x_display {
	int number;
	int fds[2]; /* listening, nonblocking */
	int n_fds;
	char *socket_path, *lock_path;
};

/**
 * Opens the first free display, with files in `folder` (/tmp for libX11 and libxcb). Replaces the
 * files of X servers that have died. `abstract`: listen on the abstract socket, too. Returns NULL
 * on failure, with a one-line message in *error that the caller frees.
 */
struct x_display *x_display_open(const char *folder, bool abstract, char **error);
/** Closes the sockets and removes their files. Accepts NULL. */
void x_display_close(struct x_display *display);
/** Accepts and closes all waiting connections, so that their programs get an error. */
void x_display_refuse(const struct x_display *display);
