#pragma once

/** GPUs that come and go, for backends that do not look after cards themselves. */

#include <wayland-server-core.h>

struct gpu_list;
struct gpu_watch;

/** Refreshes the list when udev tells of a device. NULL if it cannot tell. */
struct gpu_watch *gpu_watch_create(struct gpu_list *list, struct wl_event_loop *loop);
/** NULL is legal. */
void gpu_watch_destroy(struct gpu_watch *watch);
