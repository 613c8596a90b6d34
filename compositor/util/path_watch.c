/* SPDX-License-Identifier: MIT */
/* Path watches, by inotify on the parent folder, or the nearest existing one above it. */

#include "util/path_watch.h"
#include "util/event_source.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#define HERE (IN_CREATE | IN_MOVED_TO | IN_ATTRIB)
#define GOES (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT)

struct path_watch {
	int fd;
	struct wl_event_source *source;
	char *path;
	int folder; /* inotify's watch descriptor; -1: none */
	size_t name; /* offset in `path` of the awaited name */
	void (*changed)(void *data);
	void *data;
};

/* From the top down: the folder above reports files created between two checks. */
static void aim(struct path_watch *watch)
{
	char *path = xstrdup(watch->path);
	for (char *slash = path; slash; slash = strchr(slash + 1, '/')) {
		char *name = slash + 1, first = *name;
		*name = '\0';
		int folder = inotify_add_watch(watch->fd, path, HERE | GOES | IN_ONLYDIR);
		*name = first;
		if (folder < 0) {
			break;
		}
		if (watch->folder >= 0 && watch->folder != folder) {
			inotify_rm_watch(watch->fd, watch->folder);
		}
		watch->folder = folder;
		watch->name = (size_t)(name - path);
	}
	free(path);
}

static bool is_awaited(const struct path_watch *watch, const struct inotify_event *event)
{
	const char *name = watch->path + watch->name;
	size_t length = strcspn(name, "/");
	return event->len > 0 && strncmp(event->name, name, length) == 0 &&
	       event->name[length] == '\0';
}

/* The nearest existing folder may have changed. */
static bool moves_on(const struct path_watch *watch, const struct inotify_event *event)
{
	return event->mask & (GOES | IN_Q_OVERFLOW) || strchr(watch->path + watch->name, '/');
}

static int handle_readable(int fd, uint32_t mask, void *data)
{
	struct path_watch *watch = data;
	_Alignas(struct inotify_event) char events[sizeof(struct inotify_event) + NAME_MAX + 1];
	ssize_t length;
	bool changed = false, moves = false;
	while ((length = read(fd, events, sizeof(events))) > 0) {
		for (ssize_t at = 0; at < length;) {
			const struct inotify_event *event = (const void *)(events + at);
			if (event->mask & IN_Q_OVERFLOW ||
				(event->wd == watch->folder &&
					(event->mask & GOES || is_awaited(watch, event)))) {
				changed = true;
				moves |= moves_on(watch, event);
			}
			at += (ssize_t)(sizeof(*event) + event->len);
		}
	}
	if (moves) {
		aim(watch);
	}
	if (changed) {
		watch->changed(watch->data);
	}
	return 0;
}

struct path_watch *path_watch_create(
	struct wl_event_loop *loop, const char *path, void (*changed)(void *data), void *data)
{
	assert(path[0] == '/');
	struct path_watch *watch = xcalloc(1, sizeof(*watch));
	watch->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	watch->path = xstrdup(path);
	watch->folder = -1;
	watch->changed = changed;
	watch->data = data;
	watch->source = watch->fd < 0 ? NULL
				      : wl_event_loop_add_fd(loop, watch->fd, WL_EVENT_READABLE,
						handle_readable, watch);
	if (!watch->source) {
		path_watch_destroy(watch);
		return NULL;
	}
	aim(watch);
	return watch;
}

void path_watch_destroy(struct path_watch *watch)
{
	if (watch) {
		event_source_remove(&watch->source);
		fd_close(&watch->fd);
		free(watch->path);
		free(watch);
	}
}
