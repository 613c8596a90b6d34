/* SPDX-License-Identifier: MIT */
/*
 * Watches of configuration files by inotify on their folders: editors replace files by others. Of a
 * symbolic link, the folders of the link and of its target are watched.
 */

#include "config_watch.h"
#include "util/clock.h"
#include "util/event_source.h"
#include "util/fd.h"
#include "util/file.h"
#include "util/xalloc.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#define EVENTS (IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_DELETE | IN_MOVED_FROM)
/** Time (ns) from the last event to the report: editors save in several steps. */
#define DELAY INT64_C(150000000)
/** Time (ns) from the first event to the report, at most. */
#define DELAY_MAX INT64_C(1000000000)
#define ENTRIES_MAX 1024

/* A file in a watched folder, or all its files that end in .ini. */
struct entry {
	int folder; /* inotify's watch descriptor */
	char *name; /* NULL: all */
	bool missing; /* `name` is a folder that is yet to be created */
};

struct config_watch {
	struct wl_event_loop *loop;
	int fd;
	struct wl_event_source *source;
	struct entry entries[ENTRIES_MAX];
	int n_entries;
	struct timer timer;
	int64_t first; /* time of the first event that `timer` reports, ns */
	void (*changed)(void *data);
	void *data;
};

static bool is_configuration(const char *name)
{
	size_t length = strlen(name);
	return name[0] != '.' && length > 4 && strcmp(name + length - 4, ".ini") == 0;
}

static bool is_watched(const struct config_watch *watch, const struct inotify_event *event)
{
	for (int i = 0; event->len > 0 && i < watch->n_entries; i++) {
		const struct entry *entry = &watch->entries[i];
		if (entry->folder == event->wd &&
			(entry->name ? strcmp(entry->name, event->name) == 0
				     : is_configuration(event->name))) {
			/* A removed file that is named by itself will be replaced. */
			return event->mask & (IN_CLOSE_WRITE | IN_MOVED_TO) ||
			       (event->mask & IN_CREATE ? entry->missing : !entry->name);
		}
	}
	return false;
}

static void report_soon(struct config_watch *watch)
{
	const int64_t now = clock_now(watch->timer.clock);
	watch->first = watch->timer.armed ? watch->first : now;
	const int64_t last = watch->first + DELAY_MAX;
	timer_arm(&watch->timer, now + DELAY < last ? now + DELAY : last);
}

static int handle_readable(int fd, uint32_t mask, void *data)
{
	struct config_watch *watch = data;
	_Alignas(struct inotify_event) char events[sizeof(struct inotify_event) + NAME_MAX + 1];
	ssize_t length;
	bool changed = false;
	while ((length = read(fd, events, sizeof(events))) > 0) {
		for (ssize_t at = 0; at < length;) {
			const struct inotify_event *event = (const void *)(events + at);
			changed |= event->mask & IN_Q_OVERFLOW || is_watched(watch, event);
			at += (ssize_t)(sizeof(*event) + event->len);
		}
	}
	if (changed) {
		report_soon(watch);
	}
	return 0;
}

static void handle_timer(struct timer *timer, int64_t now)
{
	struct config_watch *watch = wl_container_of(timer, watch, timer);
	watch->changed(watch->data);
}

struct config_watch *config_watch_create(
	struct wl_event_loop *loop, struct clock *clock, void (*changed)(void *data), void *data)
{
	struct config_watch *watch = xcalloc(1, sizeof(*watch));
	watch->loop = loop;
	watch->fd = -1;
	watch->changed = changed;
	watch->data = data;
	timer_init(&watch->timer, clock, handle_timer);
	return watch;
}

/* Returns false without such a folder. */
static bool add_entry(
	struct config_watch *watch, const char *folder, const char *name, bool missing)
{
	int descriptor = inotify_add_watch(watch->fd, folder, EVENTS | IN_ONLYDIR);
	if (descriptor >= 0 && watch->n_entries < ENTRIES_MAX) {
		watch->entries[watch->n_entries++] =
			(struct entry){descriptor, name ? xstrdup(name) : NULL, missing};
	}
	return descriptor >= 0;
}

/* Watches for the file, or for the nearest folder above it that is missing. */
static void add_file(struct config_watch *watch, const char *path)
{
	char *folder = xstrdup(path);
	bool missing = false, added = false;
	while (!added) {
		char *slash = strrchr(folder, '/');
		if (!slash || slash == folder) {
			add_entry(watch, slash ? "/" : ".", slash ? slash + 1 : folder, missing);
			break;
		}
		*slash = '\0';
		added = add_entry(watch, folder, slash + 1, missing);
		missing = true;
	}
	free(folder);
}

static void add_path(struct config_watch *watch, const char *path)
{
	struct stat status;
	if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
		add_entry(watch, path, NULL, false);
		return;
	}
	char *target = realpath(path, NULL);
	add_file(watch, path);
	if (target && strcmp(target, path) != 0) {
		add_file(watch, target);
	}
	free(target);
}

/*
 * The inotify instance stays: closing it waits until the kernel has freed its watches, 5 to 20 ms.
 * Descriptors of watches are not used again, so that pending events of former ones are ignored.
 */
static void clear(struct config_watch *watch)
{
	for (int i = 0; i < watch->n_entries; i++) {
		inotify_rm_watch(watch->fd, watch->entries[i].folder);
		free(watch->entries[i].name);
	}
	watch->n_entries = 0;
}

static bool start(struct config_watch *watch)
{
	if (!watch->source) {
		fd_close(&watch->fd); /* of an attempt that failed */
		watch->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
		watch->source = watch->fd < 0 ? NULL
					      : wl_event_loop_add_fd(watch->loop, watch->fd,
							WL_EVENT_READABLE, handle_readable, watch);
	}
	return watch->source != NULL;
}

/* Compares with the state at the start of reading: the watch begins later. */
static void compare(struct config_watch *watch, const char *path, const char *before)
{
	char *stamp = file_stamp(path);
	if (strcmp(stamp, before) != 0) {
		report_soon(watch);
	}
	free(stamp);
}

void config_watch_set(struct config_watch *watch, char *const *paths, char *const *stamps)
{
	clear(watch);
	if (!paths || !start(watch)) {
		return;
	}
	for (; *paths; paths++, stamps++) {
		add_path(watch, *paths);
		compare(watch, *paths, *stamps);
	}
}

void config_watch_destroy(struct config_watch *watch)
{
	if (watch) {
		clear(watch);
		event_source_remove(&watch->source);
		fd_close(&watch->fd);
		timer_finish(&watch->timer);
		free(watch);
	}
}
