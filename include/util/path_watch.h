/* SPDX-License-Identifier: MIT */
#pragma once

/** Path watches: notify when a file appears at a path, without polling. */

#include <wayland-server-core.h>

struct path_watch;

/**
 * Calls `changed` from the loop when a file was created at the absolute path or moved there, or its
 * permissions changed (a socket is bound first and opened to others once it listens); also when a
 * folder on the way appeared or disappeared. Folders may be missing. Returns NULL without inotify.
 */
struct path_watch *path_watch_create(
	struct wl_event_loop *loop, const char *path, void (*changed)(void *data), void *data);
/** Stops watching. Must not be called from `changed`. Accepts NULL. */
void path_watch_destroy(struct path_watch *watch);
