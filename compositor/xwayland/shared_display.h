/* SPDX-License-Identifier: MIT */
#pragma once

/** The display that the X servers of all GPUs share, each behind a channel: see acceptor.h. */

#include <stdbool.h>

struct x_acceptor;
struct x_display;

struct x_shared_display {
	struct x_display *display; /* with a cookie; NULL: given away */
	struct x_acceptor *acceptor;
	int n_numbers; /* given to servers */
};

/** Opens a display. Returns NULL with *error, one line, which the caller frees. */
struct x_shared_display *x_shared_display_create(const char *folder, bool abstract, char **error);
/** Closes the display, unless it was given away. Accepts NULL. */
void x_shared_display_destroy(struct x_shared_display *shared);
/**
 * Returns the next display number for a server behind a channel: no program can connect to it, and
 * Xwayland puts it into names of files. Displays with sockets and other sessions have others.
 */
int x_shared_display_next_number(struct x_shared_display *shared);
