/* SPDX-License-Identifier: MIT */
#pragma once

/** Watches configuration files, and reports when they have been saved. */

#include <wayland-server-core.h>

struct clock;
struct config_watch;

/**
 * Calls `changed` from the loop shortly after a watched file was written, replaced, or moved to its
 * path; after a second at most while files change again and again.
 */
struct config_watch *config_watch_create(
	struct wl_event_loop *loop, struct clock *clock, void (*changed)(void *data), void *data);
/**
 * Watches these files and folders instead of earlier ones. Relative paths are those of the working
 * directory. `paths` NULL: none. A file that no longer has its stamp of config_load_files() counts
 * as changed.
 */
void config_watch_set(struct config_watch *watch, char *const *paths, char *const *stamps);
/** Accepts NULL. */
void config_watch_destroy(struct config_watch *watch);
