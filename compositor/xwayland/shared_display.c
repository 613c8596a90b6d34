/* SPDX-License-Identifier: MIT */
/* The display of all X servers, with the thread that hands its connections to them. */

#include "shared_display.h"
#include "acceptor.h"
#include "display.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Displays with sockets end at 63; Xwayland takes any number when it gets its descriptors. */
#define FIRST_NUMBER 1000

struct x_shared_display *x_shared_display_create(const char *folder, bool abstract, char **error)
{
	struct x_shared_display *shared = xcalloc(1, sizeof(*shared));
	shared->acceptor = x_acceptor_create();
	if (!shared->acceptor) {
		*error = xasprintf("cannot start a thread for X servers: %s", strerror(errno));
		goto destroy;
	}
	shared->display = x_display_open(folder, abstract, error);
	if (!shared->display || !x_display_write_cookie(shared->display, error)) {
		goto destroy;
	}
	return shared;
destroy:
	x_shared_display_destroy(shared);
	return NULL;
}

void x_shared_display_destroy(struct x_shared_display *shared)
{
	if (shared) {
		x_display_close(shared->display);
		x_acceptor_destroy(shared->acceptor);
		free(shared);
	}
}

int x_shared_display_next_number(struct x_shared_display *shared)
{
	/* Two sessions of a user may write keymaps into one folder. */
	return FIRST_NUMBER * (1 + shared->display->number) + shared->n_numbers++;
}
