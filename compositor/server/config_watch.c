/* SPDX-License-Identifier: MIT */
/*
 * Watches of configuration files by inotify on their folders: editors replace files by others. Of a
 * symbolic link, the folders of the link and of its target are watched. The folder above, where
 * other programs work, is watched only while that is the way to learn of a replacement: a folder
 * reports that it was moved or removed itself, but a link to it does not, nor does a folder that is
 * missing or that somebody is about to replace, which removing the file announces.
 */

#include "config_watch.h"
#include "util/clock.h"
#include "util/event_source.h"
#include "util/fd.h"
#include "util/file.h"
#include "util/strings.h"
#include "util/xalloc.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#define GOES (IN_DELETE_SELF | IN_MOVE_SELF)
#define EVENTS (IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_DELETE | IN_MOVED_FROM | GOES)
/** Time (ns) from the last event to the report: editors save in several steps. */
#define DELAY INT64_C(150000000)
/** Time (ns) from the first event to the report, at most. */
#define DELAY_MAX INT64_C(1000000000)
#define ENTRIES_MAX 1024
/** Folders that appear while they are looked for, at most. */
#define TRIES_MAX 8

/* A file in a watched folder, or all its files that end in .ini. */
struct entry {
	int folder; /* inotify's watch descriptor */
	char *path; /* of the file; NULL: all */
	bool is_folder; /* `path` is a folder that contains a file, perhaps later */
};

struct config_watch {
	struct wl_event_loop *loop;
	int fd;
	struct wl_event_source *source;
	struct entry entries[ENTRIES_MAX];
	int n_entries;
	char **paths, **stamps; /* as in config_watch_set(); NULL: nothing is watched */
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

/* Returns whether the file is a link, of either kind, which nobody writes after its creation. */
static bool is_link(const char *path)
{
	struct stat status;
	return lstat(path, &status) == 0 && (S_ISLNK(status.st_mode) || status.st_nlink > 1);
}

static bool is_named(const struct entry *entry, const char *name)
{
	return entry->path ? strcmp(strrchr(entry->path, '/') + 1, name) == 0
			   : is_configuration(name);
}

enum effect { NO_EFFECT, CHANGES_FILE, CHANGES_FOLDER };

static enum effect effect_on(const struct entry *entry, uint32_t mask)
{
	if (entry->is_folder) {
		return mask & (IN_CREATE | IN_MOVED_TO) ? CHANGES_FOLDER : NO_EFFECT;
	}
	if (mask & (IN_CLOSE_WRITE | IN_MOVED_TO)) {
		return CHANGES_FILE;
	}
	if (mask & IN_CREATE) {
		return entry->path && is_link(entry->path) ? CHANGES_FILE : NO_EFFECT;
	}
	/* A removed file that is named by itself will be replaced, perhaps with its folder. */
	return entry->path ? CHANGES_FOLDER : CHANGES_FILE;
}

static enum effect find_effect(const struct config_watch *watch, const struct inotify_event *event)
{
	enum effect found = NO_EFFECT;
	for (int i = 0; i < watch->n_entries; i++) {
		const struct entry *entry = &watch->entries[i];
		if (entry->folder != event->wd) {
			continue;
		}
		enum effect effect = NO_EFFECT;
		if (event->mask & GOES) {
			effect = CHANGES_FOLDER;
		} else if (event->len > 0 && is_named(entry, event->name)) {
			effect = effect_on(entry, event->mask);
		}
		found = effect > found ? effect : found;
	}
	return found;
}

static void report_soon(struct config_watch *watch)
{
	const int64_t now = clock_now(watch->timer.clock);
	watch->first = watch->timer.armed ? watch->first : now;
	const int64_t last = watch->first + DELAY_MAX;
	timer_arm(&watch->timer, now + DELAY < last ? now + DELAY : last);
}

static void watch_again(struct config_watch *watch);

static int handle_readable(int fd, uint32_t mask, void *data)
{
	struct config_watch *watch = data;
	_Alignas(struct inotify_event) char events[sizeof(struct inotify_event) + NAME_MAX + 1];
	ssize_t length;
	bool changed = false, moved = false;
	while ((length = read(fd, events, sizeof(events))) > 0) {
		for (ssize_t at = 0; at < length;) {
			const struct inotify_event *event = (const void *)(events + at);
			const enum effect effect = find_effect(watch, event);
			changed |= event->mask & IN_Q_OVERFLOW || effect == CHANGES_FILE;
			moved |= effect == CHANGES_FOLDER;
			at += (ssize_t)(sizeof(*event) + event->len);
		}
	}
	if (changed) {
		report_soon(watch);
	}
	if (moved) {
		watch_again(watch);
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

/* Takes `path`. Returns false without such a folder. */
static bool add_entry(struct config_watch *watch, const char *folder, char *path, bool is_folder)
{
	const uint32_t events = is_folder ? IN_CREATE | IN_MOVED_TO | GOES : EVENTS;
	int descriptor = inotify_add_watch(watch->fd, folder, events | IN_ONLYDIR | IN_MASK_ADD);
	if (descriptor >= 0 && watch->n_entries < ENTRIES_MAX) {
		watch->entries[watch->n_entries++] = (struct entry){descriptor, path, is_folder};
	} else {
		free(path);
	}
	return descriptor >= 0;
}

static bool is_symbolic_link(const char *path)
{
	struct stat status;
	return lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
}

/*
 * Watches for the file in its folder; and for that folder, if it is a link or the file is missing,
 * or for the nearest one above it that is missing. Returns false if that one has just appeared.
 */
static bool try_file(struct config_watch *watch, const char *path)
{
	char *at = *path == '/' ? xstrdup(path) : xasprintf("./%s", path);
	bool is_folder = false, last = false, settled = true;
	for (char *slash = strrchr(at, '/'); slash; slash = strrchr(at, '/')) {
		char *name = xstrdup(at);
		const bool missing = access(at, F_OK) != 0;
		*slash = '\0';
		const char *folder = *at ? at : "/";
		const bool waits = is_folder && !last; /* for the folder that is missing */
		const bool added = add_entry(watch, folder, xstrdup(name), is_folder);
		settled &= !(waits && added && access(name, F_OK) == 0);
		free(name);
		if (last || (added && (waits || !missing) && !is_symbolic_link(folder))) {
			break;
		}
		last = added;
		is_folder = true;
	}
	free(at);
	return settled;
}

static void add_file(struct config_watch *watch, const char *path)
{
	for (int i = 0; i < TRIES_MAX && !try_file(watch, path); i++) {
	}
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
		free(watch->entries[i].path);
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

static void begin(struct config_watch *watch)
{
	for (char **path = watch->paths; start(watch) && *path; path++) {
		add_path(watch, *path);
	}
}

/*
 * Reports changes since the state at the start of reading, because the watch begins later;
 * `present`: only of files that are there.
 */
static void compare(struct config_watch *watch, bool present)
{
	for (size_t i = 0; watch->paths[i]; i++) {
		char *stamp = file_stamp(watch->paths[i]);
		if (strcmp(stamp, watch->stamps[i]) != 0 && !(present && !*stamp)) {
			report_soon(watch);
		}
		free(stamp);
	}
}

static char **copy_list(char *const *list)
{
	char **copy = NULL;
	for (; *list; list++) {
		copy = strings_add(copy, xstrdup(*list));
	}
	return copy;
}

/* Watches the folders that have taken the place of others. */
static void watch_again(struct config_watch *watch)
{
	clear(watch);
	begin(watch);
	compare(watch, true);
}

void config_watch_set(struct config_watch *watch, char *const *paths, char *const *stamps)
{
	clear(watch);
	strings_destroy(watch->paths);
	strings_destroy(watch->stamps);
	watch->paths = paths ? copy_list(paths) : NULL;
	watch->stamps = paths ? copy_list(stamps) : NULL;
	if (watch->paths) {
		begin(watch);
		compare(watch, false);
	}
}

void config_watch_destroy(struct config_watch *watch)
{
	if (watch) {
		clear(watch);
		event_source_remove(&watch->source);
		fd_close(&watch->fd);
		strings_destroy(watch->paths);
		strings_destroy(watch->stamps);
		timer_finish(&watch->timer);
		free(watch);
	}
}
