#pragma once

/** Hears when something comes to be at a path, without looking there again and again. */

#include <wayland-server-core.h>

struct path_watch;

/**
 * Calls `changed` from the loop when something was made at the absolute path or moved there, or its rights
 * changed (a socket is bound first, and opened to others when it is listened on); also when a folder on the way
 * to it came, with whatever is in it by then, or went. Folders may be missing as yet. NULL without inotify.
 */
struct path_watch *path_watch_create(
	struct wl_event_loop *loop, const char *path, void (*changed)(void *data), void *data);
/** NULL is legal. Not from within `changed`. */
void path_watch_destroy(struct path_watch *watch);
