/* SPDX-License-Identifier: MIT */
/* Hotplug of GPUs, by udev. */

#include "gpu/watch.h"
#include "gpu/gpu.h"
#include "util/event_source.h"
#include "util/xalloc.h"
#include <libudev.h>
#include <stdlib.h>
#include <string.h>

struct gpu_watch {
	struct gpu_list *list;
	struct udev *udev;
	struct udev_monitor *monitor;
	struct wl_event_source *source;
};

static int handle_monitor(int fd, uint32_t mask, void *data)
{
	struct gpu_watch *watch = data;
	struct udev_device *device = udev_monitor_receive_device(watch->monitor);
	const char *action = device ? udev_device_get_action(device) : NULL;
	/* "change" events are for connectors. */
	bool refresh = action && strcmp(action, "change") != 0;
	udev_device_unref(device);
	if (refresh) {
		gpu_list_refresh(watch->list);
	}
	return 0;
}

static bool listen(struct gpu_watch *watch, struct wl_event_loop *loop)
{
	watch->udev = udev_new();
	watch->monitor = watch->udev ? udev_monitor_new_from_netlink(watch->udev, "udev") : NULL;
	if (!watch->monitor ||
		udev_monitor_filter_add_match_subsystem_devtype(
			watch->monitor, "drm", "drm_minor") < 0 ||
		udev_monitor_enable_receiving(watch->monitor) < 0) {
		return false;
	}
	watch->source = wl_event_loop_add_fd(loop, udev_monitor_get_fd(watch->monitor),
		WL_EVENT_READABLE, handle_monitor, watch);
	return watch->source;
}

struct gpu_watch *gpu_watch_create(struct gpu_list *list, struct wl_event_loop *loop)
{
	struct gpu_watch *watch = xcalloc(1, sizeof(*watch));
	watch->list = list;
	if (!listen(watch, loop)) {
		gpu_watch_destroy(watch);
		return NULL;
	}
	return watch;
}

void gpu_watch_destroy(struct gpu_watch *watch)
{
	if (!watch) {
		return;
	}
	event_source_remove(&watch->source);
	udev_monitor_unref(watch->monitor);
	udev_unref(watch->udev);
	free(watch);
}
