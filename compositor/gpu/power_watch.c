/* SPDX-License-Identifier: MIT */
/* Watches of the power state of GPUs, by inotify on their nodes. */

#include "gpu/power_watch.h"
#include "gpu/gpu.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <limits.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

struct gpu_power_watch {
	struct gpu_list *list;
	struct wl_event_loop *loop;
	struct timer asleep; /* fires when unused GPUs are asleep */
	struct wl_listener list_changed;
	struct wl_signal changed;
	struct wl_event_source *source; /* NULL: no listeners */
	int fd;
};

static void watch_nodes(struct gpu_power_watch *watch)
{
	const struct gpu *gpu;
	wl_list_for_each (gpu, &watch->list->gpus, link) {
		const char *const nodes[] = {gpu->primary_path, gpu->render_path};
		for (int i = 0; i < 2; i++) {
			if (nodes[i]) {
				inotify_add_watch(watch->fd, nodes[i], IN_OPEN | IN_CLOSE);
			}
		}
	}
}

static void handle_list_changed(struct wl_listener *listener, void *data)
{
	struct gpu_power_watch *watch = wl_container_of(listener, watch, list_changed);
	watch_nodes(watch);
}

static void handle_asleep(struct timer *timer, int64_t now)
{
	struct gpu_power_watch *watch = wl_container_of(timer, watch, asleep);
	signal_emit(&watch->changed, NULL);
}

static int handle_readable(int fd, uint32_t mask, void *data)
{
	struct gpu_power_watch *watch = data;
	_Alignas(struct inotify_event) char events[64 * sizeof(struct inotify_event) + NAME_MAX];
	while (read(fd, events, sizeof(events)) > 0) {
	}
	int64_t delay = 0;
	const struct gpu *gpu;
	wl_list_for_each (gpu, &watch->list->gpus, link) {
		const int64_t its = gpu_suspend_delay(gpu);
		delay = its > delay ? its : delay;
	}
	if (delay > 0) {
		timer_arm(&watch->asleep, clock_now(watch->asleep.clock) + delay);
	}
	signal_emit(&watch->changed, NULL);
	return 0;
}

struct gpu_power_watch *gpu_power_watch_create(
	struct gpu_list *list, struct wl_event_loop *loop, struct clock *clock)
{
	struct gpu_power_watch *watch = xcalloc(1, sizeof(*watch));
	watch->list = list;
	watch->loop = loop;
	watch->fd = -1;
	timer_init(&watch->asleep, clock, handle_asleep);
	wl_signal_init(&watch->changed);
	return watch;
}

static void stop(struct gpu_power_watch *watch)
{
	if (watch->source) {
		wl_event_source_remove(watch->source);
		wl_list_remove(&watch->list_changed.link);
		watch->source = NULL;
	}
	timer_disarm(&watch->asleep);
	fd_close(&watch->fd);
}

void gpu_power_watch_destroy(struct gpu_power_watch *watch)
{
	if (watch) {
		stop(watch);
		timer_finish(&watch->asleep);
		free(watch);
	}
}

void gpu_power_watch_add(struct gpu_power_watch *watch, struct wl_listener *listener)
{
	wl_signal_add(&watch->changed, listener);
	if (watch->source) {
		return;
	}
	fd_close(&watch->fd); /* of an attempt that failed */
	watch->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	watch->source = watch->fd < 0 ? NULL
				      : wl_event_loop_add_fd(watch->loop, watch->fd,
						WL_EVENT_READABLE, handle_readable, watch);
	if (watch->source) {
		signal_add(&watch->list->events.changed, &watch->list_changed, handle_list_changed);
		watch_nodes(watch);
	}
}

void gpu_power_watch_remove(struct gpu_power_watch *watch, struct wl_listener *listener)
{
	wl_list_remove(&listener->link);
	if (wl_list_empty(&watch->changed.listener_list)) {
		stop(watch);
	}
}
