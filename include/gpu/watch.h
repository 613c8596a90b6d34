/* SPDX-License-Identifier: MIT */
#pragma once

/** Hotplug of GPUs, for backends that do not handle cards themselves. */

#include <wayland-server-core.h>

struct gpu_list;
struct gpu_watch;

/** Updates the list on udev events. Returns NULL if udev cannot notify. */
struct gpu_watch *gpu_watch_create(struct gpu_list *list, struct wl_event_loop *loop);
/** Accepts NULL. */
void gpu_watch_destroy(struct gpu_watch *watch);
